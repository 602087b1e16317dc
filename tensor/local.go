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
	id    atomic.Int64 // of the goroutine; 0 where no one has this place
	extra bool         // in more
	settings
}

// settings is what a block changes and puts back.
type settings struct {
	depth  int // open blocks
	noGrad bool
	detect bool // results that are not finite are an error
	cast   CastState
	pack   *segment   // where ops put what they keep, inside of Checkpoint
	rule   string     // while a profile is made: the op whose gradients are being computed
	graph  *recording // what records the ops, in the function of a Graph
	stream *routed    // the streams that ops go to, where they are not their devices' first
	draws  *draws     // where the random numbers that are drawn are noted, inside of Checkpoint
}

// locals has places for the goroutines that are inside a block, in rows by goroutine id. One that
// finds its row full goes to more.
var locals struct {
	active atomic.Int64 // in rows or in more
	rows   [64][4]local
	full   atomic.Int64 // in more
	more   sync.Map     // *local by id
}

// current returns the calling goroutine's state, or nil where it is the default.
func current() *local {
	if locals.active.Load() == 0 {
		return nil
	}
	id := goid.Get()
	row := &locals.rows[id&63]
	for i := range row {
		if row[i].id.Load() == id {
			return &row[i]
		}
	}
	if locals.full.Load() > 0 {
		if l, ok := locals.more.Load(id); ok {
			return l.(*local)
		}
	}
	return nil
}

// settle finds a place for the goroutine.
func settle() *local {
	id := goid.Get()
	locals.active.Add(1)
	row := &locals.rows[id&63]
	for i := range row {
		if row[i].id.CompareAndSwap(0, id) {
			return &row[i]
		}
	}
	l := &local{extra: true}
	l.id.Store(id)
	locals.more.Store(id, l)
	locals.full.Add(1)
	return l
}

// leave gives the goroutine's place away.
func (l *local) leave() {
	id := l.id.Load()
	if l.extra {
		locals.more.Delete(id)
		locals.full.Add(-1)
	}
	l.id.Store(0) // others may have it from here on
	locals.active.Add(-1)
}

// enter opens a block on the calling goroutine. The caller defers restore with what enter returned.
func enter() (l *local, saved settings) {
	l = current()
	if l == nil {
		l = settle()
	}
	saved = l.settings
	l.depth++
	return l, saved
}

// restore closes the block: it puts back what enter saved, also on a panic or Goexit.
func (l *local) restore(saved *settings) {
	l.settings = *saved
	if l.depth == 0 {
		l.leave()
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
