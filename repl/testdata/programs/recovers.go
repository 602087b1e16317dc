// Where recover recovers: called by the deferred function itself, and by nothing else.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
)

// caught runs f and prints what comes out of it.
func caught(name string, f func()) {
	defer func() { fmt.Println(name, "→", recover()) }()
	f()
}

func rescue() { fmt.Println("  rescue", recover()) }

func rescueDeep(pad ...int) {
	a, b, c := 1, 2, 3
	for range pad {
		a, b, c = b, c, a
	}
	switch {
	case a == 1:
		b++
	case a == 2:
		c++
	}
	if b > c {
		a++
	}
	for i := range 2 {
		c += i
		b -= i
	}
	if c > 100 {
		a = b + c
		b = a + c
		c = b + a
	}
	if len(pad) > 100 {
		a = b
		b = c
	}
	fmt.Println("  deep", recover(), len(pad))
}

func helper() { rescue() }

type T struct{ name string }

func (t T) Rescue()       { fmt.Println("  "+t.name, recover()) }
func (t *T) Point()       { fmt.Println("  *"+t.name, recover()) }
func (t T) Through()      { rescue() }
func (t T) Value() func() { return t.Rescue }

type S struct{ *T }

type rescuer interface{ Rescue() }

func direct() {
	t := T{"t"}
	s := S{&t}
	var i rescuer = t
	caught("literal", func() { defer func() { fmt.Println("  literal", recover()) }(); panic(1) })
	caught("arguments", func() { defer func(n int) { fmt.Println("  literal", n, recover()) }(3); panic(1) })
	caught("function", func() { defer rescue(); panic(1) })
	caught("long function", func() { defer rescueDeep(1, 2); panic(1) })
	caught("method", func() { defer t.Rescue(); panic(1) })
	caught("pointer method", func() { defer t.Point(); panic(1) })
	caught("promoted", func() { defer s.Rescue(); panic(1) })
	caught("interface", func() { defer i.Rescue(); panic(1) })
	caught("expression", func() { defer T.Rescue(t); panic(1) })
	caught("promoted expression", func() { defer S.Rescue(s); panic(1) })
	caught("results", func() { defer func() any { return recover() }(); panic(1) })
	caught("recover itself", func() { defer recover(); panic(1) })
	caught("panic itself", func() { defer panic(2); panic(1) })
}

func values() {
	t := T{"t"}
	s := S{&t}
	var i rescuer = s
	for _, f := range []func(){rescue, t.Rescue, t.Point, s.Rescue, i.Rescue, t.Value(),
		func() { fmt.Println("  literal", recover()) }} {
		caught("value", func() { defer f(); panic(1) })
	}
	deep, method, promoted := rescueDeep, T.Rescue, S.Point
	caught("value", func() { defer deep(1); panic(1) })
	caught("value", func() { defer method(t); panic(1) })
	caught("value", func() { defer promoted(s); panic(1) })
}

func tooFar() {
	t := T{"t"}
	caught("helper", func() { defer helper(); panic(1) })
	caught("through method", func() { defer t.Through(); panic(1) })
	caught("in literal", func() { defer func() { rescue() }(); panic(1) })
	caught("nested", func() {
		defer func() { func() { fmt.Println("  nested", recover()) }() }()
		panic(1)
	})
	through, expression := t.Through, T.Through
	caught("value", func() { defer through(); panic(1) })
	caught("value", func() { defer expression(t); panic(1) })
	call := func(f func()) { f() }
	caught("called", func() { defer call(rescue); panic(1) })
	again := func() { call(func() { fmt.Println("  again", recover()) }) }
	caught("again", func() { defer again(); panic(1) })
	value := func() { f := rescue; f() }
	caught("value in value", func() { defer value(); panic(1) })
	caught("not deferred", func() { rescue(); fmt.Println(recover()); panic(1) })
	caught("deferred in deferred", func() {
		defer func() { defer rescue() }()
		panic(1)
	})
	caught("deferred twice", func() {
		defer func() { defer func() { defer rescue() }() }()
		panic(1)
	})
	for range 2 {
		caught("range", func() {
			defer func() {
				for range func(yield func() bool) { yield() } {
					fmt.Println("  in range", recover())
				}
			}()
			panic(1)
		})
	}
}

func nested() (n int, err error) {
	defer func() {
		defer func() { fmt.Println("inner", recover()); n *= 2 }()
		fmt.Println("outer", recover())
		panic("second")
	}()
	defer func() { n += 5 }()
	n = 1
	panic("first")
}

func replaced() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	defer func() { panic("third") }()
	defer func() { panic("second") }()
	panic("first")
}

func twice() (s string) {
	defer func() { s += fmt.Sprint(recover(), recover()) }()
	panic("once")
}

func results() (a, b int) {
	defer func() { recover(); a, b = b+1, a+1 }()
	return 10, 20
}

func loop() (out []int) {
	for i := range 3 {
		func() {
			defer func() { out = append(out, i, recover().(int)) }()
			panic(i * 10)
		}()
	}
	return
}

func goexit() {
	var wait sync.WaitGroup
	wait.Add(3)
	go func() {
		defer wait.Done()
		defer func() { fmt.Println("exits with", recover()) }()
		runtime.Goexit()
	}()
	wait.Add(-2)
	wait.Wait()
	wait.Add(1)
	go func() {
		defer wait.Done()
		defer func() { fmt.Println("still exits") }()
		defer func() {
			defer func() { fmt.Println("recovers", recover()) }()
			panic("in exit")
		}()
		runtime.Goexit()
	}()
	wait.Wait()
	wait.Add(1)
	go func() {
		defer wait.Done()
		defer func() { fmt.Println("after the panic", recover()) }()
		defer runtime.Goexit()
		panic("is gone")
	}()
	wait.Wait()
	wait.Add(1)
	go func() {
		defer wait.Done()
		func() {
			defer func() { fmt.Println("first frame") }()
			func() {
				defer func() { fmt.Println("inner frame") }()
				runtime.Goexit()
			}()
			fmt.Println("never")
		}()
		fmt.Println("never")
	}()
	wait.Wait()
}

type failure struct{ code int }

func (f *failure) Error() string { return fmt.Sprint("failure ", f.code) }

func values2() {
	for _, v := range []any{1, "s", 2.5, errors.New("e"), &failure{3}, T{"x"}, nil, []int{1}} {
		func() {
			defer func() {
				r := recover()
				var f *failure
				if err, ok := r.(error); ok && errors.As(err, &f) {
					fmt.Println("code", f.code)
					return
				}
				fmt.Printf("%T %v\n", r, r)
			}()
			panic(v)
		}()
	}
}

func nilFunction() {
	var f func()
	caught("nil function", func() {
		defer f()
		fmt.Println("before")
	})
	var i rescuer
	caught("nil interface", func() {
		fmt.Println("before")
		defer i.Rescue()
		fmt.Println("never")
	})
	caught("built-ins", func() {
		m, c, s, d := map[int]int{1: 2}, make(chan int), []int{1, 2}, []int{3, 4}
		func() {
			defer delete(m, 1)
			defer close(c)
			defer copy(s, d)
			defer clear(d[:1])
			defer print()
		}()
		_, open := <-c
		fmt.Println(len(m), open, s, d)
	})
	defer fmt.Fprintln(os.Stdout, "the last")
}

func main() {
	direct()
	values()
	tooFar()
	fmt.Println(nested())
	fmt.Println(replaced())
	fmt.Println(twice())
	fmt.Println(results())
	fmt.Println(loop())
	goexit()
	values2()
	nilFunction()
}
