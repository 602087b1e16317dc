package main

// This file implements the table: a row for each work.

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

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

// A table prints rows.
type table struct {
	out   io.Writer
	peers []peer
	gpu   bool
	moved map[string]float64 // bytes in a second, by copies of so many elements
}

// line prints a cell in each column.
func (t *table) line(cells ...string) {
	format := "%-42s%8s" + strings.Repeat("%11s", len(t.peers)) + "%17s" + strings.Repeat("%12s", len(t.peers)-1) +
		"%10s%10s  %s"
	all := make([]any, len(cells))
	for i, c := range cells {
		all[i] = c
	}
	fmt.Fprintln(t.out, strings.TrimRight(fmt.Sprintf(format, all...), " "))
}

// head prints the names of the columns.
func (t *table) head() {
	cells := []string{"work", "threads"}
	for _, p := range t.peers {
		cells = append(cells, p.name)
	}
	cells = append(cells, "ours")
	for _, p := range t.peers[1:] {
		cells = append(cells, "× "+p.name)
	}
	if t.gpu {
		cells = append(cells, "× copy", "")
	} else {
		cells = append(cells, "MiB", "torch's")
	}
	t.line(append(cells, "wanted")...)
}

func (t *table) print(r row) {
	cells := []string{r.name, strconv.Itoa(r.threads)}
	for _, p := range t.peers {
		took := ""
		if len(r.times[p.name]) > 0 {
			took = short(median(r.times[p.name]))
		}
		cells = append(cells, took)
	}
	cells = append(cells, r.rate(median(r.times[us])))
	missed := ""
	beside := func(name string, n float64) {
		if n < r.wanted[name] {
			missed = ", missed"
		}
		cells = append(cells, strconv.FormatFloat(n, 'g', 3, 64))
	}
	for _, p := range t.peers[1:] {
		if len(r.times[p.name]) > 0 {
			beside(p.name, r.ratio(p.name))
		} else {
			cells = append(cells, "")
		}
	}
	if t.gpu {
		if n := t.besideCopy(r); n > 0 {
			beside(copied, n)
		} else {
			cells = append(cells, "")
		}
		cells = append(cells, "")
	} else {
		cells = append(cells, mebi(r.memory, us), mebi(r.memory, "torch"))
	}
	t.line(append(cells, r.wants(t.peers)+missed)...)
}

// besideCopy returns how many times as fast as a copy of as many elements r goes through memory, or 0
// where it is not known.
func (t *table) besideCopy(r row) float64 {
	name, count, _ := strings.Cut(r.name, "/")
	if r.unit != bytesPerSecond {
		return 0
	}
	rate := r.amount / median(r.times[us]).Seconds()
	if name == copied {
		t.moved[count] = rate
	}
	if t.moved[count] == 0 {
		return 0
	}
	return rate / t.moved[count]
}

// wants lists what is wanted against each peer.
func (r row) wants(peers []peer) string {
	var list []string
	for _, p := range append(peers[1:len(peers):len(peers)], peer{name: copied}) {
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
func short(d time.Duration) string { return scaled(float64(d), "s", "n", "µ", "m", "") }

// scaled prints three digits of v, in the unit with the prefix that leaves it below 1000. Each prefix
// is a thousand times the one before.
func scaled(v float64, unit string, prefixes ...string) string {
	for v >= 999.5 && len(prefixes) > 1 {
		v, prefixes = v/1000, prefixes[1:]
	}
	return fmt.Sprintf("%.3g %s%s", v, prefixes[0], unit)
}
