package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/term"
)

func main() {
	python := flag.String("python", "python3", "compare with torch and numpy in the Python of `PATH`")
	rounds := flag.Int("rounds", 5, "take the median of `N` rounds")
	threads := flag.String("threads", "1,2", "the numbers of threads")
	serve := flag.String("serve", "", "only measure the work of that `NAME`, when asked on stdin")
	flag.Parse()
	var err error
	if *serve != "" {
		err = serveWork(*serve, os.Stdin, os.Stdout)
	} else {
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
	chosen := choose(parts)
	if len(chosen) == 0 {
		return fmt.Errorf("nothing to measure has %s in its name", strings.Join(parts, " or "))
	}
	again := "\n" // what comes before the next line of progress
	if term.IsTerminal(int(os.Stderr.Fd())) {
		again = "\r\033[K"
	}
	var rows []row
	for number := range strings.SplitSeq(threads, ",") {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return fmt.Errorf("-threads %s: numbers with commas between them are wanted", threads)
		}
		for i, w := range chosen {
			fmt.Fprintf(os.Stderr, "%s%d of %d, %d threads: %s", again, i+1, len(chosen), n, w.name)
			r, err := measure(peers, w, n, rounds)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			rows = append(rows, r)
		}
	}
	fmt.Fprint(os.Stderr, again)
	return print(rows, peers)
}

func choose(parts []string) []work {
	var chosen []work
	for _, w := range works {
		if len(parts) == 0 || slices.ContainsFunc(parts, func(part string) bool {
			return strings.Contains(w.name, part)
		}) {
			chosen = append(chosen, w)
		}
	}
	return chosen
}

// A row is what was measured of one work.
type row struct {
	work
	threads int
	times   map[string][]time.Duration // of each round, by peer
	memory  map[string]int             // bytes
}

// measure asks the peers in turn.
func measure(peers []peer, w work, threads, rounds int) (row, error) {
	r := row{w, threads, map[string][]time.Duration{}, map[string]int{}}
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
	for range max(1, rounds) {
		for _, p := range running {
			took, memory, err := p.round()
			if err != nil {
				return r, fmt.Errorf("%s: %w", p.name, err)
			}
			r.times[p.name] = append(r.times[p.name], took)
			r.memory[p.name] = memory
		}
	}
	return r, nil
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

func print(rows []row, peers []peer) error {
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "work\tthreads\t")
	for _, p := range peers {
		fmt.Fprintf(t, "%s\t", p.name)
	}
	fmt.Fprint(t, "ours\t")
	for _, p := range peers[1:] {
		fmt.Fprintf(t, "× %s\t", p.name)
	}
	fmt.Fprint(t, "wanted\tMiB\ttorch's\t\n")
	for _, r := range rows {
		r.print(t, peers)
	}
	return t.Flush()
}

func (r row) print(t *tabwriter.Writer, peers []peer) {
	fmt.Fprintf(t, "%s\t%d\t", r.name, r.threads)
	for _, p := range peers {
		if len(r.times[p.name]) == 0 {
			fmt.Fprint(t, "\t")
			continue
		}
		fmt.Fprintf(t, "%s\t", short(median(r.times[p.name])))
	}
	fmt.Fprintf(t, "%s\t", r.rate(median(r.times[us])))
	missed := ""
	for _, p := range peers[1:] {
		if len(r.times[p.name]) == 0 {
			fmt.Fprint(t, "\t")
			continue
		}
		ratio := r.ratio(p.name)
		if ratio < r.wanted[p.name] {
			missed = " missed"
		}
		fmt.Fprintf(t, "%.2f\t", ratio)
	}
	fmt.Fprintf(t, "%s%s\t%s\t%s\t\n", r.wants(peers), missed, mebi(r.memory, us),
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
