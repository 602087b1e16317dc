package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// TestMain makes this test's own process stand in for a peer where it is run as one.
func TestMain(m *testing.M) {
	switch says := os.Getenv("BENCH_SAYS"); says {
	case "":
		os.Exit(m.Run())
	case "fails":
		fmt.Fprintln(os.Stderr, "bad")
		os.Exit(1)
	default:
		fmt.Print(strings.Trim(says, "-"))
	}
}

// TestPrograms: each work has the programs of all who do it.
func TestPrograms(t *testing.T) {
	for _, w := range works {
		for _, p := range []peer{{name: "Python", ext: ".py"}, {name: "PyTorch", ext: ".py"},
			{name: "halfnote", ext: ".go"}} {
			if _, err := sources.Open("testdata/" + w.name + p.ext); p.does(w) && err != nil {
				t.Error(err)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	if all, err := choose(nil); err != nil || len(all) != len(works) {
		t.Errorf("%v, %v", all, err)
	}
	if some, err := choose([]string{"maps", "fib"}); err != nil || len(some) != 2 ||
		some[0].name != "maps" || some[1].name != "fib" {
		t.Errorf("%v, %v", some, err)
	}
	if _, err := choose([]string{"maps", "sets"}); err == nil ||
		err.Error() != `nothing to measure is called "sets"` {
		t.Error(err)
	}
}

func TestPeer(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := peer{"me", ".go", []string{self}}
	for says, result := range map[string]string{"42 0.25\n": "42", "-": ""} {
		t.Setenv("BENCH_SAYS", says)
		got, took, err := p.run("x")
		if err != nil || got != result {
			t.Errorf("%q: %q, %v", says, got, err)
		}
		if result != "" && took != 250*time.Millisecond || took <= 0 {
			t.Errorf("%q: took %v", says, took)
		}
	}
	for says, msg := range map[string]string{"fails": "bad", "42": "invalid syntax"} {
		t.Setenv("BENCH_SAYS", says)
		if _, _, err := p.run("x"); err == nil || !strings.Contains(err.Error(), msg) {
			t.Errorf("%q: %v, want %s", says, err, msg)
		}
	}
}

func TestRow(t *testing.T) {
	runners := []peer{{name: "go build"}, {name: "yaegi"}, {name: "halfnote"}}
	best := map[string]time.Duration{
		"go build": time.Millisecond, "yaegi": 300 * time.Millisecond, "halfnote": 200 * time.Millisecond,
	}
	for last, w := range map[string]work{
		"≥ 1.00 × yaegi":         {what: "work", wanted: 1, than: "yaegi"},
		"≥ 3.00 × yaegi: missed": {what: "work", wanted: 3, than: "yaegi"},
		"≥ 9.00 × PyTorch":       {what: "work", wanted: 9, than: "PyTorch"},
		"≤ 200 ms":               {what: "work", most: 200 * time.Millisecond},
		"≤ 199 ms: missed":       {what: "work", most: 199 * time.Millisecond},
	} {
		var b bytes.Buffer
		table := tabwriter.NewWriter(&b, 0, 0, 0, ' ', tabwriter.Debug)
		printRow(table, w, runners, best)
		table.Flush()
		if want := "work|1.00|300.00|200.00|0.01 ×|||1.50 ×|" + last + "|\n"; b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
}
