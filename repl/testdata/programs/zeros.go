package main

import "fmt"

type length float64

func (l length) inverse(depth int) length {
	if depth > 0 {
		return l.inverse(depth - 1)
	}
	return 1 / l
}

func inverses[T float32 | float64](depth int, x T, c complex64, z complex128) {
	if depth > 0 {
		inverses(depth-1, x, c, z)
		return
	}
	fmt.Println(x, 1/x, c, z)
}

func captured(x float64) func() float64 {
	return func() float64 { return 1 / x }
}

func several(depth int, xs ...float64) float64 {
	if depth > 0 {
		return several(depth-1, xs...)
	}
	return 1 / xs[0]
}

// A negative zero stays one wherever it is passed.
func main() {
	zero := 0.0
	minus := -zero
	inverses(2, minus, complex64(complex(minus, minus)), complex(minus, 0))
	inverses(2, float32(minus), complex64(complex(minus, 0)), complex(0, minus))
	inverses(2, zero, 0, 0)
	inverses(2, -1*zero, 1i, 2)
	fmt.Println(length(minus).inverse(2), length(zero).inverse(1), several(2, minus))
	f, g, h := length.inverse, length(minus).inverse, captured(minus)
	fmt.Println(f(length(minus), 1), g(1), h(), captured(zero)())
	var i interface{ inverse(int) length } = length(minus)
	fmt.Println(i.inverse(0))
	defer func(x float64) { fmt.Println(1 / x) }(minus)
	done := make(chan float64)
	go func(x float64) { done <- x }(minus)
	fmt.Println(1 / <-done)
}
