package main

// This file implements the running of one process to its end or to its limit.

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

// A limit says what a process may use.
type limit struct {
	time   time.Duration
	memory int64 // bytes
}

// atLeast is l, or ten times what done has used where that is more.
func (l limit) atLeast(done ended) limit {
	return limit{max(l.time, 10*done.time), max(l.memory, 10*done.memory)}
}

// ended is a process that has come to its end.
type ended struct {
	output string // standard output and standard error, in the order in which they were written
	exit   int    // -1 if a signal has ended it
	time   time.Duration
	busy   time.Duration // of processors
	memory int64         // the most it had, where the system tells
	late   bool          // it was ended because its time was over
}

// run runs a command in a folder, with nothing on its standard input, and ends it and what it has
// started when its time is over.
func run(ctx context.Context, most time.Duration, dir, name string, args ...string) (ended, error) {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	var out capped
	cmd := exec.CommandContext(limited, name, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // for what holds the output open and cannot be ended
	ownGroup(cmd)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return ended{}, err
	}
	err := cmd.Wait()
	took := time.Since(start)
	endGroup(cmd) // what it has left running
	if ctx.Err() != nil {
		return ended{}, ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) &&
		limited.Err() == nil {
		return ended{}, err
	}
	return ended{
		output: out.String(),
		exit:   cmd.ProcessState.ExitCode(),
		time:   took,
		busy:   cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		memory: peakMemory(cmd.ProcessState),
		late:   limited.Err() != nil,
	}, nil
}

// maxOutput is how much of a program's output is kept: no program of Go's tests has a tenth of it.
const maxOutput = 16 << 20

// capped keeps the beginning of what is written.
type capped struct{ buf bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	c.buf.Write(p[:min(len(p), maxOutput-c.buf.Len())])
	return len(p), nil
}

func (c *capped) String() string { return c.buf.String() }
