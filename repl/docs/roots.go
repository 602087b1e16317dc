package docs

// This file finds an installed Go and its module cache.

import (
	"context"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// findGo returns the folder of an installed Go with its source, or "".
func findGo() string {
	if root := os.Getenv("GOROOT"); hasSource(root) {
		return root
	}
	if tool, err := exec.LookPath("go"); err == nil {
		if real, err := filepath.EvalSymlinks(tool); err == nil {
			if root := filepath.Dir(filepath.Dir(real)); hasSource(root) {
				return root
			}
		}
		if root := askGo(tool); hasSource(root) { // the tool is a script that starts another one
			return root
		}
	}
	home, _ := os.UserHomeDir()
	for _, pattern := range []string{
		"/usr/local/go", "/usr/lib/go", "/usr/lib/go-*", "/usr/lib/golang",
		"/opt/homebrew/opt/go/libexec", "/usr/local/opt/go/libexec", `C:\Program Files\Go`,
		filepath.Join(home, "sdk", "go*"),
		filepath.Join(findModCache(), "golang.org", "toolchain@*-"+runtime.Version()+".*"),
	} {
		found, _ := filepath.Glob(pattern) // the patterns are right
		for _, root := range slices.Backward(found) {
			if hasSource(root) {
				return root
			}
		}
	}
	return ""
}

// hasSource reports whether a Go with its source is in root.
func hasSource(root string) bool {
	if root == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(root, "src", "fmt", "print.go"))
	return err == nil
}

// askGo lets the go command say where it is.
func askGo(tool string) string {
	const patience = 2 * time.Second // it answers in some 10 ms
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, "env", "GOROOT")
	cmd.Dir = os.TempDir()                              // no go.mod has a say
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local") // and nothing is downloaded
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// findModCache returns the folder of the module cache, which need not exist.
func findModCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	list := filepath.SplitList(build.Default.GOPATH)
	if len(list) == 0 {
		return ""
	}
	return filepath.Join(list[0], "pkg", "mod")
}

// moduleDir returns the folder of a package of another module: in the version that this program was
// built with, or else the newest there is; "" if there is none.
func moduleDir(cache, path string) string {
	if cache == "" {
		return ""
	}
	for mod := path; mod != "."; mod = filepath.ToSlash(filepath.Dir(filepath.FromSlash(mod))) {
		escaped, err := module.EscapePath(mod)
		if err != nil {
			continue
		}
		base := filepath.Join(cache, filepath.FromSlash(escaped)) + "@"
		rest := filepath.FromSlash(strings.TrimPrefix(path, mod))
		if version := builtWith(mod); version != "" {
			if dir := base + version + rest; isDir(dir) {
				return dir
			}
		}
		found, _ := filepath.Glob(base + "v*") // the pattern is right
		slices.SortFunc(found, func(a, b string) int {
			return semver.Compare(b[len(base):], a[len(base):])
		})
		for _, dir := range found {
			if isDir(dir + rest) {
				return dir + rest
			}
		}
	}
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// builtWith returns the version of a module in this program, or "".
func builtWith(mod string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == mod {
			if dep.Replace != nil {
				dep = dep.Replace
			}
			return dep.Version
		}
	}
	return ""
}
