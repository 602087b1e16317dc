package repl

// This file implements %prof, which runs code under tensor.Profile:
//
//	%prof loss.Backward()        %%prof
//	                             for range 10 { step() }

import (
	"reflect"
	"strings"

	"halfnote/repl/display"
)

// profCommand runs the code of a cell, whose names stay, and shows the table of its ops under it,
// also when it fails or is stopped.
func profCommand(s *Session, c call, res *Result) error {
	if strings.TrimSpace(c.code) == "" {
		return c.fail(KindCompile, c.name+": there is no code",
			"write %prof and an expression, or lines of Go below %%prof")
	}
	profile, ok := s.symbol("halfnote/tensor", "Profile")
	if !ok {
		return c.fail(KindUnsupported, c.name+": package tensor is not there", "")
	}
	var err error
	*res, err = c.eval(c.code, func(run func() error) error {
		// A stop may end the goroutine of the cell, so that Profile would not return there.
		begun, over, made := make(chan bool), make(chan bool), make(chan profiled, 1)
		go func() {
			var p profiled
			defer func() {
				p.failed = recover()
				made <- p
			}()
			during := func() { close(begun); <-over }
			p.table = profile.Call([]reflect.Value{reflect.ValueOf(during)})[0].Interface()
		}()
		select {
		case <-begun:
		case p := <-made: // there is another Profile
			panic(p.failed)
		}
		defer func() {
			close(over)
			display.Current().Display(display.Of((<-made).table), "")
		}()
		return run()
	})
	return err
}

// profiled is what a call of tensor.Profile has come to.
type profiled struct{ table, failed any }
