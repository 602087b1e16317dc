package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
)

// Loggers say in which line they are called; records of slog, where that is not known, do not.
type service struct{ *log.Logger }

func main() {
	l := log.New(os.Stdout, "pre: ", log.Lshortfile)
	l.Print("a", 1, 2)
	service{l}.Printf("%d\n", 3)
	say := l.Println
	say("x", "y")
	fmt.Println(l.Output(1, "output"))
	func() { l.Print("in a closure") }()
	l.SetFlags(log.Lshortfile | log.Lmsgprefix)
	l.Print("after the prefix")
	func() {
		defer func() { fmt.Println(recover()) }()
		l.Panicf("%s", "panics")
	}()
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	ctx := context.Background()
	s := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: noTime}))
	s.Info("info", "key", 1)
	s.With("with", 2).WarnContext(ctx, "warn", slog.Int("n", 3))
	s.WithGroup("g").LogAttrs(ctx, slog.LevelError, "attrs", slog.Bool("b", true))
	s.Debug("not enabled")
}
