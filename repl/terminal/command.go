package terminal

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Command is an entry of the table that gives parsing, help and usage. Args is what help shows behind
// its name; where that are flags alone, arguments are mistakes. Setup declares its flags and returns what
// runs it, with the arguments before and after --.
type Command struct {
	Name, Args, Short, Example string
	Setup                      func(fs *flag.FlagSet) func(args, rest []string) error
}

// Table is the command line of a program. Its first command is the default.
type Table struct {
	about    string
	commands []Command
}

// NewTable returns a table of the commands and help, which explains them.
func NewTable(about string, commands ...Command) *Table {
	t := &Table{about: about}
	help := Command{"help", "[COMMAND]", "explain the commands", "halfnote help run", t.helpCommand}
	t.commands = append(slices.Clip(commands), help)
	return t
}

// UsageError is a mistake on the command line.
type UsageError string

func (e UsageError) Error() string { return string(e) }

// ExitStatus is what the process ends with.
func (UsageError) ExitStatus() int { return 2 }

// Execute runs the command named first, or the default. Flags may stand among the arguments.
func (t *Table) Execute(args []string) error {
	name := t.commands[0].Name
	if len(args) > 0 {
		if args[0] == "-h" {
			args[0] = "--help"
		}
		word := strings.TrimLeft(args[0], "-")
		if word == args[0] || word == "help" || word == "version" { // also as --help
			name, args = word, args[1:]
		}
	}
	c, err := t.find(name)
	if err != nil {
		return err
	}
	var before, rest []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, rest = args[:i], args[i+1:]
	}
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.Usage = func() {}
	run := c.Setup(fs)
	for {
		switch err := fs.Parse(args); {
		case err == flag.ErrHelp:
			return c.help()
		case err != nil: // printed by fs
			return UsageError("see halfnote help " + name)
		}
		if args = fs.Args(); len(args) > 0 {
			before, args = append(before, args[0]), args[1:]
			continue
		}
		if more := slices.Concat(before, rest); len(more) > 0 && (c.Args == "" || strings.HasPrefix(c.Args, "[-")) {
			return UsageError(fmt.Sprintf("%s takes no arguments, only flags; %s",
				name, meant(more[0], "see halfnote help "+name)))
		}
		return run(before, rest)
	}
}

// meant returns a hint for a word that is out of place, or the one given where the word is no file.
func meant(word, hint string) string {
	if _, err := os.Stat(word); err == nil {
		return fmt.Sprintf("did you mean \"run %s\"?", word)
	}
	return hint
}

func (t *Table) find(name string) (*Command, error) {
	hint := "see halfnote help"
	for i, c := range t.commands {
		if c.Name == name {
			return &t.commands[i], nil
		}
		if strings.HasPrefix(name, c.Name[:2]) {
			hint = fmt.Sprintf("did you mean %q?", c.Name)
		}
	}
	return nil, UsageError(fmt.Sprintf("no command %q; %s", name, meant(name, hint)))
}

func (t *Table) helpCommand(*flag.FlagSet) func(args, rest []string) error {
	return func(args, _ []string) error {
		if len(args) > 0 {
			c, err := t.find(args[0])
			if err != nil {
				return err
			}
			return c.help()
		}
		fmt.Print(t.about, "\n\n")
		for _, c := range t.commands {
			fmt.Printf("  halfnote %-9s %s\n", c.Name, c.Short)
		}
		fmt.Print("\nSee halfnote help COMMAND. ",
			"Exit codes: 0 fine, 1 the code failed, 2 usage, 130 interrupted.\n")
		return nil
	}
}

// help prints a command's usage, flags and example.
func (c *Command) help() error {
	fs := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	c.Setup(fs)
	fmt.Printf("usage: halfnote %s %s\n\n%s\n\n", c.Name, c.Args, c.Short)
	fs.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		name := "--"[:min(len(f.Name), 2)] + f.Name
		fmt.Printf("  %-20s %s\n", name+" "+value, usage)
	})
	fmt.Printf("\nexample: %s\n", c.Example)
	return nil
}
