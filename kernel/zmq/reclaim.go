package zmq

import (
	"runtime/debug"
	"time"
)

// A reclaimer gives memory back to the system some time after large messages. The garbage collector
// would do so minutes later, for an idle kernel makes no garbage.
type reclaimer struct {
	free        func()
	large       chan struct{}
	stop, ended chan struct{}
}

const (
	largeMessage = 8 << 20
	reclaimSoon  = time.Second     // after the last one, which may not be alone
	reclaimLater = 5 * time.Second // once more: a cell that made it may have held on to it
)

func newReclaimer() *reclaimer {
	r := &reclaimer{free: debug.FreeOSMemory, large: make(chan struct{}, 1),
		stop: make(chan struct{}), ended: make(chan struct{})}
	go r.run()
	return r
}

// passed notes that a message of some size has been received or written.
func (r *reclaimer) passed(size int) {
	if size < largeMessage {
		return
	}
	select {
	case r.large <- struct{}{}:
	default:
	}
}

func size(frames [][]byte) int {
	n := 0
	for _, f := range frames {
		n += len(f)
	}
	return n
}

func (r *reclaimer) run() {
	defer close(r.ended)
	var due <-chan time.Time
	var again bool
	for {
		select {
		case <-r.stop:
			return
		case <-r.large:
			due, again = time.After(reclaimSoon), true
		case <-due:
			r.free()
			due = nil
			if again {
				due, again = time.After(reclaimLater), false
			}
		}
	}
}

// close ends the goroutine.
func (r *reclaimer) close() {
	close(r.stop)
	<-r.ended
}
