package main

// This file implements what is printed.

import (
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"golang.org/x/term"
)

// A progress is the line that says on a terminal how far the run is.
type progress struct {
	w          io.Writer // nil if nobody sees it
	done, all  int
	notPassing int
}

func newProgress(f *os.File, all int) *progress {
	p := &progress{all: all}
	if term.IsTerminal(int(f.Fd())) {
		p.w = f
	}
	return p
}

func (p *progress) note(res result) {
	p.done++
	if res.kind != "" {
		p.notPassing++
	}
	if p.w != nil {
		fmt.Fprintf(p.w, "\r\x1b[K%d of %d, %d failed: %s", p.done, p.all, p.notPassing, res.name())
	}
}

func (p *progress) end() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// printTable prints a line for each folder, and one for all of them if there are several.
func printTable(w io.Writer, results []result) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "folder\tpassed\ttaken\t")
	for _, k := range kinds {
		fmt.Fprintf(t, "%s\t", k)
	}
	fmt.Fprintln(t)
	var folders []string
	for _, res := range results {
		if name := folderOf(res.program); !slices.Contains(folders, name) {
			folders = append(folders, name)
		}
	}
	for _, name := range folders {
		printFolder(t, name, slices.DeleteFunc(slices.Clone(results), func(res result) bool {
			return folderOf(res.program) != name
		}))
	}
	if len(folders) > 1 {
		printFolder(t, "all", results)
	}
	t.Flush()
	fmt.Fprintln(w)
}

func printFolder(w io.Writer, name string, results []result) {
	count := map[kind]int{}
	for _, res := range results {
		count[res.kind]++
	}
	fmt.Fprintf(w, "%s\t%d\t%d\t", name, count[""], len(results))
	for _, k := range kinds {
		fmt.Fprintf(w, "%d\t", count[k])
	}
	fmt.Fprintln(w)
}

// printFailures prints a line for each failure and, where the table has it, its reason; and one for
// what passed just in time.
func printFailures(w io.Writer, results []result, rows []row) (unknown int) {
	for _, res := range results {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == res.name() })
		if res.kind == "" {
			if res.slow > 0 && i < 0 {
				fmt.Fprintf(w, "%s: passes, but took %.1f s\n", res.name(), res.slow.Seconds())
			}
			continue
		}
		switch {
		case i < 0:
			unknown++
			fmt.Fprintf(w, "%s: %s, not in the table\n", res.name(), res.kind)
		case rows[i].kind != res.kind:
			unknown++
			fmt.Fprintf(w, "%s: %s, in the table as %s\n", res.name(), res.kind, rows[i].kind)
		default:
			fmt.Fprintf(w, "%s: %s, known: %s\n", res.name(), res.kind, rows[i].reason)
		}
		fmt.Fprintf(w, "\t%s\n", clipped(res.line))
	}
	return unknown
}

// clipped is a line that is not too long to read.
func clipped(line string) string {
	const most = 200
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}

// printCount prints a line about n things, if there are any.
func printCount(w io.Writer, n int, one, more string) {
	switch n {
	case 0:
	case 1:
		fmt.Fprintln(w, n, one)
	default:
		fmt.Fprintln(w, n, more)
	}
}
