// Integers that overflow, shifts, division, conversions, constants, complex numbers and NaN.
package main

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
)

const (
	A = iota * 10
	B
	_
	C, D = iota, 1 << iota
	E, F
)

const (
	KB = 1 << (10 * (iota + 1))
	MB
)

type Weekday uint8

const (
	Sunday Weekday = iota
	Monday
	Tuesday
	_
	Thursday
)

func (d Weekday) String() string { return [...]string{"Sun", "Mon", "Tue", "Wed", "Thu"}[d] }

const big = 1 << 100
const huge = big >> 98
const third = 1.0 / 3
const mask = ^uint32(0)
const r = 'a' + 1
const typed int64 = 5
const cplx = 2i * 2i
const str = "con" + "cat"
const length = len(str)

func overflow() {
	var i8 int8 = 127
	var u8 uint8 = 255
	var i16 int16 = math.MinInt16
	var i32 int32 = math.MaxInt32
	var i64 int64 = math.MinInt64
	var u64 uint64 = math.MaxUint64
	one, minus := 1, -1
	i8++
	u8 += 2
	i16--
	i32 *= 2
	fmt.Println(i8, u8, i16, i32, -i64, i64/int64(minus), i64%int64(minus), u64*u64, u64+uint64(one))
	var i8b int8 = -128
	fmt.Println(-i8b, i8b/int8(minus), i8b*i8b, ^i8b, i8b&^1, u8<<7, int8(u8<<7)>>1)
	fmt.Println(-7/2, -7%2, 7/-2, 7%-2, int8(-7)/int8(2), -7>>1, uint8(249)>>1)
	x := 300
	fmt.Println(uint8(x), int8(x), uint16(-x), uint32(minus), uint64(int8(minus)), int64(uint32(1<<31)))
}

func shifts() {
	n, u := 70, uint(33)
	var i32 int32 = -1
	var i64 int64 = 1
	var u8 uint8 = 0xff
	fmt.Println(1<<n, i64<<n, i64<<63, i32>>n, uint32(i32)>>n, i32<<u, u8<<4, u8>>4, u8<<8)
	fmt.Println(i64<<u, int32(1)<<30, uint64(1)<<63>>63, -8>>1, int8(-8)>>u)
	var s uint = 3
	var w int64 = 1 << s
	var f = float64(1 << 3)
	var b byte = 1 << s
	fmt.Println(w, f, b, 1<<s == 8, uint16(1)<<s<<s)
	i64 <<= 3
	i64 |= 1
	i64 &^= 8
	i64 ^= 0xf
	fmt.Println(i64, bits.OnesCount64(uint64(i64)), bits.Len(255))
}

func floats() {
	var zero float64
	inf, nan := 1/zero, zero/zero
	neg := -zero
	fmt.Println(inf, -inf, nan, nan == nan, nan != nan, nan < 1, nan > 1, !(nan < 1), neg == 0)
	fmt.Println(math.Signbit(math.Copysign(0, -1)), 1/math.Copysign(0, -1))
	fmt.Println(float32(0.1), float64(float32(0.1)), 0.1+0.2, float32(16777217), float32(1e10))
	fmt.Println(int(3.99+zero), int(-3.99+zero), int64(float32(1<<24+1)), uint8(float64(200)), int(1e15))
	fmt.Println(min(1, 2.5), max(3, 1, 2), min(nan, 1), max(1, nan), min("b", "a"), max(neg, 0))
	fmt.Printf("%v %v %g %.3f %e %b\n", 1e21, 1e20, 1e-7, third, 123456.789, 0.5)
	var f32 float32 = 1 << 24
	fmt.Println(f32+1 == f32, f32*f32, math.MaxFloat32, f32*math.MaxFloat32)
	fmt.Println(math.Inf(1) > math.MaxFloat64, math.IsNaN(nan), math.Mod(-7, 3), math.Hypot(3, 4))
	m := map[float64]int{nan: 1, nan: 2, 0: 3}
	m[nan] = 4
	m[neg] = 5
	_, ok := m[nan]
	fmt.Println(len(m), ok, m[0])
	delete(m, nan)
	fmt.Println(len(m))
	clear(m)
	fmt.Println(len(m))
}

func complexes() {
	c := complex(1, 2)
	var d complex64 = 3 - 4i
	c *= 2
	c -= 1i
	fmt.Println(c, d, real(c), imag(d), c == complex(2, 3), -c, c/(1+1i), complex64(c)*d)
	fmt.Println(cmplx.Abs(complex128(d)), cmplx.Sqrt(-1), cplx, real(cplx))
	fmt.Printf("%v %.1f %T %T\n", c, c, real(d), c)
	z := complex128(0)
	fmt.Println(c/z == c/z, 1/z)
	type C complex64
	e := C(complex(1, 1))
	fmt.Println(e*e, real(e), e != C(d))
}

func constants() {
	fmt.Println(A, B, C, D, E, F, KB, MB, huge, third, mask, r, string(rune(r)), typed, str, length)
	fmt.Println(Monday, Thursday, Weekday(2), uint8(Tuesday), Sunday < Monday)
	var f32 float32 = third
	var i8 int8 = -1 << 7
	var u uint = 1<<64 - 1
	fmt.Println(f32, i8, u, 07, 0o17, 0x1p-2, 0b101, 1_000_000, 'x', '\u00e9', "\x41\u00e9\U0001F600")
	const c = 10
	fmt.Println(c/4, c/4.0, float64(c)/4, 5%c, -c%3, 1/2*3.0, 3.0*1/2, 7.0/2)
	fmt.Printf("%T %T %T %T %T\n", 1, 1.0, 'a', 1i, 1<<3)
	fmt.Println(math.MaxInt64, uint64(math.MaxUint64), math.Pi, big/1e29)
	var i interface{} = c
	_, isInt := i.(int)
	fmt.Println(isInt, len([10]int{}), len([...]string{5: "a", "b"}), cap([3]int{}))
}

func conversions() {
	s := "héllo, 世界\xff"
	fmt.Println(len(s), []byte(s)[:3], []rune(s), string([]rune(s)[:2]), string(rune(0x4e16)), string(rune(-1)))
	for i, r := range s {
		fmt.Print(i, ":", string(r), r, " ")
	}
	fmt.Println()
	type B []byte
	type S string
	b := B("abc")
	b[0] = 'X'
	fmt.Println(string(b), S(b), []byte(S("q")), string(S("s")+"t"), S([]rune{65, 66}))
	arr := [3]int([]int{1, 2, 3})
	p := (*[2]int)(arr[:])
	p[0] = 9
	fmt.Println(arr, *p, len(p), [0]int([]int(nil)) == [0]int{})
	type Celsius float64
	type Temp = Celsius
	var t Temp = 36.6
	fmt.Println(float64(t)+1, Celsius(1)+t, int(t), Celsius(int(t)))
	var e error
	_, ok := e.(fmt.Stringer)
	fmt.Println(ok, e == nil, (*int)(nil) == nil, []int(nil) == nil, any(nil) == nil, any((*int)(nil)) == nil)
	const fl = 5.0
	var n int = fl
	idx := []string{"a", "b", "c", "d", "e", "f"}[fl]
	fmt.Println(n, idx, 1<<fl)
}

func main() {
	overflow()
	shifts()
	floats()
	complexes()
	constants()
	conversions()
}
