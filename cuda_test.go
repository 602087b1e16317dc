//go:build cuda

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"halfnote/repl"
	"halfnote/repl/display"
)

func init() { programs["cells"] = cells }

// cells evaluates the cells on standard input, between which empty lines stand, in one session, and
// prints what they give. It goes on after errors. A cell that begins with a comment of that is interrupted
// after a second.
func cells() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	session := repl.New(repl.Config{OwnStdout: true})
	for cell := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		ctx, cancel := context.Background(), func() {}
		if strings.HasPrefix(cell, "// interrupted after a second\n") {
			ctx, cancel = context.WithTimeout(ctx, time.Second)
		}
		res, err := session.Eval(ctx, cell, dropped{})
		cancel()
		switch {
		case err != nil:
			fmt.Println(err)
		case res.Shown:
			fmt.Println(res.Bundle.Text())
		}
	}
}

// dropped is an Output of nothing.
type dropped struct{}

func (dropped) Stream(_, _ string)             {}
func (dropped) Display(display.Bundle, string) {}
func (dropped) Update(display.Bundle, string)  {}
func (dropped) Clear(bool)                     {}

// TestCUDAScript runs the scripts of programs that are built with the tag cuda, on the stand-in for the
// driver that HALFNOTE_LIBCUDA names.
func TestCUDAScript(t *testing.T) {
	standin := os.Getenv("HALFNOTE_LIBCUDA")
	if standin == "" {
		t.Fatal("HALFNOTE_LIBCUDA must name the stand-in that install/cuda.sh standin makes")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/cuda",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("STANDIN", standin)
			return nil
		},
	})
}
