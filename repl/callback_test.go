package repl_test

import (
	"strings"
	"testing"

	"halfnote/repl"
)

// TestCallback: what a cell's function does on a goroutine of compiled code belongs to the cell, and
// its panic ends neither the session nor the process.
func TestCallback(t *testing.T) {
	for name, src := range map[string]string{
		"sync.WaitGroup.Go": "var wg sync.WaitGroup\nwg.Go(func() { %s })\nwg.Wait()",
		"context.AfterFunc": "ctx, cancel := context.WithCancel(context.Background())\n" +
			"done := make(chan bool)\n" +
			"context.AfterFunc(ctx, func() { defer close(done); %s })\ncancel()\n<-done",
		"time.AfterFunc": "done := make(chan bool)\n" +
			"time.AfterFunc(1, func() { defer close(done); %s })\n<-done",
		"http.HandlerFunc": "h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { %s })\n" +
			"s := httptest.NewServer(h)\n_, _ = http.Get(s.URL)\ns.Close()",
		"http.ServeMux": "mux := http.NewServeMux()\n" +
			"mux.HandleFunc(\"/\", func(http.ResponseWriter, *http.Request) { %s })\n" +
			"s := httptest.NewServer(mux)\n_, _ = http.Get(s.URL)\ns.Close()",
		"testing.Benchmark": "testing.Benchmark(func(b *testing.B) { %s });",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := repl.New(repl.Config{})
			src = strings.ReplaceAll(src, "%s", "fmt.Println(`runs`); panic(`no`)")
			var out recorder
			if _, err := s.Eval(t.Context(), src+"\nfmt.Println(`ends`)", &out); err != nil {
				t.Fatal(err)
			}
			if got := eval(t, s, "runtime.Gosched(); 6*7"); !strings.Contains(got, "42") {
				t.Errorf("after the panic 6*7 is %s", got)
			}
			got := out.String()
			if !strings.Contains(got, "runs\n") || !strings.Contains(got, "ends\n") {
				t.Errorf("the cell prints %s", got)
			}
		})
	}
}

// TestCallbackAwaited: a panic in a function whose result compiled code waits for ends the cell.
func TestCallbackAwaited(t *testing.T) {
	for name, src := range map[string]string{
		"exec.Cmd.Cancel": "ctx, cancel := context.WithCancel(context.Background())\n" +
			"c := exec.CommandContext(ctx, `sleep`, `100`)\n" +
			"c.Cancel = func() error { panic(`no`) }\nc.Start()\ncancel()\nc.Wait()",
		"http.Transport": "d := func(context.Context, string, string) (net.Conn, error) { panic(`no`) }\n" +
			"c := http.Client{Transport: &http.Transport{DialContext: d}}\nc.Get(`http://halfnote/`)",
		"exec.Cmd.Stdin": "type r struct{}\nfunc (r) Read([]byte) (int, error) { panic(`no`) }\n" +
			"c := exec.Command(`cat`)\nc.Stdin = r{}\nc.Run()",
		"context.Context": "type c struct {\n\tcontext.Context\n\tdone chan struct{}\n}\n" +
			"func (c c) Done() <-chan struct{} { return c.done }\n" +
			"func (c c) Err() error { panic(`no`) }\n" +
			"p := c{context.Background(), make(chan struct{})}\n" +
			"ctx, _ := context.WithCancel(p)\nclose(p.done)\n<-ctx.Done()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := repl.New(repl.Config{})
			if got := eval(t, s, src); !strings.Contains(got, "panic: no") {
				t.Errorf("got %s", got)
			}
			if got := eval(t, s, "6*7"); got != "Out[2]: 42\n" {
				t.Errorf("after the panic 6*7 is %s", got)
			}
		})
	}
}

