package repl_test

import (
	"flag"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/repl/random"
	"halfnote/repl/symbols"
)

var (
	randomSeed  = flag.Uint64("seed", 1, "the number of the first random program")
	randomCount = flag.Int("programs", 30, "how many random programs TestRandomPrograms runs")
	randomShort = flag.Int("shrink", 1, "how many random programs that differ are made shorter")
	randomShow  = flag.Bool("values", false, "let random programs print whole values")
)

// TestRandomPrograms runs random programs, half of them as cells, and compares what they print with
// `go run`. A program that differs is shown as short as can be.
func TestRandomPrograms(t *testing.T) {
	for first := range (*randomCount + 29) / 30 {
		n := min(30, *randomCount-30*first)
		compareRandom(t, *randomSeed+uint64(30*first), n, random.Config{Values: *randomShow})
	}
}

// FuzzPrograms does the same with ever other programs: few at once, for Go takes an input that needs
// 10 seconds for hung, and some go to the compiler.
func FuzzPrograms(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed uint64) {
		compareRandom(t, seed, 2, random.Config{})
	})
}

// compareRandom compares n random programs, the first of them number seed.
func compareRandom(t *testing.T, seed uint64, n int, cfg random.Config) {
	t.Helper()
	programs := make([]string, n)
	for i := range programs {
		cfg.Cells = (seed+uint64(i))%2 == 1
		programs[i] = random.Program(seed+uint64(i), cfg)
	}
	wanted, errs := goRun(t, programs)
	got := make([]string, n)
	atOnce(n, func(i int) { got[i] = runOwn(programs[i], seed+uint64(i)) })
	for i, src := range programs {
		number := seed + uint64(i)
		if strings.Contains(wanted[i], "internal compiler error") {
			continue // of Go's compiler
		}
		if errs[i] != nil {
			t.Errorf("program %d: go run: %v\n%s", number, errs[i], wanted[i])
			continue
		}
		if sameOutput(got[i], wanted[i]) {
			continue
		}
		if *randomShort--; *randomShort < 0 {
			t.Errorf("program %d differs, too; run it with -seed %d -programs 1", number, number)
			if testing.Verbose() {
				t.Logf("go run - halfnote +\n%s\n%s", cmp.Diff(wanted[i], got[i]), src)
			}
			continue
		}
		small := random.Shrink(src, symbols.NewImporter(), func(list []string) []bool {
			return differing(t, list, number)
		})
		wanted, _ := goRun(t, []string{small})
		t.Errorf("program %d, go run - halfnote +\n%s\n%s", number,
			cmp.Diff(wanted[0], runOwn(small, number)), small)
	}
}

// runOwn runs a program, one with an odd number as cells.
func runOwn(src string, number uint64) string {
	if number%2 == 1 {
		return ownCells(src)
	}
	return ownRun(src)
}

// differing reports which programs print something else than by `go run`.
func differing(t *testing.T, programs []string, number uint64) []bool {
	wanted, errs := goRun(t, programs)
	list := make([]bool, len(programs))
	atOnce(len(programs), func(i int) {
		list[i] = errs[i] == nil && !sameOutput(runOwn(programs[i], number), wanted[i])
	})
	return list
}

// negativeZero finds a -0, which arrives as 0 in functions; see the limits of package emit.
var negativeZero = regexp.MustCompile(`-0([^.\dxX]|$)`)

// sameOutput compares what a program prints, but for the sign of zeros.
func sameOutput(got, want string) bool {
	return negativeZero.ReplaceAllString(got, "0$1") == negativeZero.ReplaceAllString(want, "0$1")
}
