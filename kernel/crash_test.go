package kernel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const traces = "\n\ngoroutine 7 [running]:\ninternal/runtime/maps.fatal({0x1c8?, 0x2?})\n"

func TestCrash(t *testing.T) {
	base := filepath.Join(t.TempDir(), "kernel.json")
	const cell = `{"count":3,"code":"m[1] = 2\nf()"}`
	for name, test := range map[string]struct {
		cell, stderr string
		want         []string
	}{
		"fatal error in a cell": {cell, "text\nfatal error: concurrent map writes" + traces,
			[]string{": fatal error: concurrent map writes\n", "cell 3:\n    m[1] = 2\n    f()\n"}},
		"fatal error between cells": {"", "fatal error: concurrent map writes" + traces,
			[]string{"concurrent map writes"}},
		"signal": {cell, "SIGSEGV: segmentation violation\nPC=0x45 m=0 sigcode=1" + traces,
			[]string{"SIGSEGV: segmentation violation\n"}},
		"panic":              {"", "panic: sorry\n\tof old" + traces, []string{"panic: sorry"}},
		"killed in a cell":   {cell, "panic: printed by a cell\n", []string{"killed", "f()"}},
		"killed in no cell":  {"", "panic: printed by a cell\n", nil},
		"nothing was before": {"", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for ext, text := range map[string]string{
				"": "{}", cellExt: test.cell, stderrExt: test.stderr,
			} {
				if err := os.WriteFile(base+ext, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			crash, err := OpenCrash(base)
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, Config{Crash: crash})
			told := c.run("1").stream("stderr")
			if len(test.want) == 0 && told != "" {
				t.Errorf("told %q", told)
			}
			for _, want := range test.want {
				if !strings.Contains(told, want) {
					t.Errorf("told %q, want %q in it", told, want)
				}
			}
			if again := c.run("1").stream("stderr"); again != "" {
				t.Errorf("told again: %q", again)
			}
			c.ask(Control, "shutdown_request", object{})
			<-c.k.Done()
			if left, _ := filepath.Glob(base + ".*"); left != nil {
				t.Errorf("after a shutdown there is still %q", left)
			}
		})
	}
}

// TestCrashesOfOthers: what killed kernels have left is taken away, but not that of kernels which
// may still start anew.
func TestCrashesOfOthers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"a.json" + cellExt, "a.json" + stderrExt, "b.json", "b.json" + cellExt, "x.json.cell",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	crash, err := OpenCrash(filepath.Join(dir, "c.json"))
	if err != nil {
		t.Fatal(err)
	}
	crash.remove()
	var left []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if got := strings.Join(left, " "); got != "b.json b.json.halfnote-cell x.json.cell" {
		t.Errorf("left: %s", got)
	}
}

func TestCrashKeepsTheRunningCell(t *testing.T) {
	base := filepath.Join(t.TempDir(), "kernel.json")
	crash, err := OpenCrash(base)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, Config{Crash: crash})
	id := c.send(Shell, "execute_request", object{"code": "fmt.Println(1)\nfor {\n}"})
	c.waitFor("stream", id)
	text, err := os.ReadFile(base + cellExt)
	if err != nil || !strings.HasPrefix(string(text), `{"count":1,"code":"fmt.Println(1)`) {
		t.Errorf("%v %q", err, text)
	}
	c.k.Interrupt()
	c.finish(id, true)
	if text, err := os.ReadFile(base + cellExt); err != nil || len(text) > 0 {
		t.Errorf("after the cell: %v %q", err, text)
	}
	c.k.Shutdown()
	<-c.k.Done()
}
