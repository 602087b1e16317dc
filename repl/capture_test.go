package repl_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"halfnote/repl"
	"halfnote/repl/display"
)

// marked is an Output that says which stream a text came from.
type marked struct{ recorder }

func (m *marked) Stream(name, text string) {
	for line := range strings.Lines(text) {
		m.add("%s:%s", name, line)
	}
}

// TestCaptureProcess: what a process writes to its descriptors goes to the cell that runs, and
// between cells to the last one. The test runs itself anew, for it can only be done once.
func TestCaptureProcess(t *testing.T) {
	if os.Getenv("HALFNOTE_TEST_CAPTURE") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCaptureProcess$", "-test.v")
		cmd.Env = append(os.Environ(), "HALFNOTE_TEST_CAPTURE=1")
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			t.Errorf("%v\n%s\n%s", err, out.String(), errs.String())
		}
		if got := errs.String(); got != "early\nthe original\n" {
			t.Errorf("the original standard error got %q", got)
		}
		return
	}
	s := repl.New(repl.Config{CaptureProcess: true})
	fmt.Fprintln(os.Stderr, "early")
	run := func(src string) *marked {
		out := &marked{}
		if _, err := s.Eval(t.Context(), src, out); err != nil {
			out.add("%v", err)
		}
		return out
	}
	check := func(what string, out *marked, want string) {
		if got := out.String(); got != want {
			fmt.Fprintf(s.OriginalStderr(), "%s: got %q, want %q\n", what, got, want)
		}
	}
	// The shell writes to the descriptor as C code would.
	shell := "c := exec.Command(`sh`, `-c`, `echo child; echo oops >&2`)\n"
	if os.PathSeparator == '\\' {
		shell = "c := exec.Command(`cmd`, `/c`, `echo child& echo oops>&2`)\n"
	}
	out := run("fmt.Println(1)\nprintln(2)")
	check("prints", out, "stdout:1\nstderr:2\n")
	println("compiled println")
	log.SetFlags(0)
	log.Print("compiled log")
	fmt.Println("compiled print")
	second := run("1")
	for _, text := range []string{
		"stderr:compiled println\n", "stderr:compiled log\n", "stdout:compiled print\n",
	} {
		if got := out.String(); !strings.Contains(got, text) {
			fmt.Fprintf(s.OriginalStderr(), "between cells: no %q in %q\n", text, got)
		}
	}
	check("the second", second, "")
	check("a child", run(shell+"c.Stdout = os.Stdout\nc.Run()\nfmt.Println(`after`)"),
		"stdout:child\nstdout:after\n")
	check("a child's error", run(shell+"c.Stderr = os.Stderr\nc.Run()\nfmt.Println(`after`)"),
		"stderr:oops\nstdout:after\n")
	check("a writer", run("w := bufio.NewWriter(os.Stdout)\nw.WriteString(`ü`)\nw.Flush()\n"+
		"fmt.Print(2)\nfmt.Fprint(os.Stdout, 3)\nos.Stdout.Write([]byte{0xc3})\ndisplay.Show(4)"),
		"stdout:üstdout:2stdout:3[display] 4\nstdout:\xc3")
	if n := len(run("os.Stdout.WriteString(strings.Repeat(`x`, 1_000_000))").String()); n < 1_000_000 {
		fmt.Fprintln(s.OriginalStderr(), "a large text became", n, "bytes")
	}
	fmt.Fprintln(s.OriginalStderr(), "the original")
}

