package install

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSteps(t *testing.T) {
	var out strings.Builder
	s := &steps{out: &out}
	if err := s.run("one", func(w io.Writer) error {
		_, err := fmt.Fprint(w, "quiet\n")
		return err
	}); err != nil {
		t.Error(err)
	}
	want := errors.New("x")
	if err := s.run("two", func(io.Writer) error { return want }); err != want {
		t.Error(err)
	}
	pattern := regexp.MustCompile(`^  one \(\d+\.\d s\)\n  two: stopped \(\d+\.\d s\)\n$`)
	if !pattern.MatchString(out.String()) {
		t.Errorf("printed\n%s", out.String())
	}
}

// TestStepLine: the live line shows the last line of the program and never wraps.
func TestStepLine(t *testing.T) {
	var out strings.Builder
	st := &step{steps: &steps{out: &out, live: true}, name: "JupyterLab"}
	fmt.Fprint(st, "+ pip install x\nCollecting a\n  Down")
	fmt.Fprint(st, "loading ", strings.Repeat("é", 100), "\nhalf")
	st.draw()
	line, found := strings.CutPrefix(out.String(), "\r\x1b[K")
	if !found || utf8.RuneCountInString(line) != lineWidth ||
		!strings.Contains(line, ": Downloading é") {
		t.Errorf("%q", line)
	}
}
