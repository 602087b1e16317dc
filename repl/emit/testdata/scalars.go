package main

import "math"

func caseIntOps() {
	var a int8 = -128
	var b int8 = -1
	out(a/b, a*b, a-1, -a, a%b, ^a, a+b)
	var u uint8 = 250
	u += 10
	out(u, u-5, ^u, -u, u<<7, u>>1, u&^3, u|1, u^255)
	var x int32 = 1 << 30
	x *= 4
	out(x)
	x = 7
	out(x/2, x%3, -x/2, -x%3, x&5, x|8, x^2, x&^1)
	var i64 int64 = math.MinInt64
	out(i64, -i64, i64-1, i64/-1)
	var m uint64 = math.MaxUint64
	out(m, m+1, m*m, m/3, m%10, m>>63)
	var p uintptr = 5
	out(p*3 - 20)
	var w uint16 = 65535
	w++
	out(w)
	w--
	out(w)
}

func caseIntMin() {
	const min = math.MinInt64
	x := min
	out(x, x-1, -x)
	out(uint64(1<<63), uint64(math.MaxUint64))
	var y int64 = -5
	out(y/2, y%2, y>>1, uint8(y), int8(y*100))
}

func caseShifts() {
	n := 3
	var s uint8 = 2
	x := 1
	out(x<<n, x<<s, x<<70, -8>>n, -1>>100, uint32(1)<<31>>s)
	var i8 int8 = -128
	i8 >>= 1
	out(i8, i8<<1, i8<<2)
	var i64 int64 = 1
	out(i64<<62, i64<<63, i64<<n)
	x <<= 4
	out(x)
	try(func() {
		k := -1
		out(1 << k)
	})
	try(func() {
		k := -1
		y := 5
		y >>= k
		out(y)
	})
	var big uint = 200
	out(x<<big, x>>big, -x>>big)
	var c int16 = 2
	out(uint8(255)<<c, 1<<c == 4)
	var most uint8 = 255
	wide := uint64(5) >> (most + 1)
	wide <<= most + 2
	out(wide, wide<<(most*2+3), x<<(most+1)<<(most+2))
	var digits uint = 60
	out(wide>>(64-(digits+1)), wide|wide<<(2*(digits-58)+1))
}

func caseDivide() {
	z := 0
	try(func() { out(1 / z2()) })
	try(func() { out(1 % z2()) })
	f := 0.0
	out(1/f, -1/f, z)
	var u uint32 = 7
	out(u/2, u%4)
}

func z2() int { return 0 }

func caseFloats() {
	var f float32 = 16777216
	f += 1
	out(f == 16777216, f)
	var a float32 = 0.1
	var b float32 = 0.2
	out(a+b, a*b, a/b, a-b, float64(a))
	x := 0.1
	y := 0.2
	out(x+y, x*y, x/y, 1/3.0, x/3)
	z := 0.0
	z = -z
	out(1/z, z == 0)
	n := math.NaN()
	out(n == n, n != n, n < 1, n > 1, n <= n, n >= n)
	inf := math.Inf(1)
	out(inf > 1, -inf, inf-inf == 0)
	out(math.Pi, float32(math.Pi), math.MaxFloat64, math.SmallestNonzeroFloat64)
	var d float64 = 2.5
	out(d*2, d-1, -d)
}

func caseComplex() {
	c := complex(1, 2)
	c *= c
	out(c, real(c), imag(c), -c, c == complex(-3, 4), c != c)
	var d complex64 = complex(1.5, -2)
	out(d, real(d)+1, imag(d), d*d, d/d, d+1i)
	var f float32 = 2
	e := complex(f, f)
	out(e, real(e))
	out(c/complex(0, 1), c-2i)
}

func caseStrings() {
	s := "héllo"
	out(len(s), s[1], s[1:3], s[:1], s[3:], s+"x", s < "i", s == "héllo")
	t := ""
	for i := 0; i < 3; i++ {
		t += "ab"
	}
	out(t, t != "ababab", "a" < "b", "b" <= "a")
	b := []byte(s)
	b[0] = 'H'
	out(string(b), s, len(b))
	r := []rune(s)
	r[1] = 'e'
	out(string(r), len(r), string(rune(233)), string(rune(-1)))
	out("\x00\xff\u65e5\"\\\n"[1], len("\xff日"))
	try(func() {
		i := 10
		out("abc"[i])
	})
	try(func() {
		i := 2
		out("abc"[i:1])
	})
	u := "x"
	u += s
	out(u)
	var v string
	out(v == "", len(v))
}

