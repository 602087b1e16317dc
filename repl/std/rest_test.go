package std_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	ourerrors "halfnote/repl/std/errors"
	ourrand "halfnote/repl/std/math/rand/v2"
	oursync "halfnote/repl/std/sync"
)

func TestOnce(t *testing.T) {
	fs := map[string]func() (int, error){
		"returns": func() (int, error) { return 7, os.ErrExist },
		"panics":  func() (int, error) { panic("no") },
		"exits":   func() (int, error) { runtime.Goexit(); return 0, nil },
		"nil":     nil,
	}
	for name, f := range fs {
		type values func(func() (int, error)) func() (int, error)
		run := func(once values) func() any {
			return func() any {
				p := &pulled{}
				g := f
				if f != nil {
					g = func() (int, error) { p.note("runs"); return f() }
				}
				h := once(g)
				for range 3 {
					p.do("call", func() { v, err := h(); p.note("%d, %v", v, err) })
				}
				return p.steps
			}
		}
		equal(t, "OnceValues "+name,
			run(oursync.OnceValues[int, error]), run(sync.OnceValues[int, error]))
		single := func(once func(func() int) func() int) values {
			return func(f func() (int, error)) func() (int, error) {
				if f == nil {
					g := once(nil)
					return func() (int, error) { return g(), nil }
				}
				g := once(func() int { v, _ := f(); return v })
				return func() (int, error) { return g(), nil }
			}
		}
		equal(t, "OnceValue "+name,
			run(single(oursync.OnceValue[int])), run(single(sync.OnceValue[int])))
	}
}

func TestOnceTogether(t *testing.T) {
	var runs atomic.Int32
	once := oursync.OnceValue(func() int32 { return runs.Add(1) })
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if v := once(); v != 1 {
				t.Errorf("got %d", v)
			}
		})
	}
	wg.Wait()
	if runs.Load() != 1 {
		t.Errorf("ran %d times", runs.Load())
	}
}

// codeError matches *fs.PathError by its method As.
type codeError int

func (e codeError) Error() string { return fmt.Sprint("code ", int(e)) }

func (e codeError) As(target any) bool {
	if p, ok := target.(**fs.PathError); ok && e > 1 {
		*p = &fs.PathError{Op: e.Error(), Path: "/", Err: fs.ErrInvalid}
		return true
	}
	return false
}

func TestAsType(t *testing.T) {
	_, missing := os.Open("/there/is/no/such/file")
	list := []error{
		nil, fs.ErrExist, missing, codeError(1), codeError(2),
		fmt.Errorf("a: %w", missing),
		fmt.Errorf("a: %w", fmt.Errorf("b: %w", codeError(3))),
		fmt.Errorf("a: %w and %w", codeError(1), fmt.Errorf("b: %w", missing)),
		errors.Join(fs.ErrExist, errors.Join(codeError(1), missing), codeError(2)),
		errors.Join(codeError(5), codeError(6)),
		fmt.Errorf("nothing to %w", nil),
	}
	for _, err := range list {
		what := fmt.Sprintf("AsType of %v", err)
		asType(t, what, err, ourerrors.AsType[*fs.PathError], errors.AsType[*fs.PathError])
		asType(t, what, err, ourerrors.AsType[codeError], errors.AsType[codeError])
		asType(t, what, err, ourerrors.AsType[interface {
			error
			Timeout() bool
		}], errors.AsType[interface {
			error
			Timeout() bool
		}])
		asType(t, what, err, ourerrors.AsType[error], errors.AsType[error])
	}
}

func asType[E error](t *testing.T, what string, err error, ours, gos func(error) (E, bool)) {
	t.Helper()
	text := func(f func(error) (E, bool)) func() any {
		return func() any { e, ok := f(err); return fmt.Sprintf("%T %v %t", e, e, ok) }
	}
	equal(t, what, text(ours), text(gos))
}

func TestN(t *testing.T) {
	for _, n := range []int{0, -1, math.MinInt} {
		equal(t, fmt.Sprint("N of ", n),
			func() any { return ourrand.N(n) }, func() any { return rand.N(n) })
	}
	seen := map[id]int{}
	for range 6000 {
		seen[ourrand.N(id(6))]++
	}
	for v, count := range seen {
		// 1000 expected with a deviation of 29.
		if v < 0 || v >= 6 || count < 750 || count > 1250 {
			t.Errorf("%d came %d times in 6000", v, count)
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d different numbers", len(seen))
	}
	if v := ourrand.N(uint8(1)); v != 0 {
		t.Errorf("N(1) = %d", v)
	}
	big := false
	for range 200 {
		big = big || ourrand.N(uint64(math.MaxUint64)) > math.MaxUint64/2
	}
	if !big {
		t.Error("no number in the upper half of uint64")
	}
}
