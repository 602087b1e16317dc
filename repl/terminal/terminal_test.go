package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/repl"
	"halfnote/repl/display"
)

// echo is an Evaluator whose cells show their own source, but for a few words.
type echo struct {
	n   int
	ran []string
}

var errFailed = errors.New("it failed")

func (e *echo) Eval(ctx context.Context, src string, out display.Output) (repl.Result, error) {
	e.n++
	e.ran = append(e.ran, src)
	result := repl.Result{Count: e.n, Notices: []string{"+ import \"x\""}}
	switch word := strings.TrimSpace(src); word {
	case "%quit", "%q":
		result.Quit = true
		return result, nil
	case "%help":
		page := display.Markdown("the page")
		result.Page = &page
		return result, nil
	case "%load":
		result.NextInput = "x := 1\nif x > 0 {\n\tx--\n}\n"
		return result, nil
	case "fail":
		return result, errFailed
	case "exit":
		return result, &repl.Error{Kind: repl.KindExit, Code: 3}
	case "wait":
		out.Stream("stdout", "waiting\n")
		<-ctx.Done()
		return result, ctx.Err()
	case "print":
		out.Stream("stdout", "no newline")
		return result, nil
	case "live":
		out.Display(display.Markdown("first"), "id")
		out.Stream("stdout", "running\n")
		out.Display(display.Markdown("shown"), "")
		out.Update(display.Markdown("last"), "id")
		return result, nil
	default:
		result.Shown = true
		result.Bundle = display.Markdown(word)
		return result, nil
	}
}

func (e *echo) Program(_ context.Context, files []repl.File, out display.Output) error {
	for _, f := range files {
		out.Stream("stdout", filepath.Base(f.Name)+" "+strings.Join(os.Args, " ")+"\n")
		if strings.Contains(f.Src, "fail") {
			return errFailed
		}
	}
	return nil
}