func caseBools() {
	t := true
	f := false
	out(t && f, t || f, !t, !(t && f), t == f, t != f)
	a := new(bool)
	b := new(bool)
	for i := 0; i < 4; i++ {
		*a = i&1 == 1
		*b = i&2 == 2
		out(*a && *b, *a || *b, !*a && *b, *a && !*b, !(*a || *b))
		if *a && *b {
			out("both")
		} else if *a || *b {
			out("one")
		} else {
			out("none")
		}
		x := *a
		y := *b
		out(x && y, x || y, x == y)
	}
	s := []bool{true, false, true, false}
	u := []bool{true, true, false, false}
	for i := range s {
		out(s[i] && u[i], s[i] || u[i], !s[i])
		if s[i] && u[i] {
			out(i)
		}
		if s[i] {
			out("s")
		}
		for s[i] && u[i] {
			s[i] = false
			out("loop")
		}
	}
	m := map[int]bool{1: true}
	for i := 0; i < 3; i++ {
		if m[i] || i == 0 {
			out(i, m[i])
		}
	}
	var e any = true
	var g any = false
	if e.(bool) {
		out("yes")
	}
	if g.(bool) {
		out("no")
	}
	out(e.(bool) && g.(bool), g.(bool) || e.(bool))
	if bools(1) && bools(0) {
		out("wrong")
	}
	if bools(1) || bools(0) {
		out("right")
	}
}

func bools(i int) bool { return i == 1 }

func caseLazy() {
	var p *int
	if p != nil && *p == 1 {
		out("wrong")
	}
	s := []int{}
	out(len(s) > 0 && s[0] == 1, len(s) == 0 || s[0] == 1)
	n := new(int)
	ok := f1(n) && f1(n) || f1(n)
	out(ok, *n)
	ok = !f1(n) && f1(n)
	out(ok, *n)
	k := -1
	out(k > 0 && 1<<k == 2, k < 0 || 1<<k == 2)
	for i := 0; i < 3 && f1(n); i++ {
		out(i)
	}
	c := make(chan bool, 4)
	c <- true
	c <- false
	c <- true
	c <- true
	out(<-c && <-c, <-c && <-c)
}

func f1(p *int) bool {
	*p++
	return *p%2 == 1
}

func caseMinMax() {
	a := 3
	b := 5
	out(min(a, b), max(a, b), min(a, b, 1), max(a, 9, b))
	x := 1.5
	out(min(x, 2), max(x, math.NaN()), max(x, 1, 4))
	z := 0.0
	n := -z
	n = math.Copysign(0, -1)
	out(1/min(z, n), 1/max(n, z))
	var f float32 = 0.1
	out(min(f, 2), max(f, 0.05))
	s := "b"
	out(min(s, "a"), max(s, "a"))
	var u uint8 = 200
	out(max(u, 100) + 100)
}

func caseConvert() {
	f := 3.99
	out(int(f), int(-f), uint8(f), int64(f*1e10))
	i := -1
	out(uint8(i), uint32(i), int8(i), float64(i), float32(i), uint64(i))
	var big int64 = 1<<53 + 1
	out(float64(big), int64(float64(big)))
	var n int64 = 9007199791611905
	out(float32(n), uint64(float32(n)))
	var u uint64 = 1<<63 + 1
	out(float64(u), float32(u))
	out(string(rune(65)), []byte("ab"), []rune("aé"), string([]byte{65, 66}), string([]rune{66, 233}))
	var c64 complex64 = 1 + 2i
	out(complex128(c64))
	out(float32(0.1), float64(float32(0.1)), float64(2.5), int(2.0))
	var r rune = 'x'
	out(r, byte(r), string(r))
}

func caseArrayFromSlice() {
	s := []int{1, 2, 3}
	a := [3]int(s)
	a[0] = 9
	out(a, s)
	p := (*[2]int)(s)
	p[1] = 7
	out(s, *p)
	try(func() { out([4]int([]int{1, 2})) })
	try(func() { out((*[4]int)([]int{1, 2})) })
	var nils []int
	q := (*[0]int)(nils)
	out(q == nil)
}

func caseNamed() {
	type celsius float64
	type name string
	type flags uint8
	var c celsius = 20.5
	c *= 2
	out(float64(c), float64(c+celsius(1)))
	n := name("ab") + "c"
	out(string(n), len(n), n[0])
	var f flags = 1<<3 | 1
	f &^= 1
	out(uint8(f), f&8 != 0)
}
