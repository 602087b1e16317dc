package main

import "fmt"

func out(args ...any) { fmt.Println(args...) }

func try(f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("panic:", r)
		}
	}()
	f()
}

func spawn(f func()) { go f() }
