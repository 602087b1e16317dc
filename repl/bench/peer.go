package main

// This file implements what runs the programs.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
)

// A peer is one that runs programs.
type peer struct {
	name string
	ext  string // of its programs
	args []string
}

// does reports whether the peer can do a work.
func (p peer) does(w work) bool {
	switch p.name {
	case "Python", "yaegi":
		return !w.tensors
	case "PyTorch":
		return w.tensors && w.than == p.name
	}
	return true
}

// peers returns all that there are here, to do the works: the compiled programs' folder is theirs.
func peers(folder, halfnote, python, torch string, works []work) ([]peer, error) {
	if halfnote == "" {
		halfnote = filepath.Join(folder, "halfnote.exe")
		if err := build(halfnote, "halfnote"); err != nil {
			return nil, err
		}
	}
	for _, w := range works {
		path := filepath.Join(folder, "testdata", w.name)
		if err := build(path+".exe", path+".go"); err != nil {
			return nil, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	found := []peer{{name: "go build", ext: ".exe"}}
	if _, err := exec.LookPath(python); err == nil {
		found = append(found, peer{"Python", ".py", []string{python}})
	} else {
		fmt.Fprintln(os.Stderr, "bench: without Python:", err)
	}
	if torch != "" {
		found = append(found, peer{"PyTorch", ".py", []string{torch}})
	}
	return append(found, peer{"yaegi", ".go", []string{self, "-yaegi"}},
		peer{"halfnote", ".go", []string{halfnote, "run"}}), nil
}

// run runs the program of a path without its extension. It returns its result and how long it took:
// as it says itself or, if it says nothing, from start to end.
func (p peer) run(program string) (result string, took time.Duration, err error) {
	command := append(p.args[:len(p.args):len(p.args)], program+p.ext)
	start := time.Now()
	out, err := outputOf(command[0], command[1:]...)
	took = time.Since(start)
	if err != nil || out == "" {
		return "", took, err
	}
	result, said, _ := strings.Cut(out, " ")
	seconds, err := strconv.ParseFloat(said, 64)
	return result, time.Duration(seconds * float64(time.Second)), err
}

// interpret runs a program in the interpreter as its own command does.
func interpret(path string) error {
	i := interp.New(interp.Options{Unrestricted: true})
	if err := i.Use(stdlib.Symbols); err != nil {
		return err
	}
	_, err := i.EvalPath(path)
	return err
}
