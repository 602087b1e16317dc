package kernel

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// A Crash keeps what the next kernel tells if this process dies: the cell that runs, and what the
// Go runtime says in a fatal error, which it writes to the standard error. It lives in two files,
// which a kernel that ends as it should takes away. A nil Crash keeps nothing.
type Crash struct {
	stderr *os.File

	mu     sync.Mutex
	cell   *os.File
	before string // what became of the kernel before this one, until it is told
}

// crashedCell is what the file of the running cell holds; it is empty when none runs.
type crashedCell struct {
	Count int    `json:"count"`
	Code  string `json:"code"`
}

// The files are named as the connection file, and more.
const cellExt, stderrExt = ".halfnote-cell", ".halfnote-stderr"

// OpenCrash opens the two files, which only their owner may read, and reads what a kernel before this
// one has left there. Base is the connection file; files of kernels beside it whose connection file
// is gone, so that no kernel will read them, are taken away.
func OpenCrash(base string) (*Crash, error) {
	sweep(filepath.Dir(base))
	c := &Crash{before: readCrash(base)}
	var err error
	if c.cell, err = openNew(base + cellExt); err != nil {
		return nil, fmt.Errorf("crash note: %w", err)
	}
	if c.stderr, err = openNew(base + stderrExt); err != nil {
		c.cell.Close()
		return nil, fmt.Errorf("crash note: %w", err)
	}
	return c, nil
}

// sweep removes what killed kernels have left in a folder.
func sweep(dir string) {
	for _, ext := range []string{cellExt, stderrExt} {
		left, _ := filepath.Glob(filepath.Join(dir, "*.json"+ext)) // the pattern is right
		for _, path := range left {
			if _, err := os.Stat(strings.TrimSuffix(path, ext)); os.IsNotExist(err) {
				_ = os.Remove(path) // another kernel may have been faster
			}
		}
	}
}

func openNew(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|os.O_TRUNC, 0o600)
}

// Stderr is the file to be the process's standard error: a pipe to the process itself would lose
// its last words.
func (c *Crash) Stderr() *os.File {
	if c == nil {
		return nil
	}
	return c.stderr
}

// maxCrash is how much of a file is read: the rest is the traces of many goroutines.
const maxCrash = 2 << 20

// readCrash returns what a person should know of the kernel that has left the files, or "".
func readCrash(base string) string {
	var cell crashedCell
	_ = json.Unmarshal(readSome(base+cellExt), &cell) // no cell ran
	reason := lastWords(string(readSome(base + stderrExt)))
	switch {
	case reason == "" && cell.Count == 0:
		return ""
	case reason == "":
		reason = "it was killed, by force or for lack of memory"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The kernel died and started anew, without the names of before: %s\n", reason)
	if cell.Count > 0 {
		fmt.Fprintf(&b, "It ran cell %d:\n    %s\n", cell.Count,
			strings.ReplaceAll(strings.TrimSpace(cell.Code), "\n", "\n    "))
	}
	return b.String()
}

func readSome(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxCrash)) // what can be read
	return text
}

// fatal finds the message of the runtime with which a Go process ends; traces follow it.
var fatal = regexp.MustCompile(`(?m)^((?:fatal error|panic|runtime): .*|SIG[A-Z]+: .*)` +
	`(?:\n.+)*\n\n(?:.*\n)*?(?:goroutine|runtime stack|created by)`)

// lastWords returns what the runtime said when it ended the process that has written the text.
func lastWords(text string) string {
	m := fatal.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// take returns what became of the kernel before, the first time.
func (c *Crash) take() string {
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.before
	c.before = ""
	return text
}

// begin notes that a cell runs. Notes are for the worst case: errors of the file stop no cell.
func (c *Crash) begin(n int, code string) {
	if c == nil {
		return
	}
	_ = c.cell.Truncate(0)
	_, _ = c.cell.Write(encode(crashedCell{n, code}))
}

// end notes that no cell runs.
func (c *Crash) end() {
	if c != nil {
		_ = c.cell.Truncate(0)
	}
}

// remove takes the files away; the kernel ends as it should. The standard error stays open.
func (c *Crash) remove() {
	if c == nil {
		return
	}
	_ = c.cell.Close()
	_ = os.Remove(c.cell.Name())
	_ = os.Remove(c.stderr.Name())
}
