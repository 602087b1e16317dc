package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// programs are what scripts can run.
var programs = map[string]func(){"halfnote": main}

func TestMain(m *testing.M) { testscript.Main(m, programs) }

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
	})
}

// TestInterrupt: Ctrl-C ends a program that runs for ever, with the exit code of a shell.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // has no signal that a test could send
	}
	dir := t.TempDir()
	notebook := filepath.Join(dir, "x.ipynb")
	const src = `{"cells": [{"cell_type": "code", "source": "fmt.Println(\"ready\")\nfor {\n}"}],
		"metadata": {}, "nbformat": 4, "nbformat_minor": 5}`
	if err := os.WriteFile(notebook, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"expression": {"-e", "fmt.Println(\"ready\")\nfor {\n}"},
		"notebook":   {"run", notebook},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("halfnote", args...)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v", line, err)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
				t.Errorf("ended with %v, want exit status 130", err)
			}
		})
	}
	if after, err := os.ReadFile(notebook); err != nil || string(after) != src {
		t.Errorf("the interrupted run has changed the notebook: %v\n%s", err, after)
	}
}

// TestInterruptWrites: what an interrupted run of a notebook was to write has the outputs so far.
func TestInterruptWrites(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // has no signal that a test could send
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // where nohup runs the tests, the program would heed it, too
	defer signal.Stop(hangups)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) { testInterruptWrites(t, s) })
	}
}

func testInterruptWrites(t *testing.T, s os.Signal) {
	dir := t.TempDir()
	notebook := filepath.Join(dir, "x.ipynb")
	const src = `{"cells": [
		{"cell_type": "markdown", "source": "Cells are counted without this."},
		{"cell_type": "code", "source": "6*7"},
		{"cell_type": "code", "source":
			"fmt.Println(\"begun\")\nos.NewFile(3, \"ready\").WriteString(\"\\n\")\nfor {\n}"},
		{"cell_type": "code", "source": "fmt.Println(\"after\")"}
	], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`
	if err := os.WriteFile(notebook, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	ready, cell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, page := filepath.Join(dir, "out.ipynb"), filepath.Join(dir, "page.html")
	cmd := exec.Command("halfnote", "run", notebook, "-o", out, "--html", page)
	cmd.ExtraFiles = []*os.File{cell}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	cell.Close()
	if line, err := bufio.NewReader(ready).ReadString('\n'); err != nil {
		t.Fatalf("the cell wrote %q, %v", line, err)
	}
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("ended with %v, want exit status 130", err)
	}
	if want := "halfnote: cell 2: interrupted\n"; !strings.HasSuffix(said.String(), want) {
		t.Errorf("said %q, want %q at the end", said.String(), want)
	}
	for file, wants := range map[string][]string{
		out:  {`"42"`, `"begun\n"`, `"ename": "Interrupted"`},
		page: {"42", "begun", "interrupted"},
	} {
		text, err := os.ReadFile(file)
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %s: %v\n%s", filepath.Base(file), want, err, text)
			}
		}
	}
	if after, err := os.ReadFile(notebook); err != nil || string(after) != src {
		t.Errorf("the interrupted run has changed the notebook: %v\n%s", err, after)
	}
}

