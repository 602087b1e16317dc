package std_test

import (
	"fmt"
	"iter"
	"runtime"
	"testing"

	ours "halfnote/repl/std/iter"
)

// A puller is Pull, ours or Go's.
type puller func(iter.Seq[int]) (func() (int, bool), func())

// twice is Pull2 as a puller, with pairs of equal values.
func twice(pull2 func(iter.Seq2[int, int]) (func() (int, int, bool), func())) puller {
	return func(seq iter.Seq[int]) (func() (int, bool), func()) {
		next, stop := pull2(func(yield func(int, int) bool) {
			seq(func(v int) bool { return yield(v, v) })
		})
		return func() (int, bool) {
			k, v, ok := next()
			if k != v {
				panic(fmt.Sprintf("a pair of %d and %d", k, v))
			}
			return v, ok
		}, stop
	}
}

// A pulled is a sequence and what happened to it. All steps are noted in order.
type pulled struct {
	next  func() (int, bool)
	stop  func()
	yield func(int) bool // of the sequence, for use outside
	steps []string
}

func (p *pulled) note(format string, args ...any) {
	p.steps = append(p.steps, fmt.Sprintf(format, args...))
}

// do notes how a call ends, on a goroutine of its own because it may be by Goexit.
func (p *pulled) do(name string, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			r := recover()
			switch {
			case returned:
			case r != nil:
				p.note("%s panics: %v", name, r)
			default:
				p.note("%s exits", name)
			}
		}()
		f()
		returned = true
	}()
	<-done
}

func (p *pulled) doNext() {
	p.do("next", func() {
		v, ok := p.next()
		p.note("next = %d, %t", v, ok)
	})
}

func (p *pulled) doStop() {
	p.do("stop", func() {
		p.stop()
		p.note("stop")
	})
}

// sequences are what is pulled; each notes what it does.
var sequences = map[string]func(p *pulled, yield func(int) bool){
	"empty": func(p *pulled, yield func(int) bool) { p.note("runs") },
	"three": func(p *pulled, yield func(int) bool) {
		defer p.note("ends")
		for i := range 3 {
			if !yield(i + 5) {
				p.note("asked to stop")
				return
			}
		}
	},
	"deaf": func(p *pulled, yield func(int) bool) {
		for i := range 4 {
			p.note("yield = %t", yield(i+5))
		}
	},
	"panics": func(p *pulled, yield func(int) bool) {
		defer p.note("ends")
		yield(5)
		yield(6)
		panic("enough")
	},
	"fails": func(p *pulled, yield func(int) bool) {
		var none []int
		yield(none[3])
	},
	"exits": func(p *pulled, yield func(int) bool) {
		yield(5)
		runtime.Goexit()
	},
	"pulls itself": func(p *pulled, yield func(int) bool) {
		p.do("next inside", func() { p.next() })
		p.note("yield = %t", yield(7))
	},
	"keeps yield": func(p *pulled, yield func(int) bool) {
		p.yield = yield
		yield(5)
		yield(6)
	},
}

// scripts are the calls made: n is next, s is stop, y the use of a kept yield.
var scripts = []string{"", "s", "sn", "n", "ns", "nn", "nnnnnnn", "nnsnns", "nsnsn", "ssnns",
	"nnnsn", "nyn", "nyys", "nsy", "nnny", "nnnnys"}

func TestPull(t *testing.T) {
	for name, seq := range sequences {
		for _, script := range scripts {
			run := func(pull puller) func() any {
				return func() any {
					p := &pulled{}
					p.next, p.stop = pull(func(yield func(int) bool) { seq(p, yield) })
					for _, c := range script {
						switch c {
						case 'n':
							p.doNext()
						case 's':
							p.doStop()
						case 'y':
							if p.yield != nil {
								p.do("yield", func() { p.note("yield outside = %t", p.yield(9)) })
							}
						}
					}
					steps := p.steps
					p.doStop() // nothing stays behind
					return steps
				}
			}
			what := fmt.Sprintf("%q %s", script, name)
			equal(t, "Pull "+what, run(ours.Pull[int]), run(iter.Pull[int]))
			equal(t, "Pull2 "+what, run(twice(ours.Pull2[int, int])), run(twice(iter.Pull2[int, int])))
		}
	}
}

func TestPullNil(t *testing.T) {
	equal(t, "Pull(nil)",
		func() any { next, _ := ours.Pull[int](nil); _, ok := next(); return ok },
		func() any { next, _ := iter.Pull[int](nil); _, ok := next(); return ok })
}

// TestPullStopInside: a sequence that stops itself ends (in Go it hangs for ever).
func TestPullStopInside(t *testing.T) {
	var next func() (int, bool)
	var stop func()
	ended := false
	next, stop = ours.Pull(func(yield func(int) bool) {
		yield(1)
		stop()
		ended = !yield(2)
	})
	for i := range 3 {
		if v, ok := next(); ok != (i == 0) || ok && v != 1 {
			t.Errorf("next = %d, %t after %d values", v, ok, i)
		}
	}
	if !ended {
		t.Error("the sequence went on")
	}
}

// TestPullZip: two pulled sequences side by side.
func TestPullZip(t *testing.T) {
	count := func(from int) iter.Seq[int] {
		return func(yield func(int) bool) {
			for i := from; yield(i); i++ {
			}
		}
	}
	a, stopA := ours.Pull(count(0))
	b, stopB := ours.Pull(count(1000))
	defer stopA()
	defer stopB()
	for i := range 500 {
		x, _ := a()
		y, _ := b()
		if x != i || y != 1000+i {
			t.Fatalf("got %d and %d in step %d", x, y, i)
		}
	}
}
