package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

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
	t := table{out: os.Stdout, peers: peers}
	t.head()
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
			t.print(r)
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
