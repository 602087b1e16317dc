//go:build cuda

package cuda

// This file implements what comparisons need that go on beyond one run: the seed of the tests' numbers,
// and a record of what kernels gave on the stand-in, with which a GPU is compared.

import (
	"bytes"
	"encoding/gob"
	flags "flag" // flag is a function here
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var (
	recordTo   = flags.String("record", "", "write what kernels give to `FILE`")
	recordFrom = flags.String("recorded", "", "compare what kernels give with what -record wrote to `FILE`")
)

// A record has what kernels gave in the tests.
type record struct {
	Seed    uint64
	Results map[string][]result // of each test, in its order
}

// A result is the sum of an output's bits. Of one that another machine rounds otherwise it has some
// elements too.
type result struct {
	Sum  uint32
	Some []float64
}

// results are those of this run, beside those that -recorded names.
var results struct {
	sync.Mutex
	record
	before     *record
	same, near int // results that were compared
}

// numbers returns random numbers for a test, or for what is called so. They are the same in every run,
// unless HALFNOTE_SEED has them be others.
func numbers(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(results.Seed, h.Sum64()))
}

// begin reads the seed and what was recorded, whose seed is taken then.
func (r *record) begin() error {
	r.Results = map[string][]result{}
	if text := os.Getenv("HALFNOTE_SEED"); text != "" {
		var err error
		if r.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return fmt.Errorf("HALFNOTE_SEED=%s: a number is wanted: %w", text, err)
		}
	}
	if *recordFrom == "" {
		return nil
	}
	f, err := os.Open(*recordFrom)
	if err != nil {
		return err
	}
	defer f.Close()
	results.before = new(record)
	if err := gob.NewDecoder(f).Decode(results.before); err != nil {
		return fmt.Errorf("%s: %w", *recordFrom, err)
	}
	r.Seed = results.before.Seed
	return nil
}

// end writes the record, or says how the comparison ended: every result of a test must have had one
// beside it.
func (r *record) end() error {
	if before := results.before; before != nil {
		for name, all := range r.Results {
			if got, want := len(all), len(before.Results[name]); got != want {
				return fmt.Errorf("%s gave %d results, and %d are recorded", name, got, want)
			}
		}
		fmt.Printf("%d results have the bits of the stand-in's, %d more are near them\n", results.same, results.near)
	}
	if *recordTo == "" {
		return nil
	}
	f, err := os.Create(*recordTo)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := gob.NewEncoder(f).Encode(r); err != nil {
		return err
	}
	return f.Close()
}

// someElements is how many elements of a result are recorded.
const someElements = 8

// noted records an output of the running test, or compares it with the one recorded: they have the same
// bits, or else, where near is set, elements that close allows.
func noted(t testing.TB, got []float64, near bool, close func(want, got float64) bool, what string) {
	t.Helper()
	if *recordTo == "" && results.before == nil {
		return
	}
	now := result{Sum: sumOf(got)}
	if near {
		for i := range min(len(got), someElements) {
			now.Some = append(now.Some, got[i*len(got)/someElements])
		}
	}
	results.Lock()
	defer results.Unlock()
	all := append(results.Results[t.Name()], now)
	results.Results[t.Name()] = all
	if results.before == nil || len(all) > len(results.before.Results[t.Name()]) {
		return
	}
	was := results.before.Results[t.Name()][len(all)-1]
	switch {
	case now.Sum == was.Sum:
		results.same++
	case !near || len(was.Some) != len(now.Some):
		t.Errorf("%s: the bits are not those that the stand-in gave", what)
	default:
		results.near++
		for i, w := range was.Some {
			if g := now.Some[i]; !close(w, g) {
				t.Errorf("%s: an element is %v, and %v on the stand-in", what, g, w)
				return
			}
		}
	}
}

// sumOf sums up the bits of numbers. All NaN are one.
func sumOf(all []float64) uint32 {
	h := crc32.NewIEEE()
	for _, v := range all {
		if math.IsNaN(v) {
			v = math.NaN()
		}
		bits := math.Float64bits(v)
		h.Write([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24),
			byte(bits >> 32), byte(bits >> 40), byte(bits >> 48), byte(bits >> 56)})
	}
	return h.Sum32()
}

// TestCUDARecord: a run is compared with what was recorded, and every difference that matters is found.
func TestCUDARecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "record")
	run := func(flags ...string) (string, error) {
		cmd := exec.Command(os.Args[0], append([]string{"-test.run=^TestCUDA(Fill|Activations)$"}, flags...)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("-record", file); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(exact, near []result) (e, n []result)
		want   string
		fails  bool
	}{
		{"nothing", nil, "150 results have the bits of the stand-in's, 0 more are near them", false},
		{"bits", func(e, n []result) ([]result, []result) {
			e[2].Sum++
			return e, n
		}, "fill: the bits are not those that the stand-in gave", true},
		{"last digit", func(e, n []result) ([]result, []result) {
			n[0].Sum++
			n[0].Some[2] = math.Nextafter(n[0].Some[2], 7)
			return e, n
		}, "149 results have the bits of the stand-in's, 1 more are near them", false},
		{"digits", func(e, n []result) ([]result, []result) {
			n[0].Sum++
			n[0].Some[2] += 0.01
			return e, n
		}, "on the stand-in", true},
		{"more", func(e, n []result) ([]result, []result) { return append(e, e[0]), n },
			"TestCUDAFill gave 6 results, and 7 are recorded", true},
		{"fewer", func(e, n []result) ([]result, []result) { return e[:5], n },
			"TestCUDAFill gave 6 results, and 5 are recorded", true},
	} {
		var r record
		if err := gob.NewDecoder(bytes.NewReader(kept)).Decode(&r); err != nil {
			t.Fatal(err)
		}
		if test.change != nil {
			e, n := test.change(r.Results["TestCUDAFill"], r.Results["TestCUDAActivations"])
			r.Results["TestCUDAFill"], r.Results["TestCUDAActivations"] = e, n
		}
		var changed bytes.Buffer
		if err := gob.NewEncoder(&changed).Encode(r); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(file, changed.Bytes(), 0o666)
		if out, err := run("-recorded", file); err != nil != test.fails || !strings.Contains(out, test.want) {
			t.Errorf("%s: %v, want %q in\n%s", test.name, err, test.want, out)
		}
	}
	os.WriteFile(file, kept[:100], 0o666)
	for _, flags := range [][]string{{"-recorded", file}, {"-recorded", file + "s"}} {
		if out, err := run(flags...); err == nil {
			t.Errorf("%v: no error\n%s", flags, out)
		}
	}
}
