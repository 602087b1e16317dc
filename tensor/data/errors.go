package data

import (
	"fmt"
	"strings"
)

// An Error says what is wrong with a file, and where.
type Error struct {
	Op           string // the loader: idx, csv, folder, text or mnist
	Path         string // the file or folder; empty for a reader
	Line, Column int    // from 1 on; 0 where there is none. A column is a field of a table
	Msg          string // the rule that is broken, and the way out where there is one
	Err          error  // what was met below, or nil
}

// Error returns all of it in one line, such as
// `csv: iris.csv: line 3, column 2: "petal" has no value`.
func (e *Error) Error() string {
	parts := []string{e.Op}
	if e.Path != "" {
		parts = append(parts, e.Path)
	}
	switch {
	case e.Line > 0 && e.Column > 0:
		parts = append(parts, fmt.Sprintf("line %d, column %d", e.Line, e.Column))
	case e.Line > 0:
		parts = append(parts, fmt.Sprintf("line %d", e.Line))
	}
	if e.Msg != "" {
		parts = append(parts, e.Msg)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns what was met below.
func (e *Error) Unwrap() error { return e.Err }
