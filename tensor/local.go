package tensor

import (
	"sync"
	"sync/atomic"

	"github.com/petermattis/goid"
)

// This file implements the state that belongs to a goroutine: whether ops are recorded for
// Backward and watched for values that are not finite, and the cast state of autocast. PyTorch
// keeps all by thread.

// local is the state of one goroutine. Only that goroutine reads or writes it.
type local struct {
	id int64
	settings
}

// settings is what a block changes and puts back.
type settings struct {
	depth  int // open blocks
	noGrad bool
	detect bool // results that are not finite are an error
	cast   CastState
	pack   *segment // where ops put what they keep, inside of Checkpoint
	draws  *draws   // where the random numbers that are drawn are noted, inside of Checkpoint
}

// locals holds the goroutines that are inside a block, in lists by goroutine id. A link is never
// changed once it is in a list, so that readers need no lock.
var locals struct {
	mu      sync.Mutex
	active  atomic.Int64
	buckets [64]atomic.Pointer[link]
}

type link struct {
	*local
	next *link
}

// current returns the calling goroutine's state, or nil where it is the default.
func current() *local {
	if locals.active.Load() == 0 {
		return nil
	}
	id := goid.Get()
	for k := locals.buckets[id&63].Load(); k != nil; k = k.next {
		if k.id == id {
			return k.local
		}
	}
	return nil
}

// replace takes the goroutine's state out of its list, and puts l in where it is not nil.
func replace(id int64, l *local) {
	locals.mu.Lock()
	defer locals.mu.Unlock()
	var list *link
	if l != nil {
		list = &link{local: l}
	}
	bucket := &locals.buckets[id&63]
	for k := bucket.Load(); k != nil; k = k.next {
		if k.id != id {
			list = &link{local: k.local, next: list}
		}
	}
	bucket.Store(list)
}

// enter opens a block on the calling goroutine. The caller defers restore with what enter returned.
func enter() (l *local, saved settings) {
	l = current()
	if l == nil {
		l = &local{id: goid.Get()}
		replace(l.id, l)
		locals.active.Add(1)
	}
	saved = l.settings
	l.depth++
	return l, saved
}

// restore closes the block: it puts back what enter saved, also on a panic or Goexit.
func (l *local) restore(saved *settings) {
	l.settings = *saved
	if l.depth == 0 {
		replace(l.id, nil)
		locals.active.Add(-1)
	}
}

// NoGrad calls f with recording switched off on this goroutine: results of ops in f do not
// require gradients.
func NoGrad(f func()) { withGrad("no_grad", false, f) }

// EnableGrad calls f with recording switched on, inside NoGrad for instance.
func EnableGrad(f func()) { withGrad("enable_grad", true, f) }

func withGrad(op string, on bool, f func()) {
	checkFunction(op, f != nil)
	l, saved := enter()
	defer l.restore(&saved)
	l.noGrad = !on
	f()
}

// GradEnabled reports whether ops on this goroutine are recorded for Backward.
func GradEnabled() bool {
	l := current()
	return l == nil || !l.noGrad
}

// quietly calls f, which computes an op's values out of others, with recording and the watch for
// values that are not finite switched off: the op is recorded and watched as a whole.
func quietly(f func()) {
	l, saved := enter()
	defer l.restore(&saved)
	l.noGrad, l.detect = true, false
	f()
}
