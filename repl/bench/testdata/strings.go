package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

func main() {
	start := time.Now()
	var b strings.Builder
	for i := 0; i < 1_000_000; i++ {
		b.WriteString(strconv.Itoa(i))
		b.WriteString(" ")
	}
	fmt.Println(b.Len(), time.Since(start).Seconds())
}
