package repl_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"halfnote/repl"
	"halfnote/repl/display"
)

// TestInspect runs testdata/help/*.txtar: cells as they are typed, run if they have no cursor, ‸, in
// them, else inspected there. A file named detail is inspected with its source text.
func TestInspect(t *testing.T) {
	files, err := filepath.Glob("testdata/help/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			s := newcomer(t)
			checkArchive(t, file, func(cell txtar.File) string {
				if !strings.Contains(string(cell.Data), "‸") {
					return eval(t, s, string(cell.Data))
				}
				src, off := typed(t, string(cell.Data))
				detail := 0
				if cell.Name == "detail" {
					detail = 1
				}
				b, ok := s.Inspect(src, off, detail)
				if !ok {
					return "nothing\n"
				}
				return b.Text() + "\n"
			})
		})
	}
}

// TestInspectForms looks at how help is escaped.
func TestInspectForms(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "// risky <b>is</b> *not* bold.\n//\n//	a < b\nfunc risky(s string) {}\n"+
		"const tag = \"<script>```\"")
	for src, want := range map[string][2]string{
		"risky": {"```go\nfunc risky(s string)\n```\n\nrisky \\<b>is\\</b> \\*not\\* bold.\n\n\ta < b\n\n" +
			"*cell 1:4*",
			"<pre><code>func risky(s string)</code></pre>\n" +
				"<p>risky &lt;b&gt;is&lt;/b&gt; *not* bold.\n<pre>a &lt; b\n</pre>\n" +
				"<p><em>cell 1:4</em></p>\n"},
		"tag": {"````go\nconst tag = \"<script>```\"\n````\n\n*cell 1:5*",
			"<pre><code>const tag = &#34;&lt;script&gt;```&#34;</code></pre>\n<p><em>cell 1:5</em></p>\n"},
	} {
		b, _ := s.Inspect(src, len(src), 0)
		got := [2]string{fmt.Sprint(b.Data[display.MIMEMarkdown]), fmt.Sprint(b.Data[display.MIMEHTML])}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: wanted - got +\n%s", src, diff)
		}
	}
}

// TestInspectBusy: a value that a goroutine may be changing, or that does not answer, is left out.
func TestInspectBusy(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "counts := map[int]int{}\nstop, ended := make(chan int), make(chan int)\n"+
		"go func() {\n\tfor i := 0; ; i++ {\n\t\tselect {\n\t\tcase <-stop:\n\t\t\tclose(ended)\n"+
		"\t\t\treturn\n\t\tdefault:\n\t\t\tcounts[i%100] = i\n\t\t}\n\t}\n}()")
	want := "var counts map[int]int\n\n    the value is not read while a goroutine of a cell runs\n\ncell 1:1"
	for range 50 {
		if b, ok := s.Inspect("counts", 6, 0); !ok || b.Text() != want {
			t.Fatalf("help %q, want %q", b.Text(), want)
		}
	}
	eval(t, s, "close(stop)\n<-ended")
	eval(t, s, "var mu sync.Mutex\nmu.Lock()\ntype Slow struct{}\nfunc (Slow) String() string { "+
		"mu.Lock(); return `` }\nslow := []any{Slow{}, errors.Join(errors.New(`x`))}")
	if b, _ := s.Inspect("slow", 4, 0); !strings.Contains(b.Text(), "[]any{Slow{}, x}") {
		t.Errorf("help %q", b.Text())
	}
	if got := eval(t, s, "len(slow)"); got != "Out[4]: 2\n" {
		t.Errorf("the session does not go on: %q", got)
	}
}

// FuzzInspect looks for texts that help chokes on.
func FuzzInspect(f *testing.F) {
	s := newcomer(f)
	for _, src := range []string{
		"point.X", "double(1, ", "Point{", "import \"fmt\"", "`a", "// x", "func (p Point", "for i",
		"type T struct { T }\nT", "\xff", "first[int](", "}{)(", "?x", "point.Move(`\r\n`",
		"fns[0](", "f()(1, ", "List[int]", "map[string]Point{\"\": {1, ", "append(x, ", "func(a ...int){}(1, ",
		"%load", "\"fmt\"", "first(points, ", "(((", "f(a, {[(", "f)(",
	} {
		f.Add(src, len(src))
	}
	f.Fuzz(func(t *testing.T, src string, off int) {
		if b, ok := s.Inspect(src, off, 1); ok && b.Text() == "" {
			t.Errorf("%q at %d: empty help", src, off)
		}
	})
}

// BenchmarkInspect is the time of an answer in a session with 200 names.
func BenchmarkInspect(b *testing.B) {
	s := repl.New(repl.Config{})
	if got := eval(b, s, manyNames()); got != "" {
		b.Fatal(got)
	}
	for name, src := range map[string]string{
		"variable": "v1‸", "own_package": "optim.NewSGD‸", "standard": "strings.Cut‸",
		"large_package": "http.Client‸",
	} {
		b.Run(name, func(b *testing.B) {
			src, off := typed(b, src)
			for b.Loop() {
				if _, ok := s.Inspect(src, off, 0); !ok {
					b.Fatal("nothing")
				}
			}
		})
	}
}
