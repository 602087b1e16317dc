package nn

import (
	"fmt"
	"html"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"halfnote/tensor"
)

// A ModuleSummary lists a module's layers. It shows itself as text and, in a notebook, as a table.
type ModuleSummary struct {
	Layers []LayerSummary
}

// A LayerSummary is one layer of a [ModuleSummary]: a module that has tensors of its own or no
// modules inside.
type LayerSummary struct {
	Name       string // the path, as in NamedParameters
	Module     string // its String method's text, or its type's name
	Shapes     [][]int
	DTypes     []tensor.DType // of the tensors, each once
	Parameters int            // elements that require a gradient
	Fixed      int            // elements of tensors that do not
	Bytes      int            // of all of them
}

// Summary lists the layers of m with their shapes and numbers of parameters. A tensor counts once,
// in the innermost module around it.
func Summary(m any) *ModuleSummary {
	var layers []LayerSummary
	inner := map[int]bool{} // layers that hold modules
	owner := func(name string) int {
		for i, l := range slices.Backward(layers) {
			if l.Name == "" || strings.HasPrefix(name, l.Name+".") {
				return i
			}
		}
		return -1
	}
	w := walker{
		value: func(name string, v any) {
			module, ok := v.(Module)
			if !ok {
				return
			}
			if around := owner(name); around >= 0 {
				inner[around] = true
			}
			layers = append(layers, LayerSummary{Name: name, Module: moduleName(module)})
		},
		tensor: func(name string, t *tensor.Tensor) {
			if !t.IsLeaf() {
				return
			}
			i := owner(name)
			if i < 0 {
				layers = append(layers, LayerSummary{Name: name, Module: "Tensor"})
				i = len(layers) - 1
			}
			layers[i].add(t)
		},
	}
	w.walk("", m)
	s := &ModuleSummary{}
	for i, l := range layers {
		if !inner[i] || l.Shapes != nil {
			s.Layers = append(s.Layers, l)
		}
	}
	return s
}

func (l *LayerSummary) add(t *tensor.Tensor) {
	l.Shapes = append(l.Shapes, t.Shape())
	if !slices.Contains(l.DTypes, t.DType()) {
		l.DTypes = append(l.DTypes, t.DType())
	}
	l.Bytes += t.Numel() * t.DType().Size()
	if t.RequiresGrad() {
		l.Parameters += t.Numel()
		return
	}
	l.Fixed += t.Numel()
}

// String lists the layers in columns, then the sums.
func (s *ModuleSummary) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "layer\tmodule\tshapes\tdtype\tparameters")
	for _, l := range s.Layers {
		fmt.Fprintln(w, strings.Join(l.cells(), "\t"))
	}
	w.Flush()
	return b.String() + s.total()
}

// HTML shows the summary as a table.
func (s *ModuleSummary) HTML() string {
	var b strings.Builder
	b.WriteString("<table>\n<thead><tr><th>layer</th><th>module</th><th>shapes</th>" +
		"<th>dtype</th><th>parameters</th></tr></thead>\n<tbody>\n")
	for _, l := range s.Layers {
		b.WriteString("<tr>")
		for _, cell := range l.cells() {
			fmt.Fprintf(&b, "<td>%s</td>", html.EscapeString(cell))
		}
		b.WriteString("</tr>\n")
	}
	fmt.Fprintf(&b, "</tbody>\n<tfoot><tr><td colspan=\"5\">%s</td></tr></tfoot>\n</table>\n",
		html.EscapeString(s.total()))
	return b.String()
}

func (l *LayerSummary) cells() []string {
	var shapes, dtypes []string
	for _, shape := range l.Shapes {
		shapes = append(shapes, fmt.Sprint(shape))
	}
	for _, dtype := range l.DTypes {
		dtypes = append(dtypes, dtype.String())
	}
	return []string{l.Name, l.Module, strings.Join(shapes, " "), strings.Join(dtypes, " "),
		grouped(l.Parameters)}
}

func (s *ModuleSummary) total() string {
	var parameters, fixed, bytes int
	for _, l := range s.Layers {
		parameters += l.Parameters
		fixed += l.Fixed
		bytes += l.Bytes
	}
	text := grouped(parameters) + " parameters"
	if fixed > 0 {
		text += ", " + grouped(fixed) + " values that need no gradient"
	}
	return text + ", " + grouped(bytes) + " bytes"
}

// grouped writes n with a comma before every three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// moduleName is what a module calls itself, or else the name of its type.
func moduleName(m Module) string {
	if s, ok := m.(fmt.Stringer); ok {
		return s.String()
	}
	if n, ok := m.(interface{ TypeName() string }); ok { // a type of a cell
		return n.TypeName()
	}
	t := reflect.TypeOf(m)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}
