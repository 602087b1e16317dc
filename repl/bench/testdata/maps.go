package main

import (
	"fmt"
	"time"
)

func main() {
	start := time.Now()
	squares := map[int]int{}
	for i := 0; i < 1_000_000; i++ {
		squares[i] = i * i
	}
	fmt.Println(len(squares), time.Since(start).Seconds())
}
