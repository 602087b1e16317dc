// Package iter is halfnote's source of the generic functions of Go's package iter; its types are
// Go's own. The interpreter has no coroutines: a sequence that is pulled runs on a goroutine.
package iter

import (
	"iter"
	"runtime"
)

// Pull turns seq into next, which returns its next value and whether there is one, and stop, which
// ends it. Nothing of seq runs before the first next. If seq panics or calls runtime.Goexit, so
// does the call of next or stop that waits for it. Who does not go on to the end must call stop.
func Pull[V any](seq iter.Seq[V]) (next func() (V, bool), stop func()) {
	var v, zero V
	resume := coroutine("iter.Pull", func(pause func() bool) {
		seq(func(w V) bool {
			v = w
			return pause()
		})
	})
	next = func() (V, bool) {
		if !resume(true) {
			return zero, false
		}
		w := v
		v = zero
		return w, true
	}
	stop = func() { resume(false) }
	return next, stop
}

// Pull2 is Pull for sequences of pairs.
func Pull2[K, V any](seq iter.Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	var k, zeroK K
	var v, zeroV V
	resume := coroutine("iter.Pull2", func(pause func() bool) {
		seq(func(key K, w V) bool {
			k, v = key, w
			return pause()
		})
	})
	next = func() (K, V, bool) {
		if !resume(true) {
			return zeroK, zeroV, false
		}
		key, w := k, v
		k, v = zeroK, zeroV
		return key, w, true
	}
	stop = func() { resume(false) }
	return next, stop
}

// coroutine returns a function that lets body run on its own goroutine until it pauses or ends,
// and reports whether it paused. The argument false asks body to end: pause returns it. Panics
// about misuse begin with name.
func coroutine(name string, body func(pause func() bool)) (resume func(more bool) bool) {
	var (
		enter    = make(chan bool)     // resume to body
		leave    = make(chan struct{}) // body to resume
		started  bool
		running  bool // body has the turn
		over     bool // body has ended or been asked to
		returned bool // body ended by returning,
		reason   any  // or by this panic, or else by Goexit
	)
	pause := func() bool {
		if over {
			return false
		}
		if !running {
			panic(name + ": yield called again before next")
		}
		running = false
		leave <- struct{}{}
		return <-enter
	}
	run := func() {
		defer func() {
			if !returned {
				reason = recover()
			}
			over = true
			close(leave)
		}()
		body(pause)
		returned = true
	}
	return func(more bool) bool {
		if running { // the call comes from body
			if more {
				panic(name + ": next called again before yield")
			}
			over = true
		}
		if over {
			return false
		}
		over = !more
		if !started && over {
			return false
		}
		running = true
		if started {
			enter <- more
		} else {
			started = true
			go run()
		}
		<-leave
		running = false
		if over && !returned {
			if reason != nil {
				panic(reason)
			}
			runtime.Goexit()
		}
		return !over
	}
}
