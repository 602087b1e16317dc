//go:build unix

package terminal

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"halfnote/repl"
)

// TestMain runs the prompt itself when a test starts this binary in a terminal.
func TestMain(m *testing.M) {
	var ev Evaluator = &echo{}
	switch os.Getenv("HALFNOTE_TEST_PROMPT") {
	case "":
		os.Exit(m.Run())
	case "session":
		ev = repl.New(repl.Config{})
	}
	cfg := Config{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Color: UseColor("auto", os.Stdout), Banner: "banner",
	}
	if err := Interactive(context.Background(), ev, cfg); err != nil {
		fmt.Println("left with", err)
		os.Exit(1)
	}
}

// prompt is a session in a terminal of its own.
type prompt struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	text chan string
	seen string
}

func startPrompt(t *testing.T, env ...string) *prompt {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HALFNOTE_TEST_PROMPT=1", "TERM=xterm-256color", "NO_COLOR=1")
	cmd.Env = append(cmd.Env, env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	p := &prompt{t: t, cmd: cmd, tty: tty, text: make(chan string)}
	go func() {
		defer close(p.text)
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			if n > 0 {
				p.text <- string(buf[:n])
			}
			if err != nil { // on Linux a closed terminal is EIO
				return
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		tty.Close()
		for range p.text {
		}
	})
	return p
}

func (p *prompt) keys(s string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(s); err != nil {
		p.t.Fatal(err)
	}
}

var control = regexp.MustCompile(`\x1b\[[0-9;?]*[a-zA-Z]`)

// sees adds what has come; a control sequence may come in two parts.
func (p *prompt) sees(more string) {
	p.seen = control.ReplaceAllString(p.seen+strings.ReplaceAll(more, "\r", ""), "")
}

// wants reads until text stands on the screen after what was wanted before.
func (p *prompt) wants(text string) {
	p.t.Helper()
	timeout := time.After(2 * time.Minute)
	for {
		if i := strings.Index(p.seen, text); i >= 0 {
			p.seen = p.seen[i+len(text):]
			return
		}
		select {
		case more, ok := <-p.text:
			if !ok {
				p.t.Fatalf("the session ended; wanted %q in %q", text, p.seen)
			}
			p.sees(more)
		case <-timeout:
			p.t.Fatalf("no %q in %q", text, p.seen)
		}
	}
}

// ends waits for the end of the process and returns its exit code.
func (p *prompt) ends() int {
	p.t.Helper()
	for more := range p.text {
		p.sees(more)
	}
	p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

func TestPrompt(t *testing.T) {
	p := startPrompt(t)
	p.wants("banner\nIn [1]: ")
	p.keys("1 + 1\r")
	p.wants("+ import \"x\"\nOut[1]: 1 + 1\nIn [2]: ")
	p.keys("f(\r")
	p.wants("   ...: ")
	p.keys("a)\r")
	p.wants("Out[2]: \nf(\na)\nIn [3]: ")
	p.keys("f(\r\r")
	p.wants("Out[3]: f(\nIn [4]: ")
	p.keys("fail\r")
	p.wants("it failed\nIn [5]: ")
	p.keys("print\r")
	p.wants("no newline\n")
	p.wants("In [6]: ")
	p.keys("\r%help\r")
	p.wants("the page\nEnter runs what is complete")
	p.wants("In [7]: ")
	p.keys("\x1b[A\x1b[A\x1b[A\r") // up to "fail"
	p.wants("it failed\nIn [8]: ")
	p.keys("\x04")
	if code := p.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestPromptInterrupts(t *testing.T) {
	p := startPrompt(t)
	p.wants("In [1]: ")
	p.keys("half a line\x03")
	p.wants("^C\nIn [1]: ")
	p.keys("func f() {\r")
	p.wants("   ...: ")
	p.keys("x\x03")
	p.wants("^C\nIn [1]: ")
	p.keys("wait\r")
	p.wants("waiting\n")
	p.keys("\x03")
	p.wants("^C\n+ import \"x\"\ncontext canceled\nIn [2]: ")
	p.keys("\x03whole\r") // the rest of a burst is not lost
	p.wants("Out[2]: whole\nIn [3]: ")
	p.keys(":q\r")
	if code := p.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestPromptPaste: a paste is one entry, tabs and empty lines included, and waits for Enter.
func TestPromptPaste(t *testing.T) {
	p := startPrompt(t)
	p.wants("In [1]: ")
	p.keys("\x1b[200~a\n\nif x {\n\tb\n}\n\x1b[201~")
	p.wants("}\n   ...: ")
	p.keys("\r")
	p.wants("Out[1]: \na\n\nif x {\n\tb\n}\nIn [2]: ")
	p.keys("\x1b[200~c\td\x1b[201~\r")
	p.wants("Out[2]: c\td\nIn [3]: ")
}

// TestPromptLoad: what a command loads is the next entry, and can still be edited.
func TestPromptLoad(t *testing.T) {
	p := startPrompt(t)
	p.wants("In [1]: ")
	p.keys("%load\r")
	p.wants("In [2]: ")
	p.wants("}")
	p.keys("; x\r")
	p.wants("Out[2]: \nx := 1\nif x > 0 {\n\tx--\n}; x\nIn [3]: ")
}

// TestPromptBurst types faster than cells run.
func TestPromptBurst(t *testing.T) {
	p := startPrompt(t)
	p.wants("In [1]: ")
	var burst strings.Builder
	for i := range 200 {
		fmt.Fprintf(&burst, "word%d\r", i)
	}
	go p.tty.WriteString(burst.String())
	for i := range 200 {
		p.wants(fmt.Sprintf("Out[%d]: word%d\n", i+1, i))
	}
}

func TestPromptTabIndents(t *testing.T) {
	p := startPrompt(t)
	p.wants("In [1]: ")
	p.keys("a\tb\r")
	p.wants("Out[1]: a    b\n")
}

// TestPromptCompletes presses Tab.
func TestPromptCompletes(t *testing.T) {
	p := startPrompt(t, "HALFNOTE_TEST_PROMPT=session")
	p.wants("In [1]: ")
	p.keys("strings.Repe\t(`ab`, 2)\r")
	p.wants("+ import \"strings\"\nOut[1]: \"abab\"\n")
	p.wants("In [2]: ")
	p.keys("strings.ToU\t") // as far as it is clear
	p.wants("strings.ToU")
	p.wants("pper")
	p.keys("\t") // and what there is then
	p.wants("ToUpper         func(s string) string\n" +
		"ToUpperSpecial  func(c unicode.SpecialCase, s string) string\nIn [2]: strings.ToUpper")
	p.keys("(`é`)\r")
	p.wants("Out[2]: \"É\"\n")
	p.wants("In [3]: ")
	p.keys("for i := range 2 {\r")
	p.wants("   ...: ")
	p.keys("\tfmt.Printl\t(\"→\", i)\r") // the first one indents
	p.wants("    fmt.Printl")
	p.wants("   ...: ")
	p.keys("}\r")
	p.wants("→ 0\n→ 1\n")
	p.wants("In [4]: ")
	p.keys("nothing.like.this\t\t\x03")
	p.wants("nothing.like.this^C\nIn [4]: ")
	p.keys(":he\t\r")
	p.wants(":help\n")
	p.wants("Tab completes")
}

// TestPromptExplains presses Shift-Tab.
func TestPromptExplains(t *testing.T) {
	p := startPrompt(t, "HALFNOTE_TEST_PROMPT=session")
	p.wants("In [1]: ")
	p.keys("tensor.New(1, \x1b[Z")
	p.wants("func tensor.New(data any, dtype ...tensor.DType) *tensor.Tensor\n" +
		"                          ^~~~~~~~~~~~~~~~~~~~~\n")
	p.wants("In [1]: tensor.New(1, ")
	p.keys("\x03")
	p.wants("In [1]: ")
	p.keys("double := func(x int) int {\r")
	p.wants("   ...: ")
	p.keys("return math.MaxInt8 * x }; double(\x1b[Z")
	p.wants("var double func(x int) int\n                ^~~~~\n\nthis cell:1\n")
	p.wants("   ...: return math.MaxInt8 * x }; double(")
	p.keys("\x03")
	p.wants("In [1]: ")
	p.keys("optim.EMAConfig\x1b[Z")
	p.wants("more lines: Shift-Tab again\n")
	p.keys("\x1b[Z")
	p.wants("package \"halfnote/tensor/optim\"\n")
	p.keys("\x03\x04")
	if code := p.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestPromptExit(t *testing.T) {
	p := startPrompt(t)
	p.wants("In [1]: ")
	p.keys("exit\r")
	p.wants("exit status 3; Ctrl-D leaves the session\n")
	p.keys("1\r")
	p.wants("Out[2]: 1\nIn [3]: ")
	p.keys("\x04")
	if code := p.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestPromptColor(t *testing.T) {
	p := startPrompt(t, "NO_COLOR=")
	timeout := time.After(2 * time.Minute)
	var raw bytes.Buffer
	for !strings.Contains(raw.String(), "\x1b[32mIn [1]: \x1b[0m") {
		select {
		case more := <-p.text:
			raw.WriteString(more)
		case <-timeout:
			t.Fatalf("no coloured prompt in %q", raw.String())
		}
	}
}

// TestPromptDumb: a terminal that cannot edit gets prompts and lines, and Ctrl-C still works.
func TestPromptDumb(t *testing.T) {
	p := startPrompt(t, "TERM=dumb")
	p.wants("In [1]: ")
	p.keys("1\r")
	p.wants("Out[1]: 1\nIn [2]: ")
	p.keys("\x03")
	p.wants("\nIn [2]: ")
	p.keys("wait\r")
	p.wants("waiting\n")
	p.keys("\x03")
	p.wants("^C\n+ import \"x\"\ncontext canceled\nIn [3]: ")
	p.keys("\x04")
	if code := p.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
