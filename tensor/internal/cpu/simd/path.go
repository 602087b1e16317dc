package simd

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Path is a set of vector instructions that kernels are written for. Later ones include the
// earlier ones of their processor.
type Path uint8

// The paths.
const (
	Go         Path = iota // plain Go, everywhere
	NEON                   // arm64
	AVX2                   // amd64 with AVX2, FMA and F16C
	AVX512                 // amd64 with AVX-512 F, BW, DQ and VL
	AVX512BF16             // the same with products of bfloat16
)

var names = [...]string{"go", "neon", "avx2", "avx512", "avx512bf16"}

// String returns the name that HALFNOTE_CPU takes.
func (p Path) String() string { return names[p] }

// Paths returns the paths that this machine has, the best one last.
func Paths() []Path { return slices.Clone(available) }

var available = append([]Path{Go}, detect()...)

// path is the one in use.
var path, pathError = choose(os.Getenv("HALFNOTE_CPU"))

// choose returns the path of that name, or the best one where name is empty or cannot be had.
func choose(name string) (Path, error) {
	best := available[len(available)-1]
	if name == "" {
		return best, nil
	}
	i := slices.Index(names[:], name)
	if i >= 0 && slices.Contains(available, Path(i)) {
		return Path(i), nil
	}
	have := make([]string, len(available))
	for i, p := range available {
		have[i] = p.String()
	}
	return best, fmt.Errorf("HALFNOTE_CPU=%s: this machine has %s; %s is used",
		name, strings.Join(have, ", "), best)
}

// Current returns the path in use: the one that the environment variable HALFNOTE_CPU names, else
// the best one. The error says why the variable could not be followed.
func Current() (Path, error) { return path, pathError }

// Use makes p, one of [Paths], the path in use and returns what undoes it. It is for tests, which
// call it while nothing else computes.
func Use(p Path) (restore func()) {
	before := path
	path = p
	return func() { path = before }
}
