package display

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// identity has the shape of gonum's mat.Matrix.
type identity int

func (n identity) Dims() (r, c int) { return int(n), int(n) }

func (n identity) At(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

func TestMatrixText(t *testing.T) {
	const want = `display.identity 3×3
  1  0  0
  0  1  0
  0  0  1`
	if got := Of(identity(3)).Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := Of(identity(0)).Text(), "display.identity 0×0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var wide [20][30]float64
	for i := range wide {
		for j := range wide[i] {
			wide[i][j] = 1.0 / float64(3+i*j)
		}
	}
	g, _ := sliceGrid(reflect.ValueOf(wide))
	lines := strings.Split(g.text(), "\n")
	if len(lines) != 1+2*gridEdge+1 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines[1:] {
		n, first := utf8.RuneCountInString(line), utf8.RuneCountInString(lines[1])
		if n > textWidth || n != first {
			t.Errorf("a line of %d: %s", n, line)
		}
	}
}

type (
	shape2D interface{ Area() float64 }
	square  struct{ Side float64 }
	circle  struct{ Radius float64 }
	base    struct{ ID, Shared int }
	labels  struct{ Shared string }
	derived struct {
		base
		*labels
		Inner square
		Name  string
	}
)

func (s square) Area() float64  { return s.Side * s.Side }
func (c *circle) Area() float64 { return c.Radius }

// cellsOf returns the texts of a table, a line for each row.
func cellsOf(table string) string {
	table = strings.ReplaceAll(strings.ReplaceAll(table, "</td>", "|"), "</th>", "|")
	lines := strings.Split(tagHTML.ReplaceAllString(table, ""), "\n")
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}

func TestTableOfRecords(t *testing.T) {
	for _, test := range []struct {
		name string
		v    any
		want []string
	}{
		{"interface", []shape2D{square{2}, &circle{1}, nil}, []string{
			"|type|Side|Radius|", "0|display.square|2||", "1|display.circle||1|", "2||||"}},
		{"one_type", []any{square{2}, &square{3}}, []string{"|Side|", "0|2|", "1|3|"}},
		{"embedded", []derived{{base: base{ID: 7}}, {labels: &labels{"x"}, Name: "n"}}, []string{
			"|ID|Shared|Inner|Name|", "0|7|0|display.square{Side: 0}||",
			"1|0||display.square{Side: 0}|n|"}},
		{"map", map[string]square{"b": {2}, "a": {1}}, []string{"|Side|", "a|1|", "b|2|"}},
		{"map_of_any", map[int]any{1: square{2}, 2: &circle{1}}, []string{
			"|type|Side|Radius|", "1|display.square|2||", "2|display.circle||1|"}},
		{"map_of_maps", map[string]map[string]int{"a": {"x": 1}}, []string{
			"|map[string]map[string]int|", `a|map[string]int{&#34;x&#34;: 1}|`}},
		{"digits", []square{{123456.789}, {1.0 / 3}, {1e6}}, []string{"|Side|", "0|123456.789|",
			"1|0.3333333333333333|", "2|1000000|"}},
		{"map_digits", map[string]float64{"a": 1234567.891}, []string{
			"|map[string]float64|", "a|1234567.891|"}},
		{"no_record", []any{square{1}, 2}, nil},
		{"own_text", []any{square{1}, time.Second}, nil},
		{"nothing_in_common", []any{square{}, &circle{}, base{}, derived{}, labels{}, point{},
			struct{ A, B, C, D int }{}}, nil},
		{"ints", []any{1, 2}, nil},
		{"nils", []any{nil}, nil},
	} {
		if got, want := cellsOf(Table(test.v)), strings.Join(test.want, "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, want)
		}
	}
}

// numbers has the shape of gonum's mat.Matrix.
type numbers [][]float64

func (n numbers) Dims() (r, c int)    { return len(n), len(n[0]) }
func (n numbers) At(i, j int) float64 { return n[i][j] }

func TestMatrixDigits(t *testing.T) {
	for _, test := range []struct {
		v    numbers
		want string
	}{
		{numbers{{1234567.891, 0.5}}, "display.numbers 1×2\n  1234567.891  0.5"},
		{numbers{{1.0 / 3, -123456.789012}}, "display.numbers 1×2, rounded\n  0.333333  -123456.79"},
		{numbers{{1.0 / 3e9, 1e300 / 3}}, "display.numbers 1×2, rounded\n  3.33333e-10  3.33333e+299"},
	} {
		b := Of(test.v)
		if b.Text() != test.want {
			t.Errorf("got\n%s\nwant\n%s", b.Text(), test.want)
		}
		title, _, _ := strings.Cut(test.want, "\n")
		if html := b.Data[MIMEHTML].(string); !strings.Contains(html, ">"+title+"</div>") {
			t.Errorf("no %s below\n%s", title, html)
		}
	}
}

func TestTable(t *testing.T) {
	type row struct {
		Name   string
		Score  float64
		hidden int
	}
	many := make([]row, 70)
	const (
		right = `<th style="text-align: right">`
		cell  = `<td style="text-align: right">`
	)
	largeMap := map[int]int{}
	for i := range 200_000 {
		largeMap[i] = i
	}
	for _, test := range []struct {
		name string
		v    any
		want []string
	}{
		{"structs", []row{{"<b>", 0.5, 1}}, []string{
			"<th></th><th>Name</th>" + right + "Score</th></tr>",
			`<td style="text-align: left">&lt;b&gt;</td><td style="text-align: right">0.5</td>`,
		}},
		{"pointers", []*row{nil, {Name: "x"}}, []string{">x</td>"}},
		{"long", many, []string{`<td colspan="3">… 20 more rows</td>`}},
		{"map", map[string]any{"<k>": []int{1}}, []string{"<th>&lt;k&gt;</th>", "[]int{1}</td>"}},
		{"large_map", largeMap, []string{`<td colspan="2">… 199950 more rows</td>`}},
		{"records", []map[string]any{{"b": "x", "a": 1}, {"c": nil, "a": 2.5}}, []string{
			right + "a</th><th>b</th>" + right + "c</th></tr>",
			"<th>1</th>" + cell + `2.5</td><td style="text-align: left"></td>`,
		}},
		{"matrix", [][]float64{{1, 1.0 / 3}, {1e20}}, []string{
			"<th></th>" + right + "0</th>" + right + "1</th>",
			"<th>0</th>" + cell + "1</td>" + cell + "0.3333333333333333</td>",
			"<th>1</th>" + cell + "1e+20</td>" + cell + "</td>",
			">[][]float64 2×2</div>",
		}},
		{"array", [2][2]int{{1, 2}, {3, 4}}, []string{">4</td>", ">[2][2]int 2×2</div>"}},
		{"dims", identity(20_000), []string{
			">7</th>" + right + "…</th>" + right + "19992</th>",
			">display.identity 20000×20000</div>",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Table(test.v)
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %s in\n%s", want, got)
				}
			}
			// Which keys of a large map are shown changes.
			if shown := Of(test.v).Data[MIMEHTML]; shown != got && test.name != "large_map" {
				t.Error("Of does not show the table")
			}
		})
	}
	for _, v := range []any{nil, 1, []int{1}, []row{}, map[int]int{}, []temperature{1}, identity(0),
		[][]string{{"a"}}, [][]float64{}, [][]float64{{}}, []map[string]int{{}},
		[]map[int]int{{1: 2}},
		[][]byte{[]byte("text")}} {
		if got := Table(v); got != "" {
			t.Errorf("Table(%v) = %s", v, got)
		}
	}
}
