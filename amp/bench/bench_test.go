package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// TestWorks: each work can be called, and has a name of its own that the peers know.
func TestWorks(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range works {
		if seen[w.name] {
			t.Errorf("%s is there twice", w.name)
		}
		seen[w.name] = true
		kind, _, _ := strings.Cut(w.name, "/")
		kind = strings.TrimSuffix(kind, "_backward")
		if !strings.Contains(script, `"`+kind+`"`) {
			t.Errorf("testdata/peer.py does not know %s", kind)
		}
		if strings.HasPrefix(w.name, "small/") {
			w.make()()
		}
	}
}

func TestChoose(t *testing.T) {
	if all := choose(nil); len(all) != len(works) {
		t.Errorf("%d of %d works", len(all), len(works))
	}
	for _, w := range choose([]string{"step/mlp", "small"}) {
		if !strings.HasPrefix(w.name, "step/mlp/") && !strings.HasPrefix(w.name, "small/") {
			t.Errorf("%s was not asked for", w.name)
		}
	}
}

// TestServe: a process answers each line with a time and its memory.
func TestServe(t *testing.T) {
	var out bytes.Buffer
	if err := serveWork("small/add", strings.NewReader("0.001\n0.001\n"), &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 2 {
		t.Errorf("%d answers: %q", n, out.String())
	}
	if err := serveWork("small/ad", strings.NewReader(""), &out); err == nil {
		t.Error("a work that does not exist was measured")
	}
}

// TestProcess: what a peer writes on stderr is in the error.
func TestProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := peer{"me", []string{self, "-test.run=^$", "-no-such-flag"}}
	r, err := p.start("small/add", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.round(); err == nil || !strings.Contains(err.Error(), "no-such-flag") {
		t.Errorf("%v", err)
	}
}

func TestRow(t *testing.T) {
	r := row{
		work{name: "w", unit: "GB/s", amount: 2e6, wanted: map[string]float64{"torch": 3}}, 2,
		map[string][]time.Duration{us: {1e6, 2e6, 1e6}, "torch": {2e6, 4e6, 9e6}},
		map[string]int{us: 3 << 20, "torch": -1},
	}
	if got := r.ratio("torch"); got != 2 {
		t.Errorf("ratio %v, want the median 2", got)
	}
	if got := r.rate(1e6); got != "2 GB/s" {
		t.Errorf("rate %q", got)
	}
	if got := mebi(r.memory, us) + mebi(r.memory, "torch") + mebi(r.memory, "numpy"); got != "3.0" {
		t.Errorf("memory %q", got)
	}
	for d, want := range map[time.Duration]string{
		1234: "1.23 µs", 999: "999 ns", 1500000: "1.5 ms", 2e9: "2 s"} {
		if got := short(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
}