// TestCallbackInProgram: in a program such a panic ends it, as in Go, and nobody goes on before.
func TestCallbackInProgram(t *testing.T) {
	src := "package main\nimport \"sync\"\nfunc main() {\n\tvar wg sync.WaitGroup\n" +
		"\twg.Go(func() { panic(`no`) })\n\twg.Wait()\n\tprintln(`went on`)\n}\n"
	var out recorder
	err := repl.New(repl.Config{}).Program(t.Context(), []repl.File{{Name: "p.go", Src: src}}, &out)
	if err == nil || !strings.Contains(repl.Render(err, false), "p.go:5:17: panic: no") ||
		out.String() != "" {
		t.Errorf("got %v and %s", err, out.String())
	}
}

// TestHandlerInProgram: net/http goes on after the panic of a handler, and so does the program.
func TestHandlerInProgram(t *testing.T) {
	src := "package main\nimport (\n\t\"fmt\"\n\t\"net/http\"\n\t\"net/http/httptest\"\n)\n" +
		"type h struct{ v any }\n" +
		"func (h h) ServeHTTP(http.ResponseWriter, *http.Request) { panic(h.v) }\n" +
		"func main() {\n\tfor _, h := range []http.Handler{h{`no`}, h{http.ErrAbortHandler}, " +
		"http.HandlerFunc(h{`nor`}.ServeHTTP)} {\n" +
		"\t\ts := httptest.NewServer(h)\n\t\t_, err := http.Get(s.URL)\n" +
		"\t\ts.Close()\n\t\tfmt.Println(err != nil)\n\t}\n}\n"
	var out recorder
	err := repl.New(repl.Config{}).Program(t.Context(), []repl.File{{Name: "p.go", Src: src}}, &out)
	got := out.String()
	if err != nil || strings.Count(got, "true\n") != 3 ||
		!strings.Contains(got, "p.go:8:60: panic: no\n") ||
		!strings.Contains(got, "panic: nor\n") || strings.Contains(got, "abort") {
		t.Errorf("got %v and\n%s", err, got)
	}
}

// TestNoExit: what would end the process ends the cell.
func TestNoExit(t *testing.T) {
	for src, want := range map[string]string{
		"log.Fatalf(`n = %d`, 3)":                       "n = 3\nexit status 1",
		"log.Default().Fatal(`no`)":                     "no\nexit status 1",
		"log.New(os.Stdout, `l: `, 0).Fatalln(`no`)":    "l: no\nexit status 1",
		"f := log.New(os.Stderr, ``, 0).Fatal\nf(`no`)": "no\nexit status 1",
		"flag.Int(`n`, 3, ``)\nflag.CommandLine.Parse([]string{`-x`})": "flag provided but not " +
			"defined: -x\nUsage of halfnote:\n  -n int\n    \t (default 3)\nexit status 2",
		"flag.NewFlagSet(`f`, flag.ExitOnError).Parse([]string{`-h`})": "Usage of f:\nexit status 0",
		"n := flag.Bool(`v`, true, ``)\nflag.Parse()\n*n":              "Out[1]: true",
		"var mu sync.Mutex\nmu.Unlock()":                               "fatal error: sync: unlock of unlocked mutex",
		"var mu sync.RWMutex\nmu.Lock()\nmu.RUnlock()":                 "fatal error: sync: RUnlock of unlocked",
		"var mu sync.RWMutex\nmu.RLock()\nmu.Unlock()":                 "fatal error: sync: Unlock of unlocked",
		"var mu sync.RWMutex\nmu.RLock()\nmu.RUnlock()\n1":             "Out[1]: 1",
		"runtime.Breakpoint()":                                         "fatal error: breakpoint",
		"debug.SetMaxStack(100)":                                       "Out[1]: 1000000000",
		"testing.Main(nil, nil, nil, nil)":                             "halfnote cannot run testing.Main yet",
		"slog.Info(`hi`, `n`, 3)":                                      "INFO hi n=3\n",
	} {
		s := repl.New(repl.Config{})
		if got := eval(t, s, src); !strings.Contains(got, want) {
			t.Errorf("%s gives %q, want %q", src, got, want)
		}
		if got := eval(t, s, "6*7"); got != "Out[2]: 42\n" {
			t.Errorf("after %s 6*7 is %q", src, got)
		}
	}
}
