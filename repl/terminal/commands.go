package terminal

import (
	"fmt"
	"strings"

	"halfnote/repl"
)

// spelled returns entry as the session knows it: here :name is another way to write %name.
func spelled(entry string) string {
	if name, ok := strings.CutPrefix(strings.TrimSpace(entry), ":"); ok {
		return "%" + name
	}
	return entry
}

// keysHelp is what %help says of this front end.
const keysHelp = `Enter runs what is complete; an empty line runs what is there.
Tab completes, at the start of a line it indents; Shift-Tab tells what stands at the cursor.
Ctrl-C stops a running cell or clears the line; Ctrl-D leaves.`

// answer prints what a command answers, and puts the text of the next cell under the cursor.
func (l *loop) answer(entry string, result repl.Result, out *Output) {
	if result.Page != nil {
		out.line("stdout", result.Page.Text())
		if name := strings.TrimSpace(spelled(entry)); name == "%help" || name == "%h" {
			out.line("stdout", keysHelp)
		}
	}
	if result.NextInput != "" && !l.reader.Begin(result.NextInput) {
		out.line("stdout", result.NextInput)
	}
	l.quit = result.Quit
}

// show prints what a cell or command without a prompt is answered with.
func show(result repl.Result, out *Output) {
	if result.Page != nil {
		out.line("stdout", result.Page.Text())
	}
	if result.NextInput != "" {
		out.line("stdout", result.NextInput)
	}
	if result.Shown {
		out.line("stdout", result.Bundle.Text())
	}
}

// paste is text as a terminal sends what is pasted.
func paste(text string) string {
	return fmt.Sprintf("\x1b[200~%s\x1b[201~", strings.TrimRight(text, "\n"))
}
