package repl

// This file implements the commands that tell what the session knows: names, goroutines, the last
// error.

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"halfnote/repl/check"
)

func whoCommand(s *Session, c call, _ *Result) error {
	switch c.arg {
	case "":
		c.out.Stream("stdout", s.who())
	case "-g":
		c.out.Stream("stdout", s.whoRuns())
	default:
		return c.fail(KindCompile, "%who: "+c.arg+" is unknown", "write %who or %who -g")
	}
	return nil
}

// who lists what cells have defined, by kind.
func (s *Session) who() string {
	s.known.Lock()
	defer s.known.Unlock()
	live := s.checker.Live()
	slices.SortStableFunc(live, func(a, b types.Object) int {
		return cmp.Compare(kindOrder(a), kindOrder(b))
	})
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, pkg := range s.checker.Imports() {
		fmt.Fprintf(w, "import\t%s\t%q\n", pkg.Name(), pkg.Imported().Path())
	}
	for _, obj := range live {
		if obj.Name()[0] == '_' {
			continue // results; Out lists them
		}
		kind, about := describe(obj)
		fmt.Fprintf(w, "%s\t%s\t%s\n", kind, obj.Name(), about)
	}
	w.Flush()
	if b.Len() == 0 {
		return "nothing is defined\n"
	}
	return b.String()
}

// kindOrder puts types before constants, variables and functions.
func kindOrder(obj types.Object) int {
	switch obj.(type) {
	case *types.TypeName:
		return 0
	case *types.Const:
		return 1
	case *types.Var:
		return 2
	}
	return 3
}

// describe returns the keyword of a definition and what follows its name.
func describe(obj types.Object) (kind, about string) {
	switch obj := obj.(type) {
	case *types.TypeName:
		kind, about = "type", describeType(obj)
	case *types.Const:
		kind, about = "const", obj.Val().String()
	case *types.Var:
		kind, about = "var", check.TypeText(obj.Type())
	case *types.Func:
		kind, about = "func", paramText(obj.Signature())
	}
	const most = 80
	if runes := []rune(about); len(runes) > most {
		about = string(runes[:most]) + "…"
	}
	return kind, about
}

// describeType returns what a type is made of. The tags of fields are left out.
func describeType(obj *types.TypeName) string {
	if obj.IsAlias() {
		return "= " + check.TypeText(types.Unalias(obj.Type()))
	}
	t := obj.Type().Underlying()
	if st, ok := t.(*types.Struct); ok {
		t = types.NewStruct(slices.Collect(st.Fields()), nil)
	}
	named, _ := obj.Type().(*types.Named)
	if params := slices.Collect(named.TypeParams().TypeParams()); len(params) > 0 {
		return typeParamText(params) + " " + check.TypeText(t)
	}
	return check.TypeText(t)
}

// whoRuns lists the goroutines of cells.
func (s *Session) whoRuns() string {
	list := s.types.Goroutines()
	if len(list) == 0 {
		return "no goroutine of a cell runs\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, g := range list {
		pos := s.machine.fileSet().Position(token.Pos(g.Place))
		age := time.Since(g.Began).Round(time.Second)
		fmt.Fprintf(w, "%s:%d:%d\t%s\t%s\t%s\n", pos.Filename, pos.Line, pos.Column, age,
			cmp.Or(g.State, "ending"), strings.TrimSpace(s.place(pos, "").Source))
	}
	w.Flush()
	return b.String()
}

func tbCommand(s *Session, c call, _ *Result) error {
	if s.lastError == nil {
		return c.fail(KindCompile, "%tb: no cell has given an error", "")
	}
	c.out.Stream("stdout", s.lastError.Trace(false)+"\n")
	return nil
}

func autoimportCommand(s *Session, c call, _ *Result) error {
	s.known.Lock()
	defer s.known.Unlock()
	switch c.arg {
	case "on", "off":
		s.checker.SetAutoImport(c.arg == "on")
	case "":
		word := map[bool]string{true: "on", false: "off"}[s.checker.AutoImport()]
		c.out.Stream("stdout", "automatic imports are "+word+"\n")
	default:
		return c.fail(KindCompile, "%autoimport: "+c.arg+" is neither on nor off", "")
	}
	return nil
}
