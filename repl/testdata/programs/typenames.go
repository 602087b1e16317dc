package main

import "fmt"

type T int
type G[A any] struct{ a A }

func main() {
	for _, x := range []any{
		G[struct {
			a T
			B int `json:"b"`
		}]{}, G[[]T]{}, G[func(T, ...int) error]{}, G[interface{ M(T) }]{}, G[map[string]*T]{}, G[chan<- T]{},
		struct {
			a T
			B int `x:"y"`
			T
		}{}, G[G[T]]{}, G[any]{}, G[interface{ m() }]{}, G[error]{}, G[<-chan (<-chan int)]{}, G[struct{}]{}, G[interface{}]{}, G[[2]int]{},
		G[func()]{}, G[func(int) (int, T)]{},
	} {
		fmt.Printf("%T\n", x)
		func() {
			defer func() { fmt.Println(recover()) }()
			_ = x.(T)
		}()
		func() {
			defer func() { fmt.Println(recover()) }()
			_ = x.(G[struct{ a, b T }])
		}()
	}
}
