package repl

import (
	"context"
	"errors"
	"go/types"
	"testing"

	"halfnote/repl/check"
	"halfnote/repl/display"
	"halfnote/repl/symbols"
)

// stuck is an importer that does not come back before it is released.
type stuck struct{ reached, release chan struct{} }

func (s stuck) Import(path string) (*types.Package, error) {
	close(s.reached)
	<-s.release
	return nil, errors.New("released")
}

// silent is an output for cells that print nothing.
type silent struct{}

func (*silent) Stream(string, string)          {}
func (*silent) Display(display.Bundle, string) {}
func (*silent) Update(display.Bundle, string)  {}
func (*silent) Clear(bool)                     {}

// TestInterruptCheck: a check that does not end is left, and the session goes on with its names.
func TestInterruptCheck(t *testing.T) {
	s := New(Config{})
	imp := stuck{make(chan struct{}), make(chan struct{})}
	defer close(imp.release)
	s.checker = check.New(s.machine.fileSet(), imp, symbols.ByName)
	if _, err := s.Eval(t.Context(), "x := 20", &silent{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-imp.reached
		cancel()
	}()
	_, err := s.Eval(ctx, "import \"strings\"\ny := 1", &silent{})
	var e *Error
	if !errors.As(err, &e) || e.Kind != KindInterrupt {
		t.Fatalf("error %v", err)
	}
	res, err := s.Eval(t.Context(), "y := x + 1\ny", &silent{})
	if err != nil || res.Bundle.Text() != "21" {
		t.Errorf("after it: %v %v", res.Bundle.Text(), err)
	}
}
