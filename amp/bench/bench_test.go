package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"halfnote/amp/bench/steps"
	"halfnote/tensor"
)

// TestWorks: each work can be called, and has a name of its own that the peers know.
func TestWorks(t *testing.T) {
	for _, s := range []size{cpuSize, gpuSize, sizeFor("cuda:0", true)} {
		seen := map[string]bool{}
		for _, w := range worksOf(s) {
			if seen[w.name] {
				t.Errorf("%s is there twice", w.name)
			}
			seen[w.name] = true
			kind, _, _ := strings.Cut(w.name, "/")
			kind = strings.TrimSuffix(kind, "_backward")
			if !strings.Contains(script, `"`+kind+`"`) {
				t.Errorf("testdata/peer.py does not know %s", kind)
			}
			if strings.HasPrefix(w.name, "small/") || s.tiny {
				w.make()()
			}
		}
	}
}

func TestChoose(t *testing.T) {
	works := worksOf(cpuSize)
	if all, err := choose(works, nil); err != nil || len(all) != len(works) {
		t.Errorf("%d of %d works, %v", len(all), len(works), err)
	}
	if _, err := choose(works, []string{"no such"}); err == nil {
		t.Error("works were chosen that do not exist")
	}
	some, _ := choose(works, []string{"step/mlp", "small"})
	for _, w := range some {
		if !strings.HasPrefix(w.name, "step/mlp/") && !strings.HasPrefix(w.name, "small/") {
			t.Errorf("%s was not asked for", w.name)
		}
	}
}

// TestClocks: each clock calls as often as it counts, and what it reads goes on while the calls do.
func TestClocks(t *testing.T) {
	for name, c := range map[string]clock{"events": byEvents, "host": byHost} {
		calls := 0
		x := tensor.Ones(64, 64)
		start := time.Now()
		took := c.measure(func() {
			for range 10 {
				x = x.MatMul(x).Mul(1.0 / 64)
				calls++
			}
		})
		if all := time.Since(start); took <= 0 || took > all || calls != 10 {
			t.Errorf("by %s, %d calls took %v of %v", name, calls, took, all)
		}
		if got := x.Mean().Item(); got != 1 {
			t.Errorf("by %s: the mean is %v, want 1", name, got)
		}
		calls = 0
		if took := c.median(func() { calls++ }, 0); took < 0 || calls < 1 {
			t.Errorf("by %s: %v", name, took)
		}
	}
	if gpuSize.clockOf("small/add").most != byHost.most || gpuSize.clockOf("step/mlp").most != byEvents.most ||
		cpuSize.clockOf("small/add").most != byEvents.most {
		t.Error("works have other clocks")
	}
}

// TestServe: a process answers each line with a time and its memory.
func TestServe(t *testing.T) {
	var out bytes.Buffer
	asks := strings.NewReader("0.001\nsmall/matmul\n0.001\n")
	if err := serveWork(cpuSize, "small/add", asks, &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 2 {
		t.Errorf("%d answers: %q", n, out.String())
	}
	if err := serveWork(cpuSize, "small/ad", strings.NewReader(""), &out); err == nil {
		t.Error("a work that does not exist was measured")
	}
}

// TestProcess: what a peer writes on stderr is in the error.
func TestProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := peer{name: "me", command: []string{self, "-test.run=^$", "-no-such-flag"}}
	r, err := p.start("small/add", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.round(); err == nil || !strings.Contains(err.Error(), "no-such-flag") {
		t.Errorf("%v", err)
	}
}

// TestRunsAlike: a run is like itself, and not like one whose losses or scales are others.
func TestRunsAlike(t *testing.T) {
	run := func() *steps.Run {
		r := steps.NewRun(20, 8, 12, 16, 4)
		r.Train()
		return r
	}
	want, r := run(), run()
	if !printDifference("the same", r, want) {
		t.Error("a run is not like itself")
	}
	if before := want.Scaler.InitScale; !slices.ContainsFunc(want.Scales, func(s float64) bool { return s < before }) {
		t.Errorf("no step was skipped: %v", want.Scales)
	}
	r.Losses[0] *= 1.1
	if printDifference("another loss", r, want) {
		t.Error("another loss was not seen")
	}
	r = run()
	for i := range r.Scales[:5] {
		r.Scales[i] *= 2
	}
	if printDifference("other scales", r, want) {
		t.Error("other scales were not seen")
	}
}

func TestRow(t *testing.T) {
	r := row{
		work{name: "w", unit: bytesPerSecond, amount: 2e6, wanted: map[string]float64{"torch": 3}}, 2,
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
		1234: "1.23 µs", 999: "999 ns", 1500000: "1.5 ms", 2e9: "2 s", 999499: "999 µs", 999600: "1 ms",
		0: "0 ns", 1200e9: "1.2e+03 s"} {
		if got := short(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
}

// TestTable: the columns stand under their names and apart from each other, whatever was measured.
func TestTable(t *testing.T) {
	peers := []peer{{name: us}, {name: own}, {name: "torch"}}
	for _, s := range []size{cpuSize, gpuSize, sizeFor("cuda:0", true)} {
		var out bytes.Buffer
		tab := table{out: &out, peers: peers, gpu: s.gpu, moved: map[string]float64{}}
		tab.head()
		for i, w := range worksOf(s) {
			for d := time.Duration(1); d < 1e13; d *= 7 {
				r := newRow(w, 1<<i%300)
				for k, p := range peers {
					if w.has(p.name) {
						r.times[p.name] = []time.Duration{d << (10 * k)}
						r.memory[p.name] = int(d)
					}
				}
				tab.print(r)
			}
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		var ends []int // of the columns but the last
		for _, name := range []string{"threads", us, own, "torch", "ours", "× " + own, "× torch"} {
			head, _, _ := strings.Cut(lines[0]+" ", name+" ")
			ends = append(ends, utf8.RuneCountInString(head+name))
		}
		for _, line := range lines[1:] {
			runes := []rune(line)
			for _, end := range ends {
				if end < len(runes) && runes[end] != ' ' {
					t.Fatalf("columns are not apart:\n%s\n%s", lines[0], line)
				}
			}
		}
	}
}

// TestBesideCopy: a row that moves as much in a second as copies of its size do is once as fast.
func TestBesideCopy(t *testing.T) {
	tab := table{gpu: true, moved: map[string]float64{}}
	beside := func(name string, amount float64) float64 {
		return tab.besideCopy(row{work: work{name: name, unit: bytesPerSecond, amount: amount},
			times: map[string][]time.Duration{us: {time.Second}}})
	}
	for _, test := range []struct {
		name         string
		amount, want float64
	}{{"add/64", 600, 0}, {"copy/64", 800, 1}, {"add/64", 600, 0.75}, {"add/32", 600, 0}} {
		if got := beside(test.name, test.amount); got != test.want {
			t.Errorf("%s is %v as fast, want %v", test.name, got, test.want)
		}
	}
}