// TestCaptureCrash: what the runtime says when it dies stays in the log.
func TestCaptureCrash(t *testing.T) {
	if path := os.Getenv("HALFNOTE_TEST_CRASH"); path != "" {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		debug.SetTraceback("all")
		s := repl.New(repl.Config{CaptureProcess: true, StderrLog: f})
		// Each has begun when the stacks are written, so each has frames to show.
		eval(t, s, "var begun sync.WaitGroup\n"+
			"for range 2000 { begun.Add(1); go func() { begun.Done(); select {} }() }\nbegun.Wait()")
		var mu sync.Mutex
		mu.Unlock() // fatal, with the stacks of all goroutines, more than a pipe can hold
	}
	path := filepath.Join(t.TempDir(), "crash")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestCaptureCrash$")
	cmd.Env = append(os.Environ(), "HALFNOTE_TEST_CRASH="+path)
	if err := cmd.Run(); err == nil || ctx.Err() != nil {
		t.Errorf("ended with %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "fatal error: sync: unlock of unlocked mutex") {
		t.Errorf("%v, what is kept begins with %.100q", err, text)
	}
	if len(text) < 1<<20 {
		t.Errorf("the stacks have %d bytes, too few to fill a pipe", len(text))
	}
}

// TestCharacters: what is written in pieces arrives in whole characters.
func TestCharacters(t *testing.T) {
	out := &pieces{}
	src := "for range 50_000 { os.Stdout.WriteString(`äö€`) }"
	if _, err := repl.New(repl.Config{}).Eval(t.Context(), src, out); err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, text := range out.list {
		if strings.Trim(text, "äö€") != "" {
			t.Fatalf("a piece begins with %q and ends with %q", text[:3], text[len(text)-3:])
		}
		all += text
	}
	if all != strings.Repeat("äö€", 50_000) {
		t.Errorf("%d bytes have come", len(all))
	}
}

// pieces keeps each text by itself.
type pieces struct {
	recorder
	mu   sync.Mutex
	list []string
}

func (p *pieces) Stream(_, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, text)
}

// TestLateOutput: what goroutines print when their cell ends, or later, goes to that cell; nothing
// is lost.
func TestLateOutput(t *testing.T) {
	const cells, lines = 20, 100
	s := repl.New(repl.Config{})
	eval(t, s, "var all sync.WaitGroup")
	var outs [cells]recorder
	for i := range outs {
		src := fmt.Sprintf(`all.Add(1)
go func() {
	defer all.Done()
	for range %d { fmt.Println("cell", %d) }
}()`, lines, i)
		if _, err := s.Eval(t.Context(), src, &outs[i]); err != nil {
			t.Fatal(err)
		}
	}
	eval(t, s, "all.Wait()")
	for i := range outs {
		if got := outs[i].String(); got != strings.Repeat(fmt.Sprintln("cell", i), lines) {
			t.Errorf("cell %d has %q", i, got)
		}
	}
}

// discard is an Output for benchmarks.
type discard struct{ n int }

func (d *discard) Stream(string, string)          { d.n++ }
func (d *discard) Display(display.Bundle, string) {}
func (d *discard) Update(display.Bundle, string)  {}
func (d *discard) Clear(bool)                     {}

// BenchmarkPrint is the time of one print, alone and where order with os.Stdout is to be kept.
func BenchmarkPrint(b *testing.B) {
	for name, src := range map[string]string{
		"alone": "", "stdout": "_ = os.Stdout", "both": "_, _ = os.Stdout, os.Stderr",
	} {
		b.Run(name, func(b *testing.B) {
			s := repl.New(repl.Config{})
			eval(b, s, src)
			b.ResetTimer()
			src := fmt.Sprintf("for range %d { fmt.Println(1) }", b.N)
			if _, err := s.Eval(b.Context(), src, &discard{}); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func TestWholeCharacters(t *testing.T) {
	for text, begun := range map[string]int{
		"": 0, "a": 0, "é": 0, "é"[:1]: 1, "日"[:2]: 2, "a日"[:2]: 1, "😀"[:3]: 3, "\x80\x80": 0,
		"\x80\x80\x80\x80": 0, "é\x80": 0,
	} {
		if got, want := repl.WholeCharacters([]byte(text)), len(text)-begun; got != want {
			t.Errorf("WholeCharacters(%q) = %d, want %d", text, got, want)
		}
	}
}
