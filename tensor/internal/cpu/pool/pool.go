// Package pool shares loops out over all cores.
//
// There is one pool for the whole process: as many workers as GOMAXPROCS has cores beside the
// caller's, started when they are needed first. A worker without work looks out for some for a
// while before it goes to sleep, since waking it takes longer than most loops; and it goes to sleep
// now and then all the same, so that the scheduler sees which other goroutines want its core.
package pool

import (
	"math/bits"
	"sync/atomic"
)

// A job is one loop that is shared out. Jobs lie in a fixed table, so that workers may look at one
// at any time. Its owner writes the fields before the job's bit in open is set, and reads or writes
// them again when the bit is gone and users is 0: who wants to take part counts itself in first and
// looks at the bit then.
type job struct {
	body  func(piece int)     // of Run
	span  func(lo, hi int)    // of Split
	n     int64               // pieces
	grain int                 // of Split: the size of a piece
	total int                 // of Split
	fault atomic.Pointer[any] // the first panic

	_     [64]byte // what all write lies apart from what all read
	next  atomic.Int64
	users atomic.Int32
	_     [64]byte

	left chan struct{} // filled when the last user leaves and the owner sleeps
}

// asleep is added to users while the owner sleeps.
const asleep = 1 << 30

const maxJobs = 32

var (
	jobs  [maxJobs]job
	taken atomic.Uint32 // a bit for each job that has an owner
	_     [60]byte
	open  atomic.Uint32 // a bit for each job that has pieces left
	_     [60]byte
)

func init() {
	for i := range jobs {
		jobs[i].left = make(chan struct{}, 1)
	}
}

// Run calls body for every piece from 0 to n-1, on all cores, and returns when all are done.
// The caller takes part, so calls may nest and may come from many goroutines at once. When a piece
// panics, those that nobody has begun are left out, and the panic reaches the caller.
func Run(n int, body func(piece int)) {
	i, helpers := begin(n)
	if i < 0 {
		for i := range n {
			body(i)
		}
		return
	}
	j := &jobs[i]
	j.body, j.n = body, int64(n)
	share(i, helpers)
}

// Split cuts total elements into pieces of size grain and calls body for each, as Run does.
func Split(total, grain int, body func(lo, hi int)) {
	n := (total + grain - 1) / grain
	i, helpers := begin(n)
	if i < 0 {
		for lo := 0; lo < total; lo += grain {
			body(lo, min(lo+grain, total))
		}
		return
	}
	j := &jobs[i]
	j.span, j.n, j.grain, j.total = body, int64(n), grain, total
	share(i, helpers)
}

// begin makes the caller the owner of a job of n pieces, for which there are so many helpers. It
// returns -1 where the caller does them alone.
func begin(n int) (i, helpers int) {
	if n > 1 {
		helpers = min(n-1, available())
	}
	if helpers == 0 {
		return -1, 0
	}
	return take(), helpers
}

// take makes the caller the owner of a job, and returns -1 where all have one.
func take() int {
	for {
		t := taken.Load()
		i := bits.TrailingZeros32(^t)
		if i == maxJobs {
			return -1
		}
		if taken.CompareAndSwap(t, t|1<<i) {
			return i
		}
	}
}

// share opens job i, works on it and returns when it is done.
func share(i, helpers int) {
	j := &jobs[i]
	j.next.Store(0)
	open.Or(1 << i)
	wake(helpers)
	for !j.work() {
	}
	open.And(^(uint32(1) << i))
	j.wait()
	fault := j.fault.Load()
	j.body, j.span = nil, nil
	j.fault.Store(nil)
	taken.And(^(uint32(1) << i))
	if fault != nil {
		panic(*fault)
	}
}

// help takes part in job i, and reports whether it was open.
func help(i int) bool {
	j := &jobs[i]
	j.users.Add(1)
	defer j.leave()
	if open.Load()&(1<<i) == 0 {
		return false
	}
	for !j.work() {
	}
	open.And(^(uint32(1) << i)) // nothing is left to take
	return true
}

// work does pieces until there are none left, and reports false when one panicked.
func (j *job) work() (done bool) {
	defer func() {
		if !done {
			if p := recover(); p != nil {
				j.fault.CompareAndSwap(nil, &p)
			}
			j.next.Store(j.n)
		}
	}()
	for {
		i := j.next.Add(1) - 1
		switch {
		case i >= j.n:
			return true
		case j.body != nil:
			j.body(int(i))
		default:
			lo := int(i) * j.grain
			j.span(lo, min(lo+j.grain, j.total))
		}
	}
}

func (j *job) leave() {
	if j.users.Add(-1) == asleep {
		select {
		case j.left <- struct{}{}:
		default: // it is woken already
		}
	}
}

// wait returns when no worker is in the job. A worker that looks in too late may wake the owner
// when nobody waits any more, so that a wake is no proof.
func (j *job) wait() {
	for s := (spin{}); s.on(ownerRounds); {
		if j.users.Load() == 0 {
			return
		}
	}
	if j.users.Add(asleep) != asleep {
		for j.users.Load() != asleep {
			<-j.left
		}
	}
	j.users.Add(-asleep)
}