func TestBatchCutsCells(t *testing.T) {
	const declarations = "func a() { b() }\n\n// b is next\nfunc b() {}\n" +
		"type T int\nfunc (t T) m() {}\n"
	quiet := Config{Out: io.Discard, Err: io.Discard}
	for _, test := range []struct {
		name, src string
		want      []string
	}{
		{"statements", "x := 1\nx + 1\n", []string{"x := 1\n", "x + 1\n"}},
		{"no_newline_at_the_end", "1", []string{"1"}},
		{"empty", "\n\n  \n", nil},
		{"blocks", "for range 3 {\n\n\tx++\n}\nx\n",
			[]string{"for range 3 {\n\n\tx++\n}\n", "x\n"}},
		{"declarations", declarations + "a()\n", []string{declarations, "a()\n"}},
		{"declarations_at_the_end", "1\nvar x = 1", []string{"1\n", "var x = 1"}},
		{"literal_call", "func() { x() }()\nfunc(a int) string { return s }(1)\n",
			[]string{"func() { x() }()\n", "func(a int) string { return s }(1)\n"}},
		{"comments", "// first\n\n1 // one\n/* last */\n",
			[]string{"// first\n\n1 // one\n", "/* last */\n"}},
		{"incomplete", "f(1,\n", []string{"f(1,\n"}},
		{"program", "// x\npackage main\n\nimport \"fmt\"\n\nfunc main() {}\n",
			[]string{"// x\npackage main\n\nimport \"fmt\"\n\nfunc main() {}\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := &echo{}
			if err := Batch(t.Context(), e, strings.NewReader(test.src), quiet); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, e.ran); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestBatchPrints(t *testing.T) {
	for _, test := range []struct{ name, src, out, errs, err string }{
		{"results", "a\nb\n", "a\nb\n", "", "<nil>"},
		{"unfinished_line", "print\na\nprint", "no newline\na\nno newline", "", "<nil>"},
		{"live", "live\n", "running\nshown\nlast\n", "", "<nil>"},
		{"error_stops", "a\nfail\nb\n", "a\n", "it failed\n", "it failed"},
		{"exit", "a\nexit\nb\n", "a\n", "", "exit status 3"},
		{"quit", "a\n%quit\nb\n", "a\n", "", "<nil>"},
		{"page", "%help\n:help\na\n", "the page\nthe page\na\n", "", "<nil>"},
		{"next_input", "%load\n", "x := 1\nif x > 0 {\n\tx--\n}\n", "", "<nil>"},
		{"other_spelling", ":nope x\na\n", "%nope x\na\n", "", "<nil>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, errs strings.Builder
			err := Batch(t.Context(), &echo{}, strings.NewReader(test.src), Config{Out: &out, Err: &errs})
			text := "<nil>"
			if err != nil {
				text = err.Error()
			}
			if diff := cmp.Diff(test.err, text); diff != "" {
				t.Errorf("error (-want +got)\n%s", diff)
			}
			// A result after an unfinished line begins a new one only within a cell.
			if diff := cmp.Diff(test.out, strings.Replace(out.String(), "linea", "line\na", 1)); diff != "" {
				t.Errorf("output (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.errs, errs.String()); diff != "" {
				t.Errorf("errors (-want +got)\n%s", diff)
			}
		})
	}
}

func TestBatchStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	seen := writerFunc(func(p []byte) { cancel() })
	go io.WriteString(w, "wait\n")
	if err := Batch(ctx, &echo{}, r, Config{Out: seen, Err: io.Discard}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	for name, src := range map[string]string{
		"a.go": "package main\n", "b.go": "package main\n", "b_test.go": "package main\n",
		"c.go": "//go:build never\n\npackage main\n", "lib/x.go": "package lib\n", "script.go": "x",
		"bad/fail.go": "package main // fail\n", "none/readme.txt": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := os.Args
	defer func() { os.Args = args }()
	for _, test := range []struct{ name, paths, out, err string }{
		{"files", "a.go b.go", "a.go a 1 2\nb.go a 1 2\n", "<nil>"},
		{"script", "script.go", "x\n", "<nil>"},
		{"failing", "bad", "fail.go fail 1 2\n", "it failed"},
		{"library", "lib", "", "package lib is no program; run wants package main"},
		{"empty", "none", "", "no Go files"},
		{"missing", "zz.go", "", "no such file"},
		{"other", "none/readme.txt", "", "neither a notebook nor a Go file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var paths []string
			for _, p := range strings.Fields(test.paths) {
				paths = append(paths, filepath.Join(dir, p))
			}
			var out strings.Builder
			cfg := Config{Out: &out, Err: io.Discard}
			err := Program(t.Context(), &echo{}, paths, []string{"1", "2"}, cfg)
			if got := fmt.Sprint(err); !strings.Contains(got, test.err) {
				t.Errorf("error %v, want %s", got, test.err)
			}
			if diff := cmp.Diff(test.out, out.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestUseColor(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if UseColor("auto", file) {
		t.Error("colour in a file")
	}
	t.Setenv("NO_COLOR", "1")
	if !UseColor("always", file) {
		t.Error("no colour although it is asked for")
	}
}

func TestHistory(t *testing.T) {
	var h history
	for _, line := range []string{"a", "", "a", "b", "  "} {
		h.Add(line)
	}
	if h.Len() != 2 || h.At(0) != "b" || h.At(1) != "a" {
		t.Errorf("history %q", h)
	}
}

func TestKeysCutAtInterrupts(t *testing.T) {
	k := &keys{r: strings.NewReader("ab\x03\x03cd")}
	var got []string
	buf := make([]byte, 3)
	for {
		n, err := k.Read(buf)
		if n > 0 {
			got = append(got, string(buf[:n]))
		}
		if err == errInterrupt {
			got = append(got, "^C")
		} else if err != nil {
			break
		}
	}
	if diff := cmp.Diff([]string{"ab", "^C", "^C", "cd"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestOutputRedraws: the newest value that redraws is on the last line, until it is settled.
func TestOutputRedraws(t *testing.T) {
	const erase = "\r\x1b[K"
	line := func(text string) string { return noWrap + text + wrap }
	var got strings.Builder
	o := NewOutput(&got, &got)
	o.redraws = true
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { o.Display(display.Markdown("0%"), "a") }, line("0%")},
		{func() { o.Update(display.Markdown("50%"), "a") }, erase + line("50%")},
		{func() { o.Stream("stdout", "text\n") }, erase + "text\n" + line("50%")},
		{func() { o.Stream("stderr", "half") }, erase + "half"},
		{func() { o.Update(display.Markdown("60%"), "a") }, ""},
		{func() { o.Stream("stdout", " line\n") }, " line\n" + line("60%")},
		{func() { o.Display(display.Markdown("inner"), "b") }, erase + line("inner")},
		{func() { o.Settle("b") }, erase + "inner\n" + line("60%")},
		{func() { o.Display(display.Markdown("shown"), "") }, erase + "shown\n" + line("60%")},
		{func() { o.Display(display.Markdown("two\nlines"), "c") }, erase},
		{func() { o.End() }, "60%\ntwo\nlines\n"},
	} {
		got.Reset()
		step.do()
		if got.String() != step.want {
			t.Errorf("got %q, want %q", got.String(), step.want)
		}
	}
}
