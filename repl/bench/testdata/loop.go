package main

import (
	"fmt"
	"time"
)

func main() {
	start := time.Now()
	sum := 0
	for i := 0; i < 5_000_000; i++ {
		sum += i & 7
	}
	fmt.Println(sum, time.Since(start).Seconds())
}
