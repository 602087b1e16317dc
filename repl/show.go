package repl

// This file implements which values of a cell's last expression are shown.

import (
	"errors"
	"go/ast"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"halfnote/repl/check"
	"halfnote/repl/display"
)

// show fills in the result. The last expression's values are shown, all of them; of (T, error) the
// T, or the error as a line of its own if there is one. Calls that give an error alone, and those
// whose results nobody reads, such as fmt.Println, show only their error.
func (s *Session) show(res *Result, cell *check.Cell, results []*any, out display.Output) {
	if cell.Result == nil || len(results) == 0 {
		return
	}
	values := make([]any, len(results))
	for i, v := range results {
		values[i] = *v
	}
	if last, isError := values[len(values)-1], endsInError(cell); isError {
		if err, ok := last.(error); ok && err != nil {
			out.Stream("stderr", "error: "+display.Of(err).Text()+"\n"+fileHelp(err))
			return
		}
		switch {
		case len(values) > 1:
			values = values[:len(values)-1]
		case isCall(cell):
			return
		}
	}
	if unread(cell) {
		return
	}
	res.Shown = true
	if len(values) == 1 {
		res.Bundle = display.Of(values[0])
		return
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = display.Of(v).Text()
	}
	res.Bundle = display.Bundle{Data: map[string]any{display.MIMEText: strings.Join(texts, ", ")}}
}

// endsInError reports whether the last of the expression's types is error.
func endsInError(cell *check.Cell) bool {
	t := cell.Info.TypeOf(cell.Result.X)
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		t = tuple.At(tuple.Len() - 1).Type()
	}
	return isError(t)
}

// isCall reports whether the last expression is a call, and no conversion.
func isCall(cell *check.Cell) bool {
	call, ok := ast.Unparen(cell.Result.X).(*ast.CallExpr)
	return ok && !cell.Info.Types[call.Fun].IsType()
}

// unread reports whether the last expression is a call whose results people do not look at.
func unread(cell *check.Cell) bool {
	call, ok := ast.Unparen(cell.Result.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fun, ok := cell.Info.Uses[sel.Sel].(*types.Func)
	if !ok || fun.Pkg() == nil {
		return false
	}
	if fun.Signature().Recv() != nil {
		return fun.Name() == "Write" || fun.Name() == "WriteString"
	}
	switch fun.Pkg().Path() {
	case "fmt":
		return strings.HasPrefix(fun.Name(), "Print") || strings.HasPrefix(fun.Name(), "Fprint")
	case "io":
		return fun.Name() == "Copy" || fun.Name() == "WriteString"
	}
	return false
}

// fileHelp is for an error about a file that is not there under a path from the current folder,
// which a notebook's reader does not see.
func fileHelp(err error) string {
	var at *fs.PathError
	if !errors.As(err, &at) || !errors.Is(err, fs.ErrNotExist) || filepath.IsAbs(at.Path) {
		return ""
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return "help: the current folder is " + dir + "\n"
}
