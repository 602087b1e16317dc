package main

// This file implements the judgement of what a program did in halfnote.

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// A kind says how a program failed; it is empty if it passed.
type kind string

const (
	output   kind = "output"
	exit     kind = "exit"
	late     kind = "time"
	memory   kind = "memory"
	refused  kind = "refused"
	internal kind = "internal"
)

// kinds are all kinds of failures, in the order of the report.
var kinds = []kind{output, exit, late, memory, refused, internal}

// A wanted is what a program must do.
type wanted struct {
	output *string // nil if any will do
	fails  bool    // exits with 1, which is what go run makes of each failure
	dies   bool    // by a panic, after the output
	panics string  // what Go says of the panic, if that can be compared
}

var (
	cannotRun = regexp.MustCompile(`(?m)^.*halfnote cannot run .* yet.*$`)
	ownError  = regexp.MustCompile(`(?m)^.*\binternal error\b.*$`)
	stack     = regexp.MustCompile(`(?m)^goroutine \d+ .*\[.*\]:$`)
	died      = regexp.MustCompile(`(?m)^(fatal error: |panic: |SIG|unexpected fault|runtime: ).*$`)
)

// judge says how a program failed, and in a line what is to be seen of it.
func judge(did ended, want wanted, most limit) (kind, string) {
	switch {
	case did.late:
		return late, fmt.Sprintf("not ended after %v", most.time.Round(100*time.Millisecond))
	case did.exit < 0:
		return internal, "ended by a signal: " + first(did.output)
	case did.exit == 2 && stack.MatchString(did.output):
		// The process of halfnote died: what a program does ends in exit status 1.
		return internal, died.FindString(did.output)
	case did.memory > most.memory:
		return memory, fmt.Sprintf("%d MiB", did.memory>>20)
	}
	failed := did.exit != 0
	differs := want.differs(did.output)
	refusal := cannotRun.FindString(did.output)
	fault := ownError.FindString(did.output)
	switch {
	case failed == want.fails && differs == "":
		return "", ""
	case failed && refusal != "":
		return refused, strings.TrimSpace(refusal)
	case failed && fault != "":
		return internal, strings.TrimSpace(fault)
	case failed == want.fails:
		return output, differs
	}
	return exit, fmt.Sprintf("exit status %d: %s", did.exit, first(did.output))
}

// differs says where a program's output is another than the wanted one.
func (w wanted) differs(got string) string {
	if w.output == nil {
		return ""
	}
	want := *w.output
	if !w.dies {
		return difference(got, want)
	}
	// Halfnote says in its own way where a panic began; what it began with is the program's.
	rest, ok := strings.CutPrefix(got, want)
	if !ok {
		return difference(got[:min(len(got), len(want))], want)
	}
	if !strings.Contains(rest, w.panics) {
		return fmt.Sprintf("no panic %q in %q", w.panics, first(rest))
	}
	return ""
}

// difference is the first line in which two texts differ.
func difference(got, want string) string {
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			return fmt.Sprintf("line %d: nothing, want %q", i+1, w[i])
		case i >= len(w):
			return fmt.Sprintf("line %d: %q, want nothing", i+1, g[i])
		case g[i] != w[i]:
			return fmt.Sprintf("line %d: %q, want %q", i+1, g[i], w[i])
		}
	}
	return ""
}

// first is the first line of a text that has something on it.
func first(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return "no output"
}
