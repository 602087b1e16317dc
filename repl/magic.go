package repl

// This file implements cells that are no Go: commands, written as in IPython.
//
//	%load FILE   %%prof   ?x   x?   ??x

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"halfnote/repl/check"
	"halfnote/repl/display"
	"halfnote/repl/docs"
	"halfnote/repl/symbols"
)

// command is an entry of the table that gives running and help.
type command struct {
	names []string // without the % in front; help shows the first
	args  string
	help  string
	run   func(s *Session, c call, res *Result) error
	cell  bool // it may also stand above the lines of a cell, as %%name
}

// fileArg stands for a file in args.
const fileArg = "FILE"

var commands []command

func init() { // help prints the table it stands in
	commands = []command{
		{names: []string{"help", "h"}, help: "this list", run: helpCommand},
		{names: []string{"load"}, args: fileArg, help: "begin the next cell with the text of a file",
			run: loadCommand},
		{names: []string{"who"}, args: "[-g]", help: "what is defined; with -g the goroutines that run",
			run: whoCommand},
		{names: []string{"prof"}, args: "CODE", help: "run code and show what each op of tensors took; " +
			"%%prof for the lines of a cell", run: profCommand, cell: true},
		{names: []string{"tb"}, help: "the last error, with all calls that led to it", run: tbCommand},
		{names: []string{"autoimport"}, args: "[on | off]", help: "import packages by their names",
			run: autoimportCommand},
		{names: []string{"quit", "q", "exit"}, help: "end the session", run: quitCommand},
	}
}

// unmade are the commands of IPython that are still to be made.
const unmade = " rm reset type time timeit test bench get run save cd env history version " +
	"writefile bash sh script capture "

// call is a command as it stands in a cell.
type call struct {
	cell      string
	text      string // the line, without blanks around it
	line, col int    // where that begins
	name, arg string // name has its % or %%; it is "?" or "??" for help on arg
	more      bool   // more text follows on other lines
	code      string // the cell with blanks in the place of name
	out       display.Output

	// eval runs the cell as Go that has code for its text. around runs what has been compiled.
	eval func(code string, around func(run func() error) error) (Result, error)
}

// helpAfter matches a name with the question marks behind it. Go has no question marks but in
// comments and strings.
var helpAfter = regexp.MustCompile(`^(%{0,2}[\pL_"][\pL\pN_."/\[\]*,-]*)(\?\??)$`)

// parseCommand reads a cell that is a command; ok is false for Go.
func parseCommand(cell, src string) (c call, ok bool) {
	trimmed := strings.TrimSpace(src)
	before := src[:strings.Index(src, trimmed)]
	text, rest, _ := strings.Cut(trimmed, "\n")
	c = call{
		cell: cell,
		text: strings.TrimSpace(text),
		line: 1 + strings.Count(before, "\n"),
		col:  1 + len(before) - (strings.LastIndexByte(before, '\n') + 1),
		more: strings.TrimSpace(rest) != "",
	}
	switch {
	case strings.HasPrefix(c.text, "?"):
		c.name = c.text[:1]
		if strings.HasPrefix(c.text, "??") {
			c.name = "??"
		}
		c.arg = strings.TrimSpace(c.text[len(c.name):])
		return c, true
	case helpAfter.MatchString(c.text):
		m := helpAfter.FindStringSubmatch(c.text)
		c.name, c.arg = m[2], m[1]
		return c, true
	case strings.HasPrefix(c.text, "%"):
		name, arg, _ := strings.Cut(c.text, " ")
		c.name, c.arg = name, strings.TrimSpace(arg)
		c.code = before + strings.Repeat(" ", len(name)) + src[len(before)+len(name):]
		return c, true
	}
	return call{}, false
}

// command runs c.
func (s *Session) command(c call, res *Result) error {
	word := strings.TrimLeft(c.name, "%")
	cmd := findCommand(word)
	isCell := strings.HasPrefix(c.name, "%%")
	switch {
	case cmd != nil && (!isCell || cmd.cell) || word == "?" || word == "??":
		if c.more && !isCell {
			return c.fail(KindUnsupported, "halfnote cannot run "+c.name+" among other lines yet",
				"give it a cell of its own")
		}
	case strings.Contains(unmade, " "+word+" "):
		return c.fail(KindUnsupported, "halfnote cannot run "+c.name+" yet", "")
	default:
		return c.fail(KindCompile, c.name+": no such command; %help lists them", "")
	}
	if cmd == nil {
		return s.help(c, res)
	}
	return cmd.run(s, c, res)
}

