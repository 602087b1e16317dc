package notebooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/repl"
	"halfnote/repl/display"
)

// script is an Evaluator: the source of a cell names the function that plays it.
type script struct {
	n     int
	cells map[string]func(ctx context.Context, out display.Output) (any, error)
	ran   []string
}

func (s *script) Eval(
	ctx context.Context, src string, out display.Output,
) (repl.Result, error) {
	s.n++
	s.ran = append(s.ran, src)
	result := repl.Result{Count: s.n}
	v, err := s.cells[src](ctx, out)
	if v != nil {
		result.Bundle, result.Shown = display.Of(v), true
	}
	return result, err
}

func notebook(cells ...any) *Notebook {
	nb := &Notebook{}
	for i, c := range cells {
		switch c := c.(type) {
		case string:
			nb.Cells = append(nb.Cells, &Cell{ID: fmt.Sprint(i), Type: Code, Source: c})
		case *Cell:
			nb.Cells = append(nb.Cells, c)
		}
	}
	src, err := nb.Bytes()
	if err != nil {
		panic(err)
	}
	nb, err = Parse("x", src)
	if err != nil {
		panic(err)
	}
	return nb
}

// outputs lists a cell's outputs, a line each.
func outputs(c *Cell) []string {
	var list []string
	for _, o := range c.Outputs {
		switch o.Type {
		case Stream:
			list = append(list, fmt.Sprintf("%s %q", o.Name, o.Text))
		case Error:
			list = append(list, fmt.Sprintf("error %s: %s", o.EName, o.EValue))
		default:
			var forms []string
			for _, mime := range preferred {
				if form, ok := o.form(mime); ok {
					forms = append(forms, mime+" "+form)
				}
			}
			list = append(list, fmt.Sprintf("%s %d %s",
				o.Type, o.ExecutionCount, strings.Join(forms, ", ")))
		}
	}
	return list
}

type cellFunc = func(context.Context, display.Output) (any, error)

var errCell = errors.New("undefined: foo")

func played() map[string]cellFunc {
	return map[string]cellFunc{
		"print": func(_ context.Context, out display.Output) (any, error) {
			out.Stream("stdout", "a")
			out.Stream("stdout", "b\n")
			out.Stream("stderr", "c\n")
			out.Stream("stdout", "d\n")
			return nil, nil
		},
		"value": func(context.Context, display.Output) (any, error) { return 42, nil },
		"fail": func(_ context.Context, out display.Output) (any, error) {
			out.Stream("stdout", "before\n")
			return nil, errCell
		},
		"live": func(_ context.Context, out display.Output) (any, error) {
			out.Display(display.Of("other"), "other")
			out.Display(display.SVG("<svg>1</svg>"), "id")
			out.Stream("stdout", "between\n")
			out.Display(display.SVG("<svg>1</svg>"), "id")
			out.Update(display.SVG("<svg>2</svg>"), "id")
			return nil, nil
		},
		"update": func(_ context.Context, out display.Output) (any, error) {
			out.Update(display.Of("from another cell"), "other")
			return nil, nil
		},
		"clear": func(_ context.Context, out display.Output) (any, error) {
			out.Stream("stdout", "1\n")
			out.Clear(false)
			out.Stream("stdout", "2\n")
			out.Clear(true)
			out.Stream("stdout", "3\n")
			return nil, nil
		},
		"picture": func(_ context.Context, out display.Output) (any, error) {
			out.Display(display.PNG([]byte{0, 1, 2, 255}), "")
			out.Display(display.JSON(map[string]int{"a": 1}), "")
			return nil, nil
		},
		"odd": func(_ context.Context, out display.Output) (any, error) {
			out.Display(display.Bundle{Data: map[string]any{
				display.MIMEText: "text", "application/x": func() {},
			}}, "")
			return nil, nil
		},
		"flood": func(_ context.Context, out display.Output) (any, error) {
			line := strings.Repeat("x", 1<<20)
			for range 40 {
				out.Stream("stdout", line)
			}
			return nil, nil
		},
	}
}

