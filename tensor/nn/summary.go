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
	Layers        []LayerSummary
	Input, Output []int // the shapes of the example and of what the module made of it; may be nil
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
	Output     []int          // the shape of its first result; nil when it is not known
}

// Summary lists the layers of m with their shapes and numbers of parameters. A tensor counts once,
// in the innermost module around it.
//
// With an example of an input, m runs on it once, as in evaluation, and the summary has the shapes
// of the layers' results, too: those of this package's modules, and of any module in a
// [Sequential]. It panics with a [*tensor.Error] if m then is no [Module], or more than one example
// is given.
func Summary(m any, input ...*tensor.Tensor) *ModuleSummary {
	rows := rowsOf(m)
	s := &ModuleSummary{}
	if len(input) > 0 {
		module, ok := m.(Module)
		switch {
		case len(input) > 1:
			fail("summary", "%d inputs: give one example", len(input))
		case !ok:
			fail("summary", "%s has no Forward method to give the input to", ModuleName(m))
		}
		y, shapes := traced(module, m, input[0])
		s.Input, s.Output = input[0].Shape(), y
		for i, r := range rows {
			rows[i].Output = shapes[identity(r.value)]
		}
	}
	for _, r := range rows {
		if !r.holds || r.Shapes != nil {
			s.Layers = append(s.Layers, r.LayerSummary)
		}
	}
	return s
}

// A row is a layer, or a module that holds some.
type row struct {
	LayerSummary
	value any
	holds bool // modules
}

// rowsOf returns the modules of m, and the tensors outside of any.
func rowsOf(m any) (rows []row) {
	owner := func(name string) int {
		for i, r := range slices.Backward(rows) {
			if r.Name == "" || strings.HasPrefix(name, r.Name+".") {
				return i
			}
		}
		return -1
	}
	w := walker{
		value: func(name string, v any) {
			if _, ok := v.(Module); !ok {
				return
			}
			if around := owner(name); around >= 0 {
				rows[around].holds = true
			}
			layer := LayerSummary{Name: name, Module: ModuleName(v)}
			rows = append(rows, row{LayerSummary: layer, value: v})
		},
		tensor: func(name string, t *tensor.Tensor) {
			if !t.IsLeaf() {
				return
			}
			i := owner(name)
			if i < 0 {
				rows = append(rows, row{LayerSummary: LayerSummary{Name: name, Module: "Tensor"}})
				i = len(rows) - 1
			}
			rows[i].add(t)
		},
	}
	w.walk(m)
	return rows
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
	for _, cells := range s.table() {
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	w.Flush()
	return b.String() + s.total()
}

// HTML shows the summary as a table.
func (s *ModuleSummary) HTML() string {
	var b strings.Builder
	line := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for _, cell := range cells {
			fmt.Fprintf(&b, "<%s>%s</%s>", tag, html.EscapeString(cell), tag)
		}
		b.WriteString("</tr>")
	}
	table := s.table()
	b.WriteString("<table>\n<thead>")
	line("th", table[0])
	b.WriteString("</thead>\n<tbody>\n")
	for _, cells := range table[1:] {
		line("td", cells)
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "</tbody>\n<tfoot><tr><td colspan=\"%d\">%s</td></tr></tfoot>\n</table>\n",
		len(table[0]), strings.ReplaceAll(html.EscapeString(s.total()), "\n", "<br>"))
	return b.String()
}

// table returns the names of the columns, and the layers. There are outputs where m ran.
func (s *ModuleSummary) table() [][]string {
	table := [][]string{{"layer", "module", "shapes", "dtype", "parameters"}}
	for _, l := range s.Layers {
		table = append(table, l.cells())
	}
	if s.Input == nil {
		return table
	}
	table[0] = slices.Insert(table[0], 2, "output")
	for i, l := range s.Layers {
		text := ""
		if l.Output != nil {
			text = fmt.Sprint(l.Output)
		}
		table[i+1] = slices.Insert(table[i+1], 2, text)
	}
	return table
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
	text += ", " + grouped(bytes) + " bytes"
	if s.Input != nil {
		text = fmt.Sprintf("%v → %v\n%s", s.Input, s.Output, text)
	}
	return text
}

// grouped writes n with a comma before every three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ModuleName is what a module calls itself, or else the name of its type.
func ModuleName(m any) string {
	if s, ok := m.(fmt.Stringer); ok {
		return s.String()
	}
	t := reflect.TypeOf(m)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Name() == "" {
		return fmt.Sprintf("%T", m)
	}
	return t.Name()
}
