package main

// This file implements the processes that measure, each asked for a round by a line on stdin and
// answering with one: the median seconds of a call, and the bytes of memory that calls took at most,
// or -1 where that is not known.

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

//go:embed testdata/peer.py
var script string

// us is the name of the peer that we are.
const us = "halfnote"

// A peer is a library that works are measured in.
type peer struct {
	name      string
	command   []string // to which the name of the work is added
	env       []string // besides ours
	roundTime time.Duration
}

// findPeers returns us and what Python has.
func findPeers(python string) ([]peer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	peers := []peer{{name: us, command: []string{self, "-serve"}}}
	for _, p := range []struct{ name, library string }{{"torch", "torch"}, {"OpenBLAS", "numpy"}} {
		if has(python, p.name, p.library) {
			peers = append(peers, peer{name: p.name, command: []string{python, "-c", script, "cpu", p.name}})
		}
	}
	for i := range peers {
		peers[i].roundTime = cpuSize.roundTime
	}
	return peers, nil
}

// has reports whether Python has a peer's library, and prints why not.
func has(python, peer, library string) bool {
	load := "import " + library
	err := exec.Command(python, "-c", load).Run()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: without %s: %s -c '%s': %v\n", peer, python, load, err)
	}
	return err == nil
}

// A process is a peer that has a work ready.
type process struct {
	peer
	cmd  *exec.Cmd
	ask  io.WriteCloser
	says *bufio.Reader
	errs strings.Builder
}

func (p peer) start(work string, threads int) (*process, error) {
	command := append(p.command[:len(p.command):len(p.command)], work)
	r := &process{peer: p, cmd: exec.Command(command[0], command[1:]...)}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "OPENBLAS_") { // which may switch its best kernels off
			r.cmd.Env = append(r.cmd.Env, variable)
		}
	}
	n := strconv.Itoa(threads)
	r.cmd.Env = append(r.cmd.Env, "GOMAXPROCS="+n, "OMP_NUM_THREADS="+n, "MKL_NUM_THREADS="+n,
		"OPENBLAS_NUM_THREADS="+n)
	r.cmd.Env = append(r.cmd.Env, p.env...)
	r.cmd.Stderr = &r.errs
	ask, err := r.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.ask, r.says = ask, bufio.NewReader(out)
	return r, r.cmd.Start()
}

// round lets the peer measure once.
func (r *process) round() (took time.Duration, memory int, err error) {
	if _, err := fmt.Fprintln(r.ask, r.roundTime.Seconds()); err != nil {
		return 0, 0, r.failed(err)
	}
	line, err := r.says.ReadString('\n')
	if err != nil {
		return 0, 0, r.failed(err)
	}
	var seconds float64
	if _, err := fmt.Sscan(line, &seconds, &memory); err != nil {
		return 0, 0, fmt.Errorf("%q: %w", line, err)
	}
	return time.Duration(seconds * float64(time.Second)), memory, nil
}

// failed adds to err what the process wrote on stderr.
func (r *process) failed(err error) error {
	r.stop()
	if text := strings.TrimSpace(r.errs.String()); text != "" {
		return errors.New(text)
	}
	return err
}

func (r *process) stop() {
	r.ask.Close()
	r.cmd.Wait()
}

// serveWork measures a work once for each line, which holds the seconds that it may take, or the name of
// the work that comes next.
func serveWork(s size, name string, asks io.Reader, says io.Writer) error {
	works := worksOf(s)
	call, before, err := begin(works, name)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(asks)
	for lines.Scan() {
		seconds, err := strconv.ParseFloat(lines.Text(), 64)
		if err != nil {
			name = lines.Text()
			if call, before, err = begin(works, name); err != nil {
				return err
			}
			continue
		}
		took := s.clockOf(name).median(call, time.Duration(seconds*float64(time.Second)))
		memory := -1
		if peak := resident("VmHWM"); peak >= 0 && before >= 0 && !s.gpu {
			memory = peak - before
		}
		fmt.Fprintln(says, took.Seconds(), memory)
	}
	return lines.Err()
}

// begin makes a work ready, and returns what the process took in memory before its first call.
func begin(works []work, name string) (call func(), before int, err error) {
	for _, w := range works {
		if w.name == name {
			call = w.make()
			before = resident("VmRSS")
			call() // the first one loads what is loaded late
			return call, before, nil
		}
	}
	return nil, 0, fmt.Errorf("nothing to measure is called %q", name)
}

// resident returns a field of Linux's account of this process's memory in bytes, or -1.
func resident(field string) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(status)) {
		var kib int
		if n, _ := fmt.Sscanf(line, field+": %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return -1
}
