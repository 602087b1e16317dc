package main

// This file implements the comparison of a float16 run on a device with the same run on the CPU and in
// torch.amp: same weights, same data.

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"

	"halfnote/amp/bench/steps"
)

//go:embed testdata/trajectory.py
var trajectory string

// printRun prints a run on the default device.
func printRun(out io.Writer, tiny bool) error {
	r := steps.NewRun(200, 64, 64, 128, 128, 10)
	if tiny {
		r = steps.NewRun(30, 8, 12, 16, 4)
	}
	r.Train()
	return json.NewEncoder(out).Encode(r)
}

// compareRuns prints how far the runs are from the one on the CPU, and fails where that is more than
// roundings explain.
func compareRuns(python, device string, tiny bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	trace := []string{"-trace"}
	if tiny {
		trace = append(trace, "-tiny")
	}
	ours := func(device string) (*steps.Run, []byte, error) {
		return runOf(nil, []string{"HALFNOTE_DEVICE=" + device}, self, trace...)
	}
	want, text, err := ours("cpu")
	if err != nil {
		return err
	}
	far := !printDifference("halfnote on cpu", want, want)
	if device != "cpu" {
		got, _, err := ours(device)
		if err != nil {
			return err
		}
		far = !printDifference("halfnote on "+device, got, want) || far
	}
	if has(python, "torch", "torch") {
		on := device
		if device != "cpu" && !has(python, "torch on "+device, "torch; torch.empty(1, device=\""+device+"\")") {
			on = "cpu"
		}
		got, _, err := runOf(text, nil, python, "-c", trajectory, on)
		if err != nil {
			return err
		}
		far = !printDifference("torch.amp on "+on, got, want) || far
	}
	if far {
		return errors.New("the runs differ by more than roundings explain")
	}
	return nil
}

// runOf returns the run that a program prints.
func runOf(in []byte, env []string, name string, args ...string) (*steps.Run, []byte, error) {
	cmd := exec.Command(name, args...)
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr, cmd.Env = bytes.NewReader(in), &errs, append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w\n%s", name, err, errs.Bytes())
	}
	var r steps.Run
	return &r, out, json.Unmarshal(out, &r)
}

// printDifference prints a line for r, and reports whether it is like want: the same scales, but for
// few steps where a gradient lies at the edge of float16, and losses whose means over a tenth of the run
// are within 5 %.
func printDifference(name string, r, want *steps.Run) bool {
	n := len(want.Losses)
	if len(r.Losses) != n {
		fmt.Printf("%-24s has %d steps, not %d\n", name, len(r.Losses), n)
		return false
	}
	scales, skipped, first, most := 0, 0, 0.0, 0.0
	before := want.Scaler.InitScale
	for i, s := range r.Scales {
		if s != want.Scales[i] {
			scales++
		}
		if s < before {
			skipped++
		}
		before = s
	}
	for i := 0; i < n; i += n / 10 {
		ours, theirs := mean(r.Losses[i:min(n, i+n/10)]), mean(want.Losses[i:min(n, i+n/10)])
		d := math.Abs(ours-theirs) / theirs
		if i == 0 {
			first = d
		}
		most = max(most, d)
	}
	fmt.Printf("%-24s loss %.4f to %.4f, scale at the end %g, %d steps skipped; beside the CPU %d of %d "+
		"scales differ, losses by %.2g at first and %.2g at most\n", name, mean(r.Losses[:n/10]),
		mean(r.Losses[n-n/10:]), before, skipped, scales, n, first, most)
	return scales <= n/10 && first <= 0.01 && most <= 0.05
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
