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

// profCommand runs the code of a cell, whose names stay, and shows the table of its ops under it.
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
	*res, err = c.eval(c.code, func(run func() error) (err error) {
		inside := reflect.ValueOf(func() { err = run() })
		table := profile.Call([]reflect.Value{inside})[0].Interface()
		if err == nil {
			display.Current().Display(display.Of(table), "")
		}
		return err
	})
	return err
}
