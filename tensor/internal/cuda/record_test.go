//go:build cuda

package cuda

// This file implements what comparisons need that go on beyond one run: the seed of the tests' numbers,
// and a record of what kernels gave on the stand-in, with which a GPU is compared.

import (
	"encoding/gob"
	flags "flag" // flag is a function here
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
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