func TestRunStoresOutputs(t *testing.T) {
	for _, test := range []struct {
		src  string
		want []string
	}{
		{"print", []string{`stdout "ab\n"`, `stderr "c\n"`, `stdout "d\n"`}},
		{"value", []string{"execute_result 1 text/plain 42"}},
		{"fail", []string{`stdout "before\n"`, "error Error: undefined: foo"}},
		{"live", []string{
			`display_data 0 text/plain "other"`,
			"display_data 0 image/svg+xml <svg>2</svg>, text/plain SVG picture, 12 bytes",
			`stdout "between\n"`,
			"display_data 0 image/svg+xml <svg>2</svg>, text/plain SVG picture, 12 bytes",
		}},
		{"clear", []string{`stdout "3\n"`}},
		{"picture", []string{
			"display_data 0 image/png AAEC/w==, text/plain PNG picture, 4 bytes",
			"display_data 0 application/json {\n  \"a\": 1\n}, text/plain {\n  \"a\": 1\n}",
		}},
		{"odd", []string{
			"display_data 0 text/plain text\n(no application/x: json: unsupported type: func())",
		}},
	} {
		t.Run(test.src, func(t *testing.T) {
			nb := notebook(test.src)
			err := nb.Run(t.Context(), &script{cells: played()}, RunConfig{AllowErrors: true})
			if err != nil {
				t.Fatal(err)
			}
			src, err := nb.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			valid(t, src)
			saved, err := Parse("x", src)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, outputs(saved.Cells[0])); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestRunUpdatesEarlierCells(t *testing.T) {
	nb := notebook("live", "update")
	if err := nb.Run(t.Context(), &script{cells: played()}, RunConfig{}); err != nil {
		t.Fatal(err)
	}
	want := `display_data 0 text/plain "from another cell"`
	if got := outputs(nb.Cells[0])[0]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRunCutsFloods(t *testing.T) {
	nb := notebook("flood")
	if err := nb.Run(t.Context(), &script{cells: played()}, RunConfig{}); err != nil {
		t.Fatal(err)
	}
	text := nb.Cells[0].Outputs[0].Text
	if n := len(text); n < maxStream || n > maxStream+100 {
		t.Errorf("kept %d bytes", n)
	}
	if !strings.HasSuffix(text, "\n… (cut: more than 16 MB)\n") {
		t.Errorf("ends in %q", text[len(text)-40:])
	}
}

func TestRunStopsAtTheFirstError(t *testing.T) {
	skipped := &Cell{
		Type: Code, ID: "s", Source: "fail", ExecutionCount: 7,
		Metadata: []byte(`{"tags":["skip-execution"]}`),
	}
	raises := &Cell{
		Type: Code, ID: "r", Source: "fail", Metadata: []byte(`{"tags":["raises-exception"]}`),
	}
	later := &Cell{
		Type: Code, ID: "l", Source: "value", ExecutionCount: 9,
		Outputs: []*Output{{Type: Stream, Name: "stdout", Text: "old"}},
	}
	md := &Cell{Type: Markdown, ID: "m", Source: "# Title"}
	for _, test := range []struct {
		allow bool
		ran   []string
		want  string
	}{
		{false, []string{"value", "fail", "fail"}, "cell 3: undefined: foo"},
		{true, []string{"value", "fail", "fail", "value"}, "<nil>"},
	} {
		nb := notebook(md, "value", skipped, raises, "  \n", "fail", later)
		s := &script{cells: played()}
		err := nb.Run(t.Context(), s, RunConfig{AllowErrors: test.allow})
		if got := fmt.Sprint(err); got != test.want {
			t.Errorf("error %s, want %s", got, test.want)
		}
		if !test.allow && !errors.Is(err, errCell) {
			t.Error("the cell's error is lost")
		}
		if diff := cmp.Diff(test.ran, s.ran); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		var counts []int
		for _, c := range nb.Cells {
			counts = append(counts, c.ExecutionCount)
		}
		wantCounts := []int{0, 1, 7, 2, 0, 3, 0}
		if test.allow {
			wantCounts[6] = 4
		}
		if diff := cmp.Diff(wantCounts, counts); diff != "" {
			t.Errorf("counts (-want +got)\n%s", diff)
		}
		if !test.allow && len(nb.Cells[6].Outputs) > 0 {
			t.Errorf("the cell after the error keeps %v", outputs(nb.Cells[6]))
		}
	}
}

func TestRunNamesTheKernel(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{"none", `{"authors":[]}`, `{"authors":[],` +
			`"kernelspec":{"display_name":"Go (halfnote)","language":"go","name":"halfnote"},` +
			`"language_info":{"file_extension":".go","mimetype":"text/x-go","name":"go"}}`},
		{"same", `{"language_info":{"name":"go","version":"1"},"kernelspec":{"name":"halfnote"}}`,
			`{"language_info":{"name":"go","version":"1"},"kernelspec":{"name":"halfnote"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := fmt.Appendf(nil, `{"cells":[],"metadata":%s,"nbformat":4}`, test.before)
			nb, err := Parse("x", src)
			if err != nil {
				t.Fatal(err)
			}
			if err := nb.Run(t.Context(), &script{}, RunConfig{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.after, string(nb.Metadata)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestLateOutputIsDropped(t *testing.T) {
	var late display.Output
	s := &script{cells: map[string]cellFunc{
		"keep": func(_ context.Context, out display.Output) (any, error) {
			late = out
			return nil, nil
		},
	}}
	nb := notebook("keep")
	if err := nb.Run(t.Context(), s, RunConfig{}); err != nil {
		t.Fatal(err)
	}
	late.Stream("stdout", "late")
	late.Display(display.Of(1), "")
	late.Clear(false)
	if got := outputs(nb.Cells[0]); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestRunFile(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.ipynb")
	out := filepath.Join(dir, "out.ipynb")
	page := filepath.Join(dir, "page.html")
	reset := func(cells ...any) {
		if err := notebook(cells...).WriteFile(in); err != nil {
			t.Fatal(err)
		}
		os.Remove(out)
		os.Remove(page)
	}
	names := func() string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return strings.Join(list, " ")
	}
	run := func(ctx context.Context, cfg FileConfig) error {
		return RunFile(ctx, &script{cells: played()}, in, cfg)
	}

	reset("value")
	before, _ := os.ReadFile(in)
	if err := run(t.Context(), FileConfig{}); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(in); string(after) != string(before) || names() != "in.ipynb" {
		t.Errorf("a run that writes nothing left %s", names())
	}

	if err := run(t.Context(), FileConfig{Output: out, HTML: page}); err != nil {
		t.Fatal(err)
	}
	if got := names(); got != "in.ipynb out.ipynb page.html" {
		t.Errorf("files %s", got)
	}
	if err := run(t.Context(), FileConfig{InPlace: true}); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(in)
	b, _ := os.ReadFile(out)
	if string(a) != string(b) || string(a) == string(before) {
		t.Error("--inplace and -o differ")
	}

	reset("fail", "value")
	var failed *CellError
	if err := run(t.Context(), FileConfig{Output: out}); !errors.As(err, &failed) || failed.Cell != 1 {
		t.Errorf("error %v", err)
	}
	if nb, err := ReadFile(out); err != nil || len(nb.Cells[0].Outputs) != 2 {
		t.Errorf("the failing cell is not kept: %v", err)
	}

	reset("print", "stop", "value")
	ctx, cancel := context.WithCancel(t.Context())
	stopping := &script{cells: played()}
	stopping.cells["stop"] = func(ctx context.Context, out display.Output) (any, error) {
		out.Stream("stdout", "before\n")
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	err := RunFile(ctx, stopping, in, FileConfig{Output: out, InPlace: true, HTML: page})
	if !errors.Is(err, context.Canceled) || !errors.As(err, &failed) || failed.Cell != 2 ||
		names() != "in.ipynb out.ipynb page.html" {
		t.Errorf("interrupted: %v, files %s", err, names())
	}
	a, _ = os.ReadFile(in)
	b, _ = os.ReadFile(out)
	if string(a) != string(b) {
		t.Error("interrupted, --inplace and -o differ")
	}
	nb, err := ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{
		outputs(nb.Cells[0]), {`stdout "before\n"`, "error Error: context canceled"}, nil,
	} {
		if got := outputs(nb.Cells[i]); !cmp.Equal(got, want) || i == 0 && len(got) != 3 {
			t.Errorf("cell %d of an interrupted run has %q, want %q", i+1, got, want)
		}
	}
	if html, _ := os.ReadFile(page); !strings.Contains(string(html), "before") {
		t.Errorf("the page of an interrupted run lacks what was printed:\n%s", html)
	}

	reset("value")
	before, _ = os.ReadFile(in)
	err = RunFile(ctx, stopping, in, FileConfig{InPlace: true}) // ctx has ended before
	if after, _ := os.ReadFile(in); !errors.Is(err, context.Canceled) || string(after) != string(before) {
		t.Errorf("a run that never began: %v, left\n%s", err, after)
	}

	for _, cfg := range []FileConfig{
		{Output: filepath.Join(dir, "none", "x.ipynb")}, {HTML: dir},
	} {
		s := &script{cells: played()}
		if err := RunFile(t.Context(), s, in, cfg); err == nil || s.n > 0 {
			t.Errorf("%v: error %v after %d cells", cfg, err, s.n)
		}
	}
}

// recordingEcho notes what a front end would print.
type recordingEcho struct{ w io.Writer }

func (e recordingEcho) Stream(name, text string) { fmt.Fprintf(e.w, "%s:%s", name, text) }

func (e recordingEcho) Display(b display.Bundle, id string) { fmt.Fprintln(e.w, b.Text()) }

func (e recordingEcho) Update(b display.Bundle, id string) {}

func (e recordingEcho) Clear(wait bool) {}

func (e recordingEcho) End() { fmt.Fprintln(e.w, "end") }

func TestEchoAndProgress(t *testing.T) {
	var b strings.Builder
	p := NewProgress(&b, false, false)
	text := "text\n\n## A heading\n```\n# no\n```"
	nb := notebook("print", &Cell{Type: Markdown, ID: "m", Source: text}, "value", "fail")
	err := nb.Run(t.Context(), &script{cells: played()}, RunConfig{
		Progress: p, Echo: recordingEcho{p.Writer(&b)},
	})
	if err == nil {
		t.Error("no error")
	}
	got := regexp.MustCompile(` +\d+\.\d s`).ReplaceAllString(b.String(), " 0.0 s")
	want := `stdout:astdout:b
stderr:c
stdout:d
end
[1/3] 0.0 s  print
end
42
[2/3] 0.0 s  A heading
stdout:before
end
[3/3] 0.0 s  A heading
undefined: foo
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestProgressLine: on a terminal the line moves out of the way of what cells print.
func TestProgressLine(t *testing.T) {
	var b strings.Builder
	p := NewProgress(&b, true, false)
	nb := notebook("print")
	err := nb.Run(t.Context(), &script{cells: played()}, RunConfig{
		Progress: p, Echo: recordingEcho{p.Writer(&b)},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`\d+\.\d s`).ReplaceAllString(b.String(), "0.0 s")
	if !strings.HasPrefix(got, "\r\x1b[K[1/1]     0.0 s  print\r\x1b[Kstdout:astdout:b\n") {
		t.Errorf("begins %q", got)
	}
	if !strings.HasSuffix(got, "[1/1]     0.0 s  print\n") {
		t.Errorf("ends %q", got)
	}
}
