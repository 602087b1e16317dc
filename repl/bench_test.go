package repl_test

import (
	"os"
	"testing"

	"halfnote/repl"
)

// BenchmarkCell: from a cell's text to its result, nearly all of it check, lower and compile. The
// cell of a hundred lines defines the same types and functions anew each time, as one that is run
// again does. Wanted are 1 ms for the trivial one and 30 ms for a hundred lines.
func BenchmarkCell(b *testing.B) {
	hundred, err := os.ReadFile("testdata/hundred.go.txt")
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct{ name, src string }{
		{"trivial", "1 + 1"},
		{"print", `fmt.Println("x")`},
		{"hundred_lines", string(hundred)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s := repl.New(repl.Config{})
			for b.Loop() {
				var out recorder
				if _, err := s.Eval(b.Context(), bench.src, &out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart: a new session and its first cell. Wanted are 60 ms, of a new process too, which
// repl/bench measures.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		var out recorder
		if _, err := repl.New(repl.Config{}).Eval(b.Context(), "1 + 1", &out); err != nil {
			b.Fatal(err)
		}
	}
}
