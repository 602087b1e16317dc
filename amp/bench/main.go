package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

func main() {
	python := flag.String("python", "python3", "compare with torch and numpy in the Python of `PATH`")
	rounds := flag.Int("rounds", 5, "take the median of `N` rounds")
	threads := flag.String("threads", "1,2", "the numbers of threads")
	device := flag.String("device", "cpu", "measure on that `DEVICE`: cpu, cuda:0 …")
	tiny := flag.Bool("tiny", false, "measure on a few numbers, to see whether all runs")
	same := flag.Bool("trajectory", false, "compare a float16 run's losses and scales instead of speed")
	serve := flag.String("serve", "", "only measure the work of that `NAME`, when asked on stdin")
	trace := flag.Bool("trace", false, "only print the losses and scales of a run")
	flag.Parse()
	size := sizeFor(*device, *tiny)
	var err error
	switch {
	case *serve != "":
		err = serveWork(size, *serve, os.Stdin, os.Stdout)
	case *trace:
		err = printRun(os.Stdout, *tiny)
	case *same:
		err = compareRuns(*python, *device, *tiny)
	case size.gpu:
		err = compareOn(*device, size, *python, *rounds, flag.Args())
	default:
		err = compare(*python, *rounds, *threads, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// compare measures the works whose names contain one of parts, or all, and prints the table.
func compare(python string, rounds int, threads string, parts []string) error {
	peers, err := findPeers(python)
	if err != nil {
		return err
	}
	chosen, err := choose(worksOf(cpuSize), parts)
	if err != nil {
		return err
	}
	printHead(os.Stdout, peers)
	terminal := term.IsTerminal(int(os.Stderr.Fd()))
	for number := range strings.SplitSeq(threads, ",") {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return fmt.Errorf("-threads %s: numbers with commas between them are wanted", threads)
		}
		for i, w := range chosen {
			if terminal {
				fmt.Fprintf(os.Stderr, "%d of %d, %d threads: %s", i+1, len(chosen), n, w.name)
			}
			r, err := measure(peers, w, n, rounds)
			if terminal {
				fmt.Fprint(os.Stderr, "\r\033[K")
			}
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			r.print(os.Stdout, peers)
		}
	}
	return nil
}

// choose returns the works whose names contain one of parts, or all.
func choose(works []work, parts []string) ([]work, error) {
	var chosen []work
	for _, w := range works {
		if len(parts) == 0 || slices.ContainsFunc(parts, func(part string) bool {
			return strings.Contains(w.name, part)
		}) {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("nothing to measure has %s in its name", strings.Join(parts, " or "))
	}
	return chosen, nil
}

// A row is what was measured of one work.
type row struct {
	work
	threads int
	times   map[string][]time.Duration // of each round, by peer
	memory  map[string]int             // bytes
}

func newRow(w work, threads int) row {
	return row{w, threads, map[string][]time.Duration{}, map[string]int{}}
}

// measure asks the peers in turn.
func measure(peers []peer, w work, threads, rounds int) (row, error) {
	r := newRow(w, threads)
	var running []*process
	defer func() {
		for _, p := range running {
			p.stop()
		}
	}()
	for _, p := range peers {
		if !w.has(p.name) {
			continue
		}
		started, err := p.start(w.name, threads)
		if err != nil {
			return r, fmt.Errorf("%s: %w", p.name, err)
		}
		running = append(running, started)
	}
	return r, r.fill(running, rounds)
}

// fill lets the processes measure in turn.
func (r row) fill(running []*process, rounds int) error {
	for range max(1, rounds) {
		for _, p := range running {
			took, memory, err := p.round()
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			r.times[p.name] = append(r.times[p.name], took)
			r.memory[p.name] = memory
		}
	}
	return nil
}

// ratio returns how many times as fast as the peer we were, in the median of the rounds.
func (r row) ratio(peer string) float64 {
	var ratios []float64
	for i, t := range r.times[peer] {
		ratios = append(ratios, t.Seconds()/r.times[us][i].Seconds())
	}
	return median(ratios)
}

func median[T float64 | time.Duration](xs []T) T {
	xs = slices.Clone(xs)
	slices.Sort(xs)
	return xs[len(xs)/2]
}

// printHead prints the names of the columns.
func printHead(out io.Writer, peers []peer) {
	fmt.Fprintf(out, "%-37s%8s", "work", "threads")
	for _, p := range peers {
		fmt.Fprintf(out, "%10s", p.name)
	}
	fmt.Fprintf(out, "%15s", "ours")
	for _, p := range peers[1:] {
		fmt.Fprintf(out, "%12s", "× "+p.name)
	}
	fmt.Fprintf(out, "  %-14s%10s%10s\n", "wanted", "MiB", "torch's")
}

func (r row) print(out io.Writer, peers []peer) {
	fmt.Fprintf(out, "%-37s%8d", r.name, r.threads)
	for _, p := range peers {
		took := ""
		if len(r.times[p.name]) > 0 {
			took = short(median(r.times[p.name]))
		}
		fmt.Fprintf(out, "%10s", took)
	}
	fmt.Fprintf(out, "%15s", r.rate(median(r.times[us])))
	missed := ""
	for _, p := range peers[1:] {
		ratio := ""
		if len(r.times[p.name]) > 0 {
			n := r.ratio(p.name)
			if n < r.wanted[p.name] {
				missed = ", missed"
			}
			ratio = fmt.Sprintf("%.2f", n)
		}
		fmt.Fprintf(out, "%12s", ratio)
	}
	fmt.Fprintf(out, "  %-14s%10s%10s\n", r.wants(peers)+missed, mebi(r.memory, us),
		mebi(r.memory, "torch"))
}

// wants lists what is wanted against each peer.
func (r row) wants(peers []peer) string {
	var list []string
	for _, p := range peers[1:] {
		if w := r.wanted[p.name]; w > 0 {
			list = append(list, fmt.Sprintf("≥ %.2g", w))
		}
	}
	return strings.Join(list, ", ")
}

func mebi(memory map[string]int, peer string) string {
	bytes, ok := memory[peer]
	if !ok || bytes < 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", float64(bytes)/(1<<20))
}

// short prints three digits of a time.
func short(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= unit.of {
			return strconv.FormatFloat(float64(d)/float64(unit.of), 'g', 3, 64) + " " + unit.name
		}
	}
	return fmt.Sprintf("%d ns", d.Nanoseconds())
}