// findCommand returns the command of that name, or nil.
func findCommand(name string) *command {
	for i, c := range commands {
		if slices.Contains(c.names, name) {
			return &commands[i]
		}
	}
	return nil
}

// expandHome replaces a ~ in front by the user's folder.
func expandHome(path string) string {
	if rest, below := strings.CutPrefix(path, "~/"); below {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// fail is the answer to a command that cannot be done.
func (c call) fail(kind, msg, help string) error {
	size := len(c.name)
	if c.name[0] == '?' {
		size = len(c.text)
	}
	return &Error{Kind: kind, Diagnostics: []check.Diagnostic{{
		Cell: c.cell, Line: c.line, Col: c.col, Len: size, Kind: kind,
		Msg: msg, Help: help, Source: strings.Repeat(" ", c.col-1) + c.text,
	}}}
}

// help answers ?x and ??x.
func (s *Session) help(c call, res *Result) error {
	if c.arg == "" {
		return helpCommand(s, c, res)
	}
	if name, isCommand := strings.CutPrefix(c.arg, "%"); isCommand {
		if cmd := findCommand(strings.TrimPrefix(name, "%")); cmd != nil {
			res.Page = textPage(cmd.line())
			return nil
		}
	}
	src, off := c.arg, len(c.arg)
	if src[0] == '"' { // an import path
		src, off = "import "+src, len("import \"")
	}
	if b, ok := s.inspect(src, off, len(c.name)-1, true); ok {
		res.Page = &b
		return nil
	}
	members := ownMembers(c.arg)
	if len(members) == 1 {
		if b, ok := s.inspect(members[0], len(members[0]), len(c.name)-1, true); ok {
			res.Page = &b
			return nil
		}
	}
	help := s.meant(c.arg)
	if len(members) > 0 {
		help = "?" + strings.Join(members, " or ?")
	}
	return c.fail(KindUnknown, c.text+": nothing is known of "+c.arg, help)
}

// ownMembers lists what halfnote's packages export under a name, as cells write it.
func ownMembers(name string) []string {
	var members []string
	for pkg, path := range symbols.Names {
		if _, ok := docs.Own()[path][name]; ok && name != "" {
			members = append(members, pkg+"."+name)
		}
	}
	slices.Sort(members)
	return members
}

// meant returns the help that a cell with this text would get.
func (s *Session) meant(text string) string {
	s.known.Lock()
	defer s.known.Unlock()
	_, diagnostics := s.checker.Cell("help", text)
	if len(diagnostics) == 0 || strings.HasPrefix(diagnostics[0].Help, "to define it") {
		return ""
	}
	return diagnostics[0].Help
}

func textPage(text string) *display.Bundle {
	return &display.Bundle{Data: map[string]any{display.MIMEText: text}}
}

// line is the command's line of help.
func (c *command) line() string {
	return fmt.Sprintf("  %-16s %s\n", "%"+strings.TrimSpace(c.names[0]+" "+c.args), c.help)
}

const helpText = `Type Go: statements, declarations, expressions. The last expression is shown,
unless a semicolon ends it; _3 is what cell 3 has shown.

`

func helpCommand(_ *Session, _ call, res *Result) error {
	var b strings.Builder
	b.WriteString(helpText)
	fmt.Fprintf(&b, "  %-16s %s\n", "?x, x?", "what x is: its type and documentation")
	fmt.Fprintf(&b, "  %-16s %s\n", "??x, x??", "the same with its source")
	for i := range commands {
		b.WriteString(commands[i].line())
	}
	res.Page = textPage(b.String())
	return nil
}

func quitCommand(_ *Session, _ call, res *Result) error {
	res.Quit = true
	return nil
}

// maxLoad is how large a file may be that becomes a cell.
const maxLoad = 1 << 20

func loadCommand(_ *Session, c call, res *Result) error {
	if c.arg == "" {
		return c.fail(KindCompile, "%load: no file given", "write %load FILE")
	}
	text, err := readText(expandHome(c.arg))
	if err != nil {
		return c.fail(KindCompile, "%load: "+err.Error(), "")
	}
	res.NextInput = text
	return nil
}

// readText reads a small file of text.
func readText(path string) (string, error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no file %s", path)
	case err == nil && !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxLoad+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxLoad:
		return "", fmt.Errorf("%s is larger than the %d MB that a cell may have", path, maxLoad>>20)
	case !utf8.Valid(data) || slices.Contains(data, 0):
		return "", fmt.Errorf("%s is no text in UTF-8", path)
	}
	return string(data), nil
}
