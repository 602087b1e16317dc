package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM, os.Interrupt)
	_, err := os.Open("/nonexistent/x")
	fmt.Println(errors.Is(err, syscall.ENOENT), syscall.SIGINT, syscall.ENOENT)
	var e syscall.Errno
	fmt.Println(errors.As(err, &e), e == syscall.ENOENT, syscall.Getpid() == os.Getpid())
}
