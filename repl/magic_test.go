package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"cell.go": "x := 1\n", "binary": "\x00", "latin1": "\xe4",
		"large": strings.Repeat("x", maxLoad+1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	s := New(Config{})
	for _, test := range []struct{ src, page, next, err, help string }{
		{src: "%help", page: "%quit"},
		{src: " ?\n", page: "%load FILE"},
		{src: "%load?", page: "begin the next cell"},
		{src: "?%load", page: "begin the next cell"},
		{src: "%load cell.go", next: "x := 1\n"},
		{src: "answer := 6 * 7"},
		{src: "?answer", page: "42"},
		{src: "%load binary", err: "%load: binary is no text in UTF-8"},
		{src: "%load latin1", err: "%load: latin1 is no text in UTF-8"},
		{src: "%load large", err: "%load: large is larger than the 1 MB that a cell may have"},
		{src: "x?", err: "x?: nothing is known of x"},
		{src: "?answr", err: "?answr: nothing is known of answr", help: `did you mean "answer"?`},
		{src: "?strings.Builder.WriteStrin", err: "?strings.Builder.WriteStrin: nothing is known of " +
			"strings.Builder.WriteStrin", help: `did you mean "WriteString"?`},
		{src: "tensor.Sum?", err: "tensor.Sum?: nothing is known of tensor.Sum",
			help: "tensor.Tensor has a method Sum"},
		{src: "?GradScaler", page: "type amp.GradScaler struct"},
		{src: "Tensor.Sum?", page: "func (t *tensor.Tensor) Sum(axes ...int) *tensor.Tensor"},
		{src: "?LayerNorm", err: "?LayerNorm: nothing is known of LayerNorm",
			help: "?nn.LayerNorm or ?tensor.LayerNorm"},
		{src: "??a.b", err: "??a.b: nothing is known of a.b"},
	} {
		res, err := s.Eval(t.Context(), test.src, nil)
		if res.NextInput != test.next || res.Quit || res.Shown {
			t.Errorf("%q gives %+v", test.src, res)
		}
		if test.page != "" && (res.Page == nil || !strings.Contains(res.Page.Text(), test.page)) {
			t.Errorf("the page of %q is %v", test.src, res.Page)
		}
		e, _ := err.(*Error)
		if test.err == "" && err != nil || test.err != "" && (e == nil || e.Message() != test.err) {
			t.Errorf("%q: error %v", test.src, err)
		}
		if e != nil && e.Diagnostics[0].Help != test.help {
			t.Errorf("%q: help %q, want %q", test.src, e.Diagnostics[0].Help, test.help)
		}
	}
	if res, err := s.Eval(t.Context(), "%exit", nil); !res.Quit || err != nil {
		t.Errorf("%%exit gives %+v, %v", res, err)
	}
}

func TestHelpListsEveryCommand(t *testing.T) {
	res, err := New(Config{}).Eval(t.Context(), "%help", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		if !strings.Contains(res.Page.Text(), "%"+c.names[0]) || c.help == "" {
			t.Errorf("no help for %s", c.names[0])
		}
	}
}

// TestCompleteCommand completes commands and the files that they take, in a folder of its own.
func TestCompleteCommand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"cell.go", "cells/more.go", ".hidden", "other.txt", "two words.go"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	s := New(Config{})
	for src, want := range map[string]string{
		"%":                "%help %load %who %prof %tb %autoimport %quit: command from 0",
		"%lo":              "%load: command from 0",
		"x := 1\n  %ex":    "%exit: command from 9",
		"%what":            ": from 0",
		"%%":               ": from 0",
		"%load ":           "cell.go cells/ other.txt two words.go: path from 6",
		"%load  cell":      "cell.go cells/: path from 7",
		"%load cells/":     "more.go: path from 12",
		"%load ~/cells/m":  "more.go: path from 14",
		"%load .":          ".hidden: path from 6",
		"%load two w":      "two words.go: path from 6",
		"%load no/such/fi": ": from 14",
		"%help ":           ": from 6",
	} {
		c := s.Complete(src, len(src))
		var texts []string
		kind := ""
		for _, item := range c.Items {
			texts, kind = append(texts, item.Text), item.Kind+" "
		}
		got := fmt.Sprintf("%s: %sfrom %d", strings.Join(texts, " "), kind, c.Start)
		if got != want || c.End != len(src) {
			t.Errorf("%q: %s, to %d; want %s", src, got, c.End, want)
		}
	}
}
