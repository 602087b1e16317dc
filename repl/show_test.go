package repl_test

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"

	"halfnote/repl"
	"halfnote/repl/display"
)

// frames is an Output that keeps what each display id showed last, and tells of every frame.
type frames struct {
	recorder
	mu    sync.Mutex
	last  map[string]display.Bundle
	frame func(b display.Bundle)
}

func (f *frames) Display(b display.Bundle, id string) { f.Update(b, id) }

func (f *frames) Update(b display.Bundle, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil {
		f.last = map[string]display.Bundle{}
	}
	f.last[id] = b
	if f.frame != nil {
		f.frame(b)
	}
}

// TestShowRecords: the tables of a cell's own types have each value under its name.
func TestShowRecords(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, `type Shape interface{ Area() float64 }
type Square struct{ Side float64 }
type Circle struct{ Radius float64 }
func (s Square) Area() float64 { return s.Side * s.Side }
func (c *Circle) Area() float64 { return c.Radius }
type A struct{ X int }
type B struct { A; N int; hidden int }
type C struct { *A; B struct{ Y int } }
type Named struct{ A }
func (Named) String() string { return "named" }`)
	for src, want := range map[string]string{
		`[]Shape{Square{2}, &Circle{1}, nil}`: "|type|Side|Radius|\n0|Square|2||\n1|Circle||1|\n2||||",
		`[]Shape{Square{2}, nil}`:             "|Side|\n0|2|\n1||",
		`[]any{Square{1}, 2}`:                 "",
		`[]any{Square{1}, Named{}}`:           "",
		`[]struct{In A}{{A{1}}}`:              "|In|\n0|A{X: 1}|",
		`[]struct{In *A}{{&A{1}}}`:            "|In|\n0|&amp;A{X: 1}|",
		`[]B{{A{1}, 2, 3}}`:                   "|X|N|\n0|1|2|",
		`[]*B{{A{1}, 2, 3}, nil}`:             "|X|N|\n0|1|2|\n1|||",
		`[]C{{}, {A: &A{5}}}`: "|B|X|\n0|struct { Y int }{Y: 0}||\n" +
			"1|struct { Y int }{Y: 0}|5|",
		`map[string]B{"b": {N: 1}, "a": {N: 2}}`: "|X|N|\na|0|2|\nb|0|1|",
		`map[string]A{"b": {1}}`:                 "|X|\nb|1|",
		`map[string]any{"b": A{1}, "c": 2}`:      "|map[string]any|\nb|A{X: 1}|\nc|2|",
		`map[A]float64{{1}: 123456.789}`:         "|map[A]float64|\nA{X: 1}|123456.789|",
		`[]map[string]A{{"x": {1}}, {"y": {2}}}`: "|x|y|\n0|A{X: 1}||\n1||A{X: 2}|",
	} {
		result, err := s.Eval(t.Context(), src, &recorder{})
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		table, _ := result.Bundle.Data[display.MIMEHTML].(string)
		if got := tableText(table); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", src, got, want)
		}
	}
}

var cellEnds, tags = regexp.MustCompile(`</t[dh]>`), regexp.MustCompile(`<[^>]*>`)

// tableText returns the rows of an HTML table with a bar behind each cell.
func tableText(table string) string {
	table = tags.ReplaceAllString(cellEnds.ReplaceAllString(table, "|"), "")
	rows := strings.FieldsFunc(table, func(r rune) bool { return r == '\n' })
	return strings.Join(rows, "\n")
}

// TestShowSaysWhatPanics: a method that panics does not vanish without a word.
func TestShowSaysWhatPanics(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, `type Counts struct{ m map[string]int }
func (c Counts) HTML() string { c.m["x"]++; return "x" }
type Odd struct{ N int }
func (o Odd) String() string { panic(fmt.Errorf("%d is odd", o.N)) }
type Own struct{}
func (Own) Error() string { return "own" }
type Drawn struct{ N int }
func (*Drawn) SVG() string { panic(Own{}) }
func (*Drawn) String() string { return "drawn" }
type Leaving struct{}
func (Leaving) HTML() string { os.Exit(3); return "" }
type Locked struct { sync.Mutex; _ int; N int }`)
	for src, want := range map[string]string{
		`&Counts{}`: "&Counts{m: nil}\n" +
			"(no HTML: panic: assignment to entry in nil map)",
		`(*Counts)(nil)`: "nil",
		`Odd{3}`:         "Odd{N: 3} (no String: panic: 3 is odd)",
		`&Odd{3}`:        "&Odd{N: 3} (no String: panic: 3 is odd)",
		`(*Odd)(nil)`:    "nil",
		`[]any{Odd{3}}`:  "[]any{Odd{N: 3} (no String: panic: 3 is odd)}",
		`&Drawn{}`:       "drawn\n(no SVG: panic: own)",
		`(*Drawn)(nil)`:  "drawn",
		`Leaving{}`:      "Leaving{}\n(no HTML: panic: os.Exit(3))",
		`&Locked{N: 1}`:  "&Locked{Mutex: sync.Mutex{mu: sync.Mutex{state: 0, sema: 0}}, N: 1}",
	} {
		result, err := s.Eval(t.Context(), src, &recorder{})
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := result.Bundle.Text(); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", src, got, want)
		}
	}
}

