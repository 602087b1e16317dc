package check

// This file measures how much names differ.

import (
	"fmt"
	"strings"
)

// nearest finds the known name that is most like a wanted one.
type nearest struct {
	want string
	best string
	dist int
	same int // letters at both ends that best shares with want
}

// newNearest returns a nearest that accepts about one mistake in three letters.
func newNearest(want string) *nearest {
	return &nearest{want: want, dist: len(want)/3 + 1}
}

// add takes a known name into account. Of two that are equally far, the one that begins and ends
// more alike is taken, then the first in the alphabet.
func (n *nearest) add(name string) {
	if name == n.want || name == "_" {
		return
	}
	want, known := strings.ToLower(n.want), strings.ToLower(name)
	d := distance(want, known)
	if d > 0 && (d >= len(name) || len(n.want) < 2) {
		return
	}
	same := sharedEnds(want, known)
	if d < n.dist || d == n.dist && n.best != "" &&
		(same > n.same || same == n.same && name < n.best) {
		n.best, n.dist, n.same = name, d, same
	}
}

// sharedEnds counts the letters with which both a and b begin, and those behind them with which
// both end.
func sharedEnds(a, b string) int {
	short := min(len(a), len(b))
	first := 0
	for first < short && a[first] == b[first] {
		first++
	}
	last := 0
	for last < short-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	return first + last
}

// String returns the question whether the name was meant, or "".
func (n *nearest) String() string {
	if n.best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", n.best)
}

// distance is the number of letters to insert, delete, replace or swap that makes b of a.
func distance(a, b string) int {
	before := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(prev[j]+cost, prev[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, prev = prev, row
	}
	return prev[len(b)]
}

// edits yields all lower-case words that differ from name by one letter.
func edits(name string) func(yield func(string) bool) {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	return func(yield func(string) bool) {
		for i := range len(name) {
			if i+1 < len(name) &&
				!yield(name[:i]+name[i+1:i+2]+name[i:i+1]+name[i+2:]) {
				return
			}
			if !yield(name[:i] + name[i+1:]) {
				return
			}
			for _, c := range letters {
				if !yield(name[:i]+string(c)+name[i+1:]) || !yield(name[:i]+string(c)+name[i:]) {
					return
				}
			}
		}
		for _, c := range letters {
			if !yield(name + string(c)) {
				return
			}
		}
	}
}
