package install

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// python is an interpreter and what it says of itself.
type python struct {
	Path    string
	Version [2]int   `json:"version"`
	Prefix  string   `json:"prefix"`
	Lab     string   `json:"lab"`     // JupyterLab's version, "" if there is none
	Kernels []string `json:"kernels"` // where its Jupyter looks, first wins; nil without Jupyter
}

// query asks an interpreter of any version. It reads the version from the package's metadata:
// jupyter lab --version takes seconds, this a twentieth of one.
//
//go:embed query.py
var query string

// queryTime is how long an interpreter may take to answer on a machine that is busy or cold.
const queryTime = 20 * time.Second

// askPython runs the query in the interpreter at path.
func askPython(ctx context.Context, path string) (*python, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-c", query)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p := &python{Path: path}
	if err := json.Unmarshal(out, p); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// pythonNames are the names of interpreters on the path, in the order of preference.
func pythonNames() []string {
	if runtime.GOOS == "windows" {
		return []string{"python", "py", "python3"} // python3 may be a stub that opens the store
	}
	return []string{"python3", "python"}
}

// errNoPython is returned where no interpreter answers.
var errNoPython = errors.New("no Python 3 on the path; install it from your system's packages " +
	"or from python.org")

// findPython returns the first interpreter on the path that answers.
func findPython(ctx context.Context) (*python, error) {
	for _, name := range pythonNames() {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if p, err := askPython(ctx, path); err == nil && p.Version[0] == 3 {
			return p, nil
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, errNoPython
}

// findLab returns the interpreter that has the JupyterLab which the user would start: that of the
// jupyter-lab on the path, else one on the path that has the package; nil if there is none.
func findLab(ctx context.Context) (*python, error) {
	var paths []string
	if script, err := exec.LookPath("jupyter-lab"); err == nil {
		paths = append(paths, interpreterOf(script))
	}
	for _, name := range pythonNames() {
		if path, err := exec.LookPath(name); err == nil {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		if path == "" {
			continue
		}
		if p, err := askPython(ctx, path); err == nil && p.Lab != "" {
			return p, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, nil
}

// interpreterOf returns the interpreter of a Python script: the one in its first line, else the one
// that stands beside it or, on Windows, above it. Version managers have shell scripts on the path,
// for which the answer is "".
func interpreterOf(script string) string {
	if real, err := filepath.EvalSymlinks(script); err == nil {
		script = real
	}
	if f, err := os.Open(script); err == nil {
		line, _ := bufio.NewReader(f).ReadString('\n') // a program of Windows has no lines
		f.Close()
		path, found := strings.CutPrefix(strings.TrimSpace(line), "#!")
		if found && strings.HasPrefix(filepath.Base(path), "python") {
			return path
		}
	}
	dir := filepath.Dir(script)
	for _, path := range []string{
		filepath.Join(dir, "python3"), filepath.Join(dir, "python.exe"),
		filepath.Join(dir, "..", "python.exe"),
	} {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}