// TestShowOwnTypes: values of a cell's own types have tables and forms like compiled ones.
func TestShowOwnTypes(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, `type Epoch struct { N int; Loss float64; note string }
type Grade string
func (g Grade) HTML() string { return "<b>" + string(g) + "</b>" }
func (g Grade) JSON() any { return string(g) }
func (g Grade) MIMEBundle() map[string]any { return map[string]any{"text/x-grade": string(g)} }`)
	for src, want := range map[string][2]string{ // a MIME type, and a part of that form
		`[]Epoch{{1, 0.5, "a"}}`: {display.MIMEHTML,
			`>N</th><th style="text-align: right">Loss</th></tr>`},
		`[]*Epoch{{2, 1.0 / 3, "a"}}`:           {display.MIMEHTML, ">0.3333333333333333</td>"},
		`map[string]Epoch{"<k>": {}}`:           {display.MIMEHTML, "<th>&lt;k&gt;</th>"},
		`[]any{Epoch{}, 1}`:                     {display.MIMEText, "[]any{Epoch{"},
		`Grade("A")`:                            {display.MIMEHTML, "<b>A</b>"},
		`_ = 0; Grade("B")`:                     {display.MIMEJSON, "B"},
		`_ = 1; Grade("C")`:                     {"text/x-grade", "C"},
		`display.JSON(Epoch{N: 7})`:             {display.MIMEText, `"N": 7`},
		`mat.NewDense(1, 2, []float64{1.5, 2})`: {display.MIMEText, "*mat.Dense 1×2\n  1.5  2"},
	} {
		result, err := s.Eval(t.Context(), src, &recorder{})
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if form, _ := result.Bundle.Data[want[0]].(string); !strings.Contains(form, want[1]) {
			t.Errorf("%s: no %q in %q", src, want[1], result.Bundle.Data)
		}
	}
}

// TestLiveSurvives: a live view and a bar of a cell that is interrupted or fails stay at their last
// state.
func TestLiveSurvives(t *testing.T) {
	const view = `type View struct{ n atomic.Int64 }
func (v *View) Version() uint64 { return uint64(v.n.Load()) }
func (v *View) SVG() string { return fmt.Sprintf("<svg>%d</svg>", v.n.Load()) }
func (v *View) PNG() []byte { return []byte{1} }`
	for end, want := range map[string]string{
		"for {}":            "1",
		"panic(`failed`)":   "1",
		"v.n.Add(1); _ = 1": "2",
	} {
		t.Run(end, func(t *testing.T) {
			s := repl.New(repl.Config{})
			eval(t, s, view)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := &frames{frame: func(b display.Bundle) {
				if strings.Contains(b.Text(), "▕█") { // the bar has moved
					cancel()
				}
			}}
			s.Eval(ctx, `v := &View{}
display.Live(v)
bar := display.NewBar(4)
v.n.Add(1)
bar.Add(1)
`+end, out)
			texts := ""
			for _, b := range out.last {
				texts += b.Text() + "\n"
				if svg, ok := b.Data[display.MIMESVG]; ok {
					if svg != "<svg>"+want+"</svg>" || b.Data[display.MIMEPNG] == nil {
						t.Errorf("last picture %v", b.Data)
					}
				}
			}
			if len(out.last) != 2 || !strings.Contains(texts, "25% 1/4 in ") {
				t.Errorf("last texts %q", texts)
			}
		})
	}
}

// TestShowError: a call that gives no error shows nothing; a variable shows that it is nil.
func TestShowError(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "func check(err error) error { return err }\nvar err error\nimport \"errors\"")
	for src, want := range map[string]string{
		"check(nil)":             "",
		"(check(nil))":           "",
		"check(errors.New(`x`))": "error: x\n",
		"err":                    ": nil\n",
		"error(nil)":             ": nil\n",
	} {
		if got := eval(t, s, src); !strings.HasSuffix(got, want) || want == "" && got != "" {
			t.Errorf("%s gives %q, want %q", src, got, want)
		}
	}
}

// TestPasted: a cell that is a program, or defines function main and has no statements, runs main.
func TestPasted(t *testing.T) {
	for src, want := range map[string]string{
		"package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(x) }\n\nvar x = 5": "5\n",
		"// c\npackage main // c\nimport \"fmt\"\nfunc main() { fmt.Println(1) }":       "1\n",
		"import \"fmt\"\nfunc main() { fmt.Println(1) }":                                "1\n",
		"import \"fmt\"\nfunc main() { fmt.Println(1) }\nmain()":                        "1\n",
		"package main\nimport \"fmt\"\nfunc main() { fmt.Println(1) }\nfmt.Println(2)":  "2\n",
		"package other\nimport \"fmt\"\nfunc main() { fmt.Println(1) }":                 "",
	} {
		if got := eval(t, repl.New(repl.Config{}), src); got != want {
			t.Errorf("%s\ngives %q, want %q", src, got, want)
		}
	}
}
