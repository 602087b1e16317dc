package random

// prelude begins each program, behind its imports.
const prelude = `
var steps = 250

// spent reports whether the section has used up its steps.
func spent() bool {
	steps--
	return steps < 0
}

// out prints values, unless too much has been printed.
func out(args ...any) {
	if spent() {
		return
	}
	for i, a := range args {
		if i > 0 {
			fmt.Print(" ")
		}
		if s, ok := a.(string); ok {
			fmt.Printf("%q", s)
		} else {
			fmt.Print(a)
		}
	}
	fmt.Println()
}

// tr gives x and tells that it was asked for it.
func tr[T any](n int, x T) T {
	out("tr", n)
	return x
}

func trInt(n, x int) int {
	out("trInt", n)
	return x
}

func clip(s string) string {
	if len(s) > 16 {
		return s[3:11]
	}
	return s
}

// whole gives the whole part of numbers that every integer type holds.
func whole(x float64) int {
	if x >= 0 && x < 100 {
		return int(x)
	}
	return 0
}

func text(r any) string {
	switch r := r.(type) {
	case runtime.Error:
		return "runtime error " + r.Error()
	case string:
		return "string " + r
	case error:
		return "error " + r.Error()
	}
	return kind(r)
}

func try(name string, f func()) {
	steps = 250
	defer func() {
		if r := recover(); r != nil {
			out(name, "panic", text(r))
		}
	}()
	f()
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	var keys []K
	for k := range m {
		i := 0
		for i < len(keys) && keys[i] < k {
			i++
		}
		keys = append(keys, k)
		copy(keys[i+1:], keys[i:])
		keys[i] = k
	}
	return keys
}

type number interface {
	~int | ~int8 | ~uint8 | ~int32 | ~uint16 | ~int64 | ~uint64 | ~float32 | ~float64
}

func sum[T number](list ...T) (total T) {
	for _, x := range list {
		total += x
	}
	return total
}

func mapped[T, U any](list []T, f func(T) U) []U {
	var us []U
	for i, x := range list {
		if i < 4 {
			us = append(us, f(x))
		}
	}
	return us
}

func count(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		defer out("count ends")
		for i := 0; i < n; i++ {
			if !yield(i) {
				out("stopped at", i)
				return
			}
		}
	}
}

func pairs[T any](list []T) func(func(int, T) bool) {
	return func(yield func(int, T) bool) {
		for i, x := range list {
			if !yield(i, x) {
				return
			}
		}
	}
}
`
