package repl_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"halfnote/repl"
)

// TestWhoRuns: %who -g tells of goroutines where they were started and what they wait for.
func TestWhoRuns(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "ch := make(chan int)\nfor range 2 {\n\tgo func() { ch <- 1 }()\n}")
	want := regexp.MustCompile(
		`^(cell 1:3:2 +\d+s +(select|chan send) +go func\(\) { ch <- 1 }\(\)\n){2}$`)
	var got string
	for begun := time.Now(); !want.MatchString(got); got = eval(t, s, "%who -g") {
		if time.Since(begun) > patience {
			t.Fatalf("got %q", got)
		}
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
	_, err := s.Eval(t.Context(), "func deep(n int) int { return deep(n+1) + 1 }\n"+
		"go func() { for os.Getenv(`HALFNOTE_TEST_DEEP`) == `` { time.Sleep(1) }; deep(0) }()", out)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HALFNOTE_TEST_DEEP", "now")
	const want = "the goroutines of cells were stopped: runtime error: stack overflow"
	for text := range told {
		if strings.Contains(text, "stopped") {
			if !strings.HasPrefix(text, want) {
				t.Errorf("told %q", text)
			}
			break
		}
	}
	for begun := time.Now(); eval(t, s, "%who -g") != "no goroutine of a cell runs\n"; {
		if time.Since(begun) > patience {
			t.Fatalf("after it: %q", eval(t, s, "%who -g"))
		}
	}
}

// teller is an output that passes on what is written.
type teller struct {
	recorder
	told chan string
}

func (o *teller) Stream(_, text string) { o.told <- text }
