package main

// This file implements the table of what is known to fail.

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A row says that a program is known to fail, and why.
type row struct {
	name   string // folder/file
	kind   kind
	reason string
}

// noReason stands where nobody has looked yet.
const noReason = "?"

const tableHead = `# Programs that do not do in halfnote what they do in Go, each with the kind of its failure and the
# reason. go run ./repl/compare tells what is not in here; with -update it brings this up to date.
`

func readTable(r io.Reader) ([]row, error) {
	var rows []row
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fmt.Errorf("line %d: want a program, a kind and a reason", n)
		}
		k := kind(fields[1])
		if !slices.Contains(kinds, k) {
			return nil, fmt.Errorf("line %d: no kind of failure is %q", n, k)
		}
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == fields[0] })
		if i >= 0 {
			return nil, fmt.Errorf("line %d: %s has a row already", n, fields[0])
		}
		rows = append(rows, row{fields[0], k, strings.Join(fields[2:], " ")})
	}
	return rows, lines.Err()
}

func writeTable(w io.Writer, rows []row) error {
	if _, err := io.WriteString(w, tableHead); err != nil {
		return err
	}
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.name, b.name) })
	for _, r := range rows {
		if _, err := fmt.Fprintf(w, "%-36s %-8s %s\n", r.name, r.kind, r.reason); err != nil {
			return err
		}
	}
	return nil
}

// known reports whether the table has a failure, of the same kind.
func known(rows []row, res result) bool {
	return slices.ContainsFunc(rows, func(r row) bool {
		return r.name == res.name() && r.kind == res.kind
	})
}

// passing returns the rows whose programs passed. Not among them is what was not run, was not judged
// as it was for the row, or has passed just in time.
func passing(rows []row, results []result, judged func(program) bool) []row {
	var pass []row
	for _, res := range results {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == res.name() })
		if i < 0 || res.kind != "" || rows[i].kind == output && !judged(res.program) ||
			rows[i].kind == late && res.slow > 0 {
			continue
		}
		pass = append(pass, rows[i])
	}
	return pass
}

// updated returns the table after a run: without the rows that pass now, with a row for each
// failure. A reason stays with its kind of failure.
func updated(rows []row, results []result, judged func(program) bool) []row {
	pass := passing(rows, results, judged)
	kept := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return slices.Contains(pass, r) })
	for _, res := range results {
		if res.kind == "" || known(kept, res) {
			continue
		}
		kept = slices.DeleteFunc(kept, func(r row) bool { return r.name == res.name() })
		kept = append(kept, row{res.name(), res.kind, noReason})
	}
	return kept
}
