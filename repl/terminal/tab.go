package terminal

// This file implements Tab, which completes what stands before the cursor, and Shift-Tab, which
// tells what it is.

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"halfnote/repl"
	"halfnote/repl/display"
)

// Helper answers questions about a cell that is being written. A *repl.Session is one.
type Helper interface {
	Complete(src string, off int) repl.Completion
	Inspect(src string, off, detail int) (display.Bundle, bool)
}

const (
	tab = '\t'
	// shiftTab stands for the key among those that are typed; it is no character.
	shiftTab = '\ufdd0'

	shiftTabSequence = "\x1b[Z"

	indent = "    "
	// mostItems is how many completions are listed.
	mostItems = 60
	// fewItems is up to how many are listed with what they are.
	fewItems = 12
	// helpLines is how many lines of help are shown at once; when asked again all are.
	helpLines = 12
)

// pressed handles a key at the place pos of the line. Ok is false for keys that are not its own.
func (e *editor) pressed(line string, pos int, key rune) (newLine string, newPos int, ok bool) {
	again := e.asked == line && line != ""
	e.asked = ""
	switch key {
	case tab:
		if e.helper == nil || strings.TrimSpace(line[:pos]) == "" {
			return line[:pos] + indent + line[pos:], pos + len(indent), true
		}
		newLine, newPos = e.complete(line, pos)
		return newLine, newPos, true
	case shiftTab:
		if e.helper != nil {
			e.explain(line, pos, again)
			e.asked = line
		}
		return line, pos, true
	}
	return "", 0, false
}

// question is the entry with the line that is edited, as the session knows it.
func (e *editor) question(line string) string {
	if rest, ok := strings.CutPrefix(line, ":"); ok && e.entry == "" {
		line = "%" + rest
	}
	return e.entry + line
}

// complete writes what all completions have in common, or lists them.
func (e *editor) complete(line string, pos int) (newLine string, newPos int) {
	c := e.helper.Complete(e.question(line), len(e.entry)+pos)
	start := c.Start - len(e.entry)
	if len(c.Items) == 0 || start < 0 || start > pos {
		return line, pos
	}
	text := c.Items[0].Text
	for _, item := range c.Items[1:] {
		text = common(text, item.Text)
	}
	typed := e.question(line)[c.Start : len(e.entry)+pos]
	if len(c.Items) > 1 && (len(text) <= len(typed) || !strings.HasPrefix(text, typed)) {
		fmt.Fprintln(e.term, listed(c.Items, e.width))
		return line, pos
	}
	if strings.HasPrefix(line[start:], ":") && strings.HasPrefix(text, "%") {
		text = ":" + text[1:]
	}
	end := min(max(c.End-len(e.entry), pos), len(line))
	if len(c.Items) > 1 {
		end = pos // the rest of a word stays until it is clear which one is meant
	}
	return line[:start] + text + line[end:], start + len(text)
}

// common returns what two texts begin with.
func common(a, b string) string {
	n := 0
	for i, r := range a {
		size := utf8.RuneLen(r)
		if size < 0 || !strings.HasPrefix(b[n:], a[i:i+size]) {
			break
		}
		n = i + size
	}
	return a[:n]
}

// listed writes completions for people: a few with what they are, many in columns.
func listed(items []repl.CompletionItem, width int) string {
	names := make([]string, 0, len(items))
	longest := 0
	for _, item := range items[:min(len(items), mostItems)] {
		names = append(names, item.Text)
		longest = max(longest, utf8.RuneCountInString(item.Text))
	}
	if len(items) <= fewItems {
		for i, item := range items {
			what := item.Signature
			if what == "" {
				what = item.Kind
			}
			names[i] = strings.TrimRight(padded(item.Text, longest+2)+what, " ")
			if runes := []rune(names[i]); len(runes) >= width {
				names[i] = string(runes[:max(width-2, 0)]) + "…"
			}
		}
		return strings.Join(names, "\n")
	}
	text := inColumns(names, longest+2, width)
	if more := len(items) - len(names); more > 0 {
		text += fmt.Sprintf("\n… and %d more", more)
	}
	return text
}

// inColumns writes names in columns, the first ones below each other.
func inColumns(names []string, column, width int) string {
	columns := max(1, (width-1)/column)
	rows := (len(names) + columns - 1) / columns
	lines := make([]string, rows)
	for i, name := range names {
		lines[i%rows] += padded(name, column)
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// explain prints what stands at the cursor, in whole if that was asked before.
func (e *editor) explain(line string, pos int, again bool) {
	b, ok := e.helper.Inspect(e.question(line), len(e.entry)+pos, 0)
	if !ok {
		return
	}
	lines := strings.Split(b.Text(), "\n")
	if more := len(lines) - helpLines; more > 1 && !again {
		lines = append(lines[:helpLines],
			fmt.Sprintf("… and %d more lines: Shift-Tab again", more))
	}
	fmt.Fprintln(e.term, strings.Join(lines, "\n"))
}
