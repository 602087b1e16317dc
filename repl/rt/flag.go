package rt

import (
	"flag"
	"fmt"
	"reflect"

	"halfnote/repl/display"
)

// This file gives each session a command line of its own, whose mistakes end the cell.

// parseFlags is f.Parse, which ends the cell where it would end the process.
func parseFlags(f *flag.FlagSet, args []string) error {
	if f.ErrorHandling() != flag.ExitOnError {
		return f.Parse(args)
	}
	f.Init(f.Name(), flag.ContinueOnError)
	err := f.Parse(args)
	f.Init(f.Name(), flag.ExitOnError)
	switch err {
	case nil:
		return nil
	case flag.ErrHelp:
		panic(Exit{0})
	}
	panic(Exit{2})
}

// newFlagSet is flag.NewFlagSet, whose messages go to the cell.
func newFlagSet(name string, handling flag.ErrorHandling) *flag.FlagSet {
	f := flag.NewFlagSet(name, handling)
	f.SetOutput(display.Stderr())
	return f
}

// flagFunctions are package flag's functions and variables with a command line of the session's own:
// that of the process is halfnote's.
func (ts *Types) flagFunctions() map[string]any {
	line := newFlagSet((*ts.Args())[0], flag.ExitOnError)
	usage := func() {
		fmt.Fprintf(line.Output(), "Usage of %s:\n", (*ts.Args())[0])
		line.PrintDefaults()
	}
	line.Usage = func() { usage() }
	table := map[string]any{
		"CommandLine": &line, "Usage": &usage, "NewFlagSet": newFlagSet,
		"Parse": func() { _ = parseFlags(line, (*ts.Args())[1:]) },
	}
	t := reflect.TypeFor[*flag.FlagSet]()
	for i := range t.NumMethod() {
		m := t.Method(i)
		if table[m.Name] != nil {
			continue
		}
		typ := reflect.ValueOf(line).Method(i).Type()
		table[m.Name] = reflect.MakeFunc(typ, func(in []reflect.Value) []reflect.Value {
			return reflect.ValueOf(line).Method(i).Call(in)
		}).Interface()
	}
	return table
}
