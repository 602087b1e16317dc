package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

func order() {
	for i := 0; i < 3; i++ {
		defer fmt.Print(i, " ")
	}
	defer func() { fmt.Print("first ") }()
}

func recovers() (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprint("recovered ", r)
		}
	}()
	panic("boom")
}

func again() (err error) {
	defer func() {
		err = fmt.Errorf("wrapped: %w", err)
	}()
	return errors.New("inner")
}

func replaced() {
	defer func() { fmt.Println("outer got", recover()) }()
	defer func() { panic("second") }()
	panic("first")
}

func helper() any { return recover() }

func notDirect() (s string) {
	defer func() {
		s = fmt.Sprint(recover())
	}()
	defer func() {
		if r := helper(); r != nil {
			fmt.Println("helper must not recover", r)
		}
	}()
	panic("deep")
}

func handler() {
	if r := recover(); r != nil {
		fmt.Println("handler got", r)
	}
}

func byName() {
	defer handler()
	panic("named")
}

func byValue() {
	h := func() { fmt.Println("value got", recover()) }
	defer h()
	panic("value")
}

type res struct{ name string }

func (r *res) Close() { fmt.Println("close", r.name) }

func closes() {
	a := &res{"a"}
	defer a.Close()
	a = &res{"b"}
	defer a.Close()
	var sb strings.Builder
	defer func() { fmt.Println(sb.String()) }()
	sb.WriteString("built")
}

func try(name string, f func()) {
	defer func() {
		r := recover()
		if e, ok := r.(error); ok {
			fmt.Println(name+":", "error:", e)
			return
		}
		fmt.Println(name+":", r)
	}()
	f()
}

type T struct{ f int }

func unwound() (n int) {
	defer func() { n *= 2 }()
	defer func() { recover(); n = 21 }()
	var p *T
	return p.f
}

func loop() (out []string) {
	for _, s := range []string{"1", "x", "3"} {
		func() {
			defer func() {
				if r := recover(); r != nil {
					out = append(out, fmt.Sprint(r))
				}
			}()
			if s == "x" {
				panic("bad " + s)
			}
			out = append(out, s)
		}()
	}
	return
}

func main() {
	order()
	fmt.Println()
	fmt.Println(recovers())
	fmt.Println(again())
	replaced()
	fmt.Println(notDirect())
	byName()
	byValue()
	closes()
	fmt.Println(unwound())
	fmt.Println(loop())

	var p *T
	var m map[string]int
	var s []int
	var a any = "text"
	var f func()
	zero := 0
	try("nil pointer", func() { fmt.Println(p.f) })
	try("nil map", func() { m["a"] = 1 })
	try("division", func() { fmt.Println(1 / zero) })
	try("assertion", func() { fmt.Println(a.(int)) })
	try("nil func", func() { f() })
	try("closed", func() { c := make(chan int); close(c); close(c) })
	try("error value", func() { panic(errors.New("an error")) })
	try("nothing", func() {})
	try("index", func() {
		defer func() {
			if recover() != nil {
				fmt.Print("caught ")
			}
		}()
		fmt.Println(s[zero])
	})
	defer fmt.Fprintln(os.Stdout, "main ends")
}

func viaDefer() (s string) {
	defer func() { s = fmt.Sprint("left: ", recover()) }()
	defer func() {
		defer recover() // counts as a call by this function
	}()
	panic("gone")
}

type closer interface{ Close() error }

func nilCloser() {
	defer func() { fmt.Println("nil closer:", recover() != nil) }()
	defer fmt.Println("runs too")
	var c closer
	defer c.Close()
	fmt.Println("not reached")
}

func init() {
	fmt.Println(viaDefer())
	nilCloser()
}
