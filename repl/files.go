package repl

// This file completes what is no Go: commands, what they take, and the names of files.

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// completeCommand completes the command at a cursor: its name, or what its args in the table say
// that it takes: FILE, NAME, words as in on|off, or options as in [-g].
func (s *Session) completeCommand(c *cursor, src string) Completion {
	start := strings.LastIndexByte(src[:c.off], '\n') + 1
	text := strings.TrimLeft(src[start:c.off], " \t?")
	word, arg, behind := strings.Cut(text, " ")
	if !behind {
		return Completion{Start: c.off - len(text), End: c.off, Items: completeCommandName(word)}
	}
	done := Completion{Start: c.off, End: c.off}
	cmd := findCommand(strings.TrimLeft(word, "%"))
	if cmd == nil {
		return done
	}
	if cmd.args == fileArg { // whose name may have blanks
		dir, name := filepath.Split(strings.TrimLeft(arg, " "))
		return Completion{Start: c.off - len(name), End: c.off, Items: completeFile(dir, name)}
	}
	last := arg[strings.LastIndexByte(arg, ' ')+1:]
	done.Start = c.off - len(last)
	for _, takes := range strings.FieldsFunc(cmd.args, isArgSeparator) {
		switch {
		case takes == fileArg:
			return completeLastFile(arg, c.off)
		case takes == "NAME":
			for _, obj := range s.checker.Live() {
				if strings.HasPrefix(obj.Name(), last) {
					done.Items = append(done.Items,
						CompletionItem{obj.Name(), kindOf(obj), signatureOf(obj)})
				}
			}
		case strings.ToUpper(takes) != takes && strings.HasPrefix(takes, last):
			done.Items = append(done.Items, CompletionItem{Text: takes, Kind: "command"})
		}
	}
	return done
}

// isArgSeparator tells what stands between the words of a command's args.
func isArgSeparator(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("[]|…", r) }

// completeCommandName lists the commands that begin with word, which may have its % or %%.
func completeCommandName(word string) []CompletionItem {
	name := strings.TrimPrefix(word, "%")
	var items []CompletionItem
	for i := range commands {
		c := &commands[i]
		at := slices.IndexFunc(c.names, func(n string) bool { return strings.HasPrefix(n, name) })
		if at >= 0 {
			items = append(items, CompletionItem{"%" + c.names[at], "command", c.args})
		}
	}
	return items
}

// completeLastFile completes the last word of text, which ends at off, as the name of a file.
func completeLastFile(text string, off int) Completion {
	word := text[strings.LastIndexAny(text, " \t=<>|;&\"'")+1:]
	dir, name := filepath.Split(word)
	return Completion{Start: off - len(name), End: off, Items: completeFile(dir, name)}
}

// completeString completes the string at a cursor as the name of a file. Names that would have to
// be written in another way there are left out.
func completeString(c *cursor) Completion {
	text := c.src[c.start:c.off]
	dir, name := filepath.Split(text)
	done := Completion{Start: c.off - len(name), End: c.off}
	if strings.ContainsAny(text, "\\\n\r") {
		return Completion{Start: c.off, End: c.off}
	}
	quote := c.src[c.start-1]
	for _, item := range completeFile(dir, name) {
		if !strings.ContainsFunc(item.Text, func(r rune) bool {
			return r == rune(quote) || r == '\\' || !unicode.IsPrint(r)
		}) {
			done.Items = append(done.Items, item)
		}
	}
	return done
}

// completeFile lists the files and folders in dir whose names begin with prefix. Hidden ones must
// be asked for by their dot.
func completeFile(dir, prefix string) []CompletionItem {
	folder := expandHome(cmp.Or(dir, "."))
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var items []CompletionItem
	for _, entry := range list {
		name := entry.Name()
		if !strings.HasPrefix(name, prefix) || name[0] == '.' && prefix == "" {
			continue
		}
		if isDir(folder, entry) {
			name += "/"
		}
		items = append(items, CompletionItem{Text: name, Kind: "path"})
	}
	return items
}

// isDir reports whether an entry of a folder is a folder or a link to one.
func isDir(folder string, entry os.DirEntry) bool {
	if entry.Type()&os.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := os.Stat(filepath.Join(folder, entry.Name()))
	return err == nil && info.IsDir()
}