// arrows says which packages of this module a package may import; a name that ends in /... stands
// for all below it.
var arrows = map[string]string{
	"": "internal/memory repl repl/terminal kernel kernel/zmq notebooks install tensor",

	"repl/terminal": "repl repl/display",
	"kernel":        "repl repl/display",
	"kernel/zmq":    "kernel",
	"notebooks":     "repl repl/display",
	"install":       "internal/memory repl/display tensor",

	"internal/memory":  "",
	"internal/own":     "",
	"internal/many":    "",
	"internal/pending": "",

	"repl": "internal/memory internal/pending repl/check repl/ir repl/lower repl/emit repl/rt repl/std " +
		"repl/symbols repl/docs repl/display",

	"repl/bench":       "",
	"repl/check":       "",
	"repl/compare":     "",
	"repl/docs":        "",
	"repl/ir":          "",
	"repl/random":      "",
	"repl/lower":       "repl/check repl/ir repl/rt",
	"repl/emit":        "repl/ir repl/rt",
	"repl/rt":          "internal/memory repl/display",
	"repl/std":         "",
	"repl/std/...":     "",
	"repl/display":     "",
	"repl/symbols":     "repl/symbols/...",
	"repl/symbols/...": "repl/display amp amp/... tensor tensor/...",

	"amp":                 "internal/many internal/own tensor",
	"amp/...":             "amp tensor tensor/nn tensor/optim",
	"amp/bench":           "amp/bench/steps tensor",
	"amp/monitor":         "amp internal/many internal/own tensor",
	"tensor":              "internal/many internal/own internal/pending tensor/internal/...",
	"tensor/...":          "tensor",
	"tensor/nn":           "internal/many internal/own tensor",
	"tensor/optim":        "internal/many internal/own tensor",
	"tensor/data":         "internal/memory tensor",
	"tensor/dist":         "tensor tensor/nn",
	"tensor/internal/...": "internal/memory tensor/internal/...",

	"tensor/internal/device": "",
	"tensor/internal/cpu": "internal/memory tensor/internal/device tensor/internal/cpu/gemm " +
		"tensor/internal/cpu/heap tensor/internal/cpu/pool tensor/internal/cpu/simd",
	"tensor/internal/cpu/gemm": "tensor/internal/device tensor/internal/cpu/heap " +
		"tensor/internal/cpu/pool tensor/internal/cpu/simd",
	"tensor/internal/cpu/heap":      "internal/memory tensor/internal/cpu/pool tensor/internal/device",
	"tensor/internal/cpu/pool":      "",
	"tensor/internal/cpu/simd":      "tensor/internal/cpu/simd/coef",
	"tensor/internal/cpu/simd/coef": "",
	"tensor/internal/cpu/simd/gen":  "tensor/internal/cpu/simd/coef",

	"tensor/internal/cuda": "tensor/internal/cpu tensor/internal/device",
}

// private says which places alone may import a library.
var private = map[string]string{
	"github.com/traefik/yaegi/interp":    "repl/yaegi.go repl/bench/",
	"github.com/go-zeromq/zmq4":          "kernel/",
	"gorgonia.org/cu":                    "tensor/internal/cuda/",
	"github.com/klauspost/compress/zstd": "tensor/internal/cuda/",
}

func TestImportArrows(t *testing.T) {
	list := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		from := inModule(p.ImportPath)
		allowed, ok := arrows[from]
		for dir := from; !ok && dir != ""; {
			dir = dir[:max(0, strings.LastIndexByte(dir, '/'))]
			allowed, ok = arrows[dir+"/..."]
		}
		if !ok {
			t.Errorf("package %s has no place in the layout", p.ImportPath)
		}
		for _, path := range p.Imports {
			if path != "halfnote" && !strings.HasPrefix(path, "halfnote/") {
				continue
			}
			to := inModule(path)
			if !slices.ContainsFunc(strings.Fields(allowed), func(pattern string) bool {
				dir, below := strings.CutSuffix(pattern, "...")
				return to == pattern || below && strings.HasPrefix(to, dir)
			}) {
				t.Errorf("%s must not import %s", p.ImportPath, path)
			}
		}
	}
}

func inModule(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "halfnote"), "/")
}

func TestPrivateImports(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			places, ok := private[strings.Trim(spec.Path.Value, `"`)]
			if ok && !slices.ContainsFunc(strings.Fields(places), func(place string) bool {
				return strings.HasPrefix(filepath.ToSlash(path), place)
			}) {
				t.Errorf("%s imports %s, which belongs to %s", path, spec.Path.Value, places)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
