package install

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

//go:embed lab.txt
var labPins string

// labPython is the oldest Python that the versions in lab.txt run in.
var labPython = [2]int{3, 10}

// privateLab is a virtual environment that belongs to halfnote alone. Environments cannot be moved
// once they are made, so it is made in its place, and a marker written last says that it is whole.
type privateLab struct {
	root string // holds the environments, the lock and the log
	pins []string
}

func newPrivateLab(h host) *privateLab {
	l := &privateLab{root: filepath.Join(h.ownData(), "lab")}
	for line := range strings.Lines(labPins) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			l.pins = append(l.pins, line)
		}
	}
	return l
}

// dir is named after the versions: others make another environment.
func (l *privateLab) dir() string {
	sum := sha256.Sum256([]byte(strings.Join(l.pins, "\n")))
	return filepath.Join(l.root, fmt.Sprintf("venv-%x", sum[:4]))
}

func (l *privateLab) python() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(l.dir(), "Scripts", "python.exe")
	}
	return filepath.Join(l.dir(), "bin", "python")
}

func (l *privateLab) marker() string { return filepath.Join(l.dir(), "complete") }
func (l *privateLab) log() string    { return filepath.Join(l.root, "install.log") }

// find returns the interpreter of the environment if that is whole and still works, which it does
// not when the Python it was made with is gone; else nil.
func (l *privateLab) find(ctx context.Context) (*python, error) {
	if _, err := os.Stat(l.marker()); err != nil {
		return nil, nil
	}
	p, err := askPython(ctx, l.python())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || p.Lab == "" {
		return nil, nil
	}
	return p, nil
}

// lock makes others wait who make the environment at the same time.
func (l *privateLab) lock() (unlock func(), err error) {
	if err := os.MkdirAll(l.root, 0o755); err != nil {
		return nil, err
	}
	return lockedfile.MutexAt(filepath.Join(l.root, "lock")).Lock()
}

// make makes the environment anew. What the programs say goes into a log, which stays if one fails.
func (l *privateLab) make(ctx context.Context, steps *steps) (*python, error) {
	base, err := findPython(ctx)
	if err != nil {
		return nil, err
	}
	if v := base.Version; v[0] < labPython[0] || v[0] == labPython[0] && v[1] < labPython[1] {
		return nil, fmt.Errorf("the Python %d.%d at %s is older than %d.%d, which JupyterLab needs",
			v[0], v[1], base.Path, labPython[0], labPython[1])
	}
	log, err := os.Create(l.log())
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if err := steps.run("virtual environment", func(w io.Writer) error {
		return l.makeVenv(ctx, base.Path, io.MultiWriter(log, w))
	}); err != nil {
		return nil, err
	}
	if err := steps.run(strings.Replace(l.pins[0], "jupyterlab==", "JupyterLab ", 1),
		func(w io.Writer) error { return l.installPins(ctx, io.MultiWriter(log, w)) },
	); err != nil {
		return nil, err
	}
	p, err := askPython(ctx, l.python())
	if err != nil {
		return nil, err
	}
	if p.Lab == "" {
		return nil, fmt.Errorf("pip has left no JupyterLab in %s; its log is in %s",
			l.dir(), l.log())
	}
	return p, os.WriteFile(l.marker(), []byte(strings.Join(l.pins, "\n")+"\n"), 0o644)
}

// makeVenv makes an environment with pip in it. Debian's Python has no venv until a package brings
// it, but perhaps virtualenv is there.
func (l *privateLab) makeVenv(ctx context.Context, base string, out io.Writer) error {
	for _, argv := range [][]string{
		{base, "-m", "venv"}, {base, "-m", "virtualenv"}, {"virtualenv"},
	} {
		if err := os.RemoveAll(l.dir()); err != nil {
			return err
		}
		err := command(ctx, out, append(argv, l.dir())...)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprintln(out, err)
	}
	return fmt.Errorf("%s cannot make a virtual environment; on Debian and Ubuntu: "+
		"apt install python3-venv. What it said is in %s", base, l.log())
}

func (l *privateLab) installPins(ctx context.Context, out io.Writer) error {
	var failed lastError
	argv := []string{l.python(), "-m", "pip", "install",
		"--no-input", "--disable-pip-version-check", "--progress-bar=off"}
	err := command(ctx, io.MultiWriter(out, &failed), append(argv, l.pins...)...)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("pip: %s; its log is in %s", failed.text(err), l.log())
}

// command runs a program until it ends or ctx does; what it prints goes to out.
func command(ctx context.Context, out io.Writer, argv ...string) error {
	fmt.Fprintln(out, "+", strings.Join(argv, " "))
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Cancel = func() error { // so that it can clean up; Windows cannot
		err := cmd.Process.Signal(os.Interrupt)
		if err == nil || errors.Is(err, os.ErrProcessDone) {
			return err
		}
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %v", argv[0], err) // not wrapped: its exit code is not ours
	}
	return nil
}

// lastError is a writer that keeps the last line in which pip says what is wrong.
type lastError struct {
	lines lineWriter
	last  string
}

func (e *lastError) Write(p []byte) (int, error) {
	e.lines.each(p, func(line string) {
		if text, found := strings.CutPrefix(line, "ERROR: "); found {
			e.last = text
		}
	})
	return len(p), nil
}

// text returns what pip has said, or else err.
func (e *lastError) text(err error) string {
	if e.last == "" {
		return err.Error()
	}
	return e.last
}

// lineWriter cuts what is written into lines.
type lineWriter struct{ rest []byte }

func (w *lineWriter) each(p []byte, line func(string)) {
	w.rest = append(w.rest, p...)
	for {
		i := bytes.IndexByte(w.rest, '\n')
		if i < 0 {
			return
		}
		line(strings.TrimRight(string(w.rest[:i]), "\r"))
		w.rest = w.rest[i+1:]
	}
}
