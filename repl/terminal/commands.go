package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"halfnote/repl/display"
)

// command is something to tell the front end, in place of a cell.
type command struct {
	names []string // without the % or : in front
	help  string
	run   func(l *loop, w io.Writer)
}

var commands []command

func init() { // help prints the table it stands in
	commands = []command{
		{[]string{"help", "h"}, "this list", (*loop).help},
		{[]string{"quit", "q", "exit"}, "leave, as Ctrl-D does", func(l *loop, _ io.Writer) {
			l.quit = true
		}},
	}
}

// command runs entry if it is a command, written %name or :name, and tells whether it was one.
func (l *loop) command(entry string) bool {
	entry = strings.TrimSpace(entry)
	if entry == "" || entry[0] != '%' && entry[0] != ':' || strings.Contains(entry, "\n") {
		return false
	}
	name := strings.TrimSpace(entry[1:])
	for _, c := range commands {
		if slices.Contains(c.names, name) {
			c.run(l, l.cfg.Out)
			return true
		}
	}
	word, _, _ := strings.Cut(name, " ")
	fmt.Fprintf(l.cfg.Err, "%c%s: no such command; %%help lists them\n", entry[0], word)
	return true
}

func (l *loop) help(w io.Writer) {
	color := l.cfg.Color
	fmt.Fprint(w, `Type Go: statements, declarations, expressions. The last expression is shown.
Enter runs what is complete; an empty line runs what is there.
Ctrl-C stops a running cell or clears the line; Ctrl-D leaves.

`)
	for _, c := range commands {
		names := fmt.Sprintf("%-18s", "%"+strings.Join(c.names, ", :"))
		fmt.Fprintf(w, "  %s  %s\n", display.StyleHelp.Paint(names, color), c.help)
	}
}
