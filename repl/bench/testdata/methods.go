package main

import (
	"fmt"
	"time"
)

type counter struct{ n int }

func (c *counter) add(x int) { c.n += x }

func main() {
	start := time.Now()
	c := &counter{}
	for i := 0; i < 1_000_000; i++ {
		c.add(i)
	}
	fmt.Println(c.n, time.Since(start).Seconds())
}
