package repl_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"halfnote/repl"
	"halfnote/repl/display"
)

// typist is an Output that answers from a list, then has nobody to ask. What it is asked stands
// among what it has recorded.
type typist struct {
	recorder
	lines []string
}

func (p *typist) Ask(_ context.Context, prompt string, password bool) (string, error) {
	p.add("[ask]")
	if len(p.lines) == 0 {
		return "", io.EOF
	}
	line := p.lines[0]
	p.lines = p.lines[1:]
	return line, nil
}

// TestStdinAsks: every way to read the standard input asks for a line when it waits for one, and
// only then; what was printed before stands before it.
func TestStdinAsks(t *testing.T) {
	const none = "the front end gives no input here\n"
	for name, test := range map[string]struct{ src, lines, want string }{
		"Scan": {`var a, b int
fmt.Print("a, b? ")
fmt.Scan(&a, &b)
fmt.Print(a + b)`, "1|2", "a, b? [ask][ask]3"},
		"Scanln": {"var a, b int\nfmt.Scanln(&a, &b)\nfmt.Print(a + b)", "1 2|3", "[ask]3"},
		"Scanf":  {"var a int\nfmt.Scanf(`%x\n`, &a)\nfmt.Print(a)", "ff", "[ask]255"},
		"Reader": {`r := bufio.NewReader(os.Stdin)
s, err := r.ReadString('\n')
fmt.Printf("%q %v", s, err)`, "a b", `[ask]"a b\n" <nil>`},
		"Scanner": {"for s := bufio.NewScanner(os.Stdin); s.Scan(); { fmt.Println(s.Text()) }",
			"a||b", "[ask]a\n[ask]\n[ask]b\n[ask]" + none},
		"ReadAll": {"data, err := io.ReadAll(os.Stdin)\nfmt.Printf(`%q %v`, data, err)", "a|b",
			"[ask][ask][ask]" + none + `"a\nb\n" <nil>`},
		"nobody": {"var a int\n_, err := fmt.Scan(&a)\nfmt.Print(err)", "", "[ask]" + none + "EOF"},
		"unread": {`in := os.Stdin
for range 20 { time.Sleep(5 * time.Millisecond) }
fmt.Print(in.Name())`, "a", "|0"},
		"busy": {"in := os.Stdin\nfor range 300_000 { _ = in }", "a", ""},
		"goroutine": {`done := make(chan int)
go func() { var a int; fmt.Scan(&a); done <- a }()
fmt.Print(<-done)`, "7", "[ask]7"},
		"stderr": {"os.Stderr.WriteString(`name? `)\nvar s string\nfmt.Scan(&s)\nfmt.Print(s)", "x",
			"name? [ask]x"},
		"large": {"var s string\nfmt.Scan(&s)\nfmt.Print(len(s))", strings.Repeat("x", 200_000),
			"[ask]200000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := &typist{}
			if test.lines != "" {
				out.lines = strings.Split(test.lines, "|")
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if _, err := repl.New(repl.Config{Asks: true}).Eval(ctx, test.src, out); err != nil {
				t.Error(err)
			}
			if got := out.String(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestStdinAsksLater: after the end of the input, and with text that a cell has not read, the next
// cell reads on.
func TestStdinAsksLater(t *testing.T) {
	s := repl.New(repl.Config{Asks: true})
	run := func(src, want string, lines ...string) {
		t.Helper()
		out := &typist{lines: lines}
		if _, err := s.Eval(t.Context(), src, out); err != nil {
			t.Error(err)
		}
		if got := out.String(); got != want {
			t.Errorf("%s gives %q, want %q", src, got, want)
		}
	}
	const none = "the front end gives no input here\n"
	run("var a, b int\nfmt.Scan(&a)\nfmt.Print(a)", "[ask]1", "1 2")
	run("fmt.Scan(&b)\nfmt.Print(b)", "2")
	run("_, err := io.ReadAll(os.Stdin)\nfmt.Print(err)", "[ask]"+none+"<nil>")
	run("fmt.Scan(&a)\nfmt.Print(a)", "[ask]3", "3")
	run("fmt.Fscan(os.Stdin, &a)\nfmt.Print(a)", "[ask]4", "4")
	out := &recorder{} // cannot ask
	if _, err := s.Eval(t.Context(), "_, _ = fmt.Scan(&a)", out); err != nil || out.String() != none {
		t.Errorf("error %v, output %q", err, out.String())
	}
}

// waiter is an Output whose question is never answered.
type waiter struct {
	recorder
	asked func()
}

func (w *waiter) Ask(ctx context.Context, _ string, _ bool) (string, error) {
	w.asked()
	<-ctx.Done()
	return "", ctx.Err()
}

// TestStdinInterrupt: a cell that waits for input can be stopped, and the next one reads.
func TestStdinInterrupt(t *testing.T) {
	s := repl.New(repl.Config{Asks: true})
	for _, src := range []string{"var a int\nfmt.Scan(&a)", "io.ReadAll(os.Stdin)"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := s.Eval(ctx, "x := 1\n"+src, &waiter{asked: cancel})
		var e *repl.Error
		if !errors.As(err, &e) || e.Kind != repl.KindInterrupt {
			t.Fatalf("%s: error %v", src, err)
		}
		out := &typist{lines: []string{"5"}}
		if _, err := s.Eval(t.Context(), "fmt.Scan(&x)\nfmt.Print(x)", out); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != "[ask]5" {
			t.Errorf("after the interrupt: %q", got)
		}
	}
}

// held is a waiter that does not show anything before it was asked.
type held struct {
	waiter
	open chan struct{}
}

func (h *held) Display(display.Bundle, string) { <-h.open }

// TestStdinAbandoned: a question of a goroutine is taken back when its cell ends; the next cell
// asks it again.
func TestStdinAbandoned(t *testing.T) {
	s := repl.New(repl.Config{Asks: true})
	out := &held{open: make(chan struct{})}
	out.asked = func() { close(out.open) }
	_, err := s.Eval(t.Context(), `read := make(chan string)
go func() { b := make([]byte, 9); n, _ := os.Stdin.Read(b); read <- string(b[:n]) }()
display.Show(1)`, out)
	if err != nil {
		t.Fatal(err)
	}
	later := &typist{lines: []string{"late"}}
	if _, err := s.Eval(t.Context(), "fmt.Print(<-read)", later); err != nil {
		t.Fatal(err)
	}
	if got := later.String(); got != "[ask]late\n" {
		t.Errorf("the next cell gives %q", got)
	}
}
