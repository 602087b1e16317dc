package repl_test

import (
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"halfnote/repl"
)

// TestWhoRuns: %who -g tells of goroutines where they were started and what they wait for.
func TestWhoRuns(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "ch := make(chan int)\nfor range 2 {\n\tgo func() { ch <- 1 }()\n}")
	want := regexp.MustCompile(`^cell 1:3:2 +0s +(select|chan send) +go func\(\) { ch <- 1 }\(\)\n$`)
	var got string
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		got = eval(t, s, "%who -g")
		if lines := strings.SplitAfter(got, "\n"); len(lines) == 3 &&
			want.MatchString(lines[0]) && want.MatchString(lines[1]) {
			break
		}
		runtime.Gosched()
	}
	if n := strings.Count(got, "cell 1:3:2"); n != 2 {
		t.Errorf("got %q", got)
	}
	eval(t, s, "<-ch; <-ch")
	for strings.Contains(got, "cell 1") {
		got = eval(t, s, "%who -g")
	}
}

// TestRecursionBetweenCells: a goroutine that calls itself without end is stopped when no cell runs,
// too, and the session goes on.
func TestRecursionBetweenCells(t *testing.T) {
	s := repl.New(repl.Config{})
	told := make(chan string, 9)
	out := &teller{told: told}
	_, err := s.Eval(t.Context(), "start := make(chan bool)\nfunc deep(n int) int { return deep(n+1) + 1 }\n"+
		"go func() { time.Sleep(20 * time.Millisecond); deep(0) }()", out)
	if err != nil {
		t.Fatal(err)
	}
	const want = "the goroutines of cells were stopped: runtime error: stack overflow"
	for text := range told {
		if strings.Contains(text, "stopped") {
			if !strings.HasPrefix(text, want) {
				t.Errorf("told %q", text)
			}
			break
		}
	}
	if got := eval(t, s, "%who -g"); got != "no goroutine of a cell runs\n" {
		t.Errorf("after it: %q", got)
	}
}

// teller is an output that passes on what is written.
type teller struct {
	recorder
	told chan string
}

func (o *teller) Stream(_, text string) { o.told <- text }
