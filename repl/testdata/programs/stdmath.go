package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"hash/fnv"
	"math"
	"math/big"
	"math/bits"
	"math/cmplx"
	oldrand "math/rand"
	"math/rand/v2"
)

type zeros struct{}

func (zeros) Uint64() uint64 { return 1<<63 + 12345 }

func main() {
	fmt.Println(math.Sqrt(2), math.Inf(-1), math.NaN(), math.MaxInt64, math.Float32bits(1.5))
	fmt.Printf("%.4f %.3e %v\n", math.Pi, math.Exp(10), math.Signbit(math.Copysign(0, -1)))
	fr, ex := math.Frexp(10)
	fmt.Println(fr, ex, math.Hypot(3, 4), math.Mod(-7, 3), math.RoundToEven(2.5), math.FMA(2, 3, 4))
	fmt.Println(bits.OnesCount(255), bits.LeadingZeros64(1), bits.Reverse8(3), bits.RotateLeft32(1, 31))
	hi, lo := bits.Mul64(1<<63, 6)
	fmt.Println(hi, lo)
	fmt.Printf("%.3f %.3f\n", cmplx.Sqrt(-1), cmplx.Exp(1i*math.Pi))
	a := new(big.Int).Exp(big.NewInt(3), big.NewInt(100), nil)
	b, ok := new(big.Int).SetString("123456789012345678901234567890", 10)
	fmt.Println(a, b, ok, new(big.Int).Mod(a, b), a.Cmp(b), b.ProbablyPrime(10))
	fmt.Printf("%x %d %v\n", b, big.NewRat(3, 6), new(big.Float).SetPrec(100).Quo(big.NewFloat(1), big.NewFloat(3)))
	r := rand.New(rand.NewPCG(1, 2))
	fmt.Println(r.IntN(100), r.Float64(), r.Perm(5), rand.New(zeros{}).Uint64() > 1<<62)
	s := []int{1, 2, 3, 4}
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	fmt.Println(s, oldrand.New(oldrand.NewSource(42)).Intn(1000))
	z := rand.NewZipf(r, 1.5, 2, 100)
	fmt.Println(z.Uint64() <= 100, rand.N(1))
	fmt.Printf("%x\n%x\n", md5.Sum([]byte("a")), sha256.Sum256([]byte("a")))
	for _, h := range []hash.Hash{sha512.New384(), fnv.New64a(), hmac.New(sha256.New, []byte("k"))} {
		h.Write([]byte("data"))
		fmt.Printf("%d %x\n", h.BlockSize(), h.Sum(nil))
	}
	fmt.Println(crc32.ChecksumIEEE([]byte("a")), adler32.Checksum([]byte("a")))
	block, err := aes.NewCipher(make([]byte, 16))
	fmt.Println(block.BlockSize(), err)
	out := make([]byte, 4)
	cipher.NewCTR(block, make([]byte, 16)).XORKeyStream(out, []byte("abcd"))
	fmt.Printf("%x\n", out)
	_, err = aes.NewCipher(nil)
	fmt.Println(err)
}
