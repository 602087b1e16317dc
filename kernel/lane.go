package kernel

import (
	"context"
	"sync"
	"time"
)

// A lane serves requests one after another, in the order in which they came.
type lane struct {
	mu      sync.Mutex
	queue   []*request
	more    chan struct{} // has a token when there is something to do
	closed  bool
	cancel  context.CancelFunc // stops the request that is being served
	stopped chan struct{}      // closed when the lane has ended
}

func newLane(k *Kernel) *lane {
	l := &lane{more: make(chan struct{}, 1), stopped: make(chan struct{})}
	go l.serve(k)
	return l
}

// add appends a request.
func (l *lane) add(r *request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, r)
	l.wake()
}

// wake lets serve look again; the caller holds the lock.
func (l *lane) wake() {
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// serve runs until the lane is closed and all that waits there is answered.
func (l *lane) serve(k *Kernel) {
	defer close(l.stopped)
	for range l.more {
		for {
			r, ctx, closed := l.next()
			if r == nil {
				if closed {
					return
				}
				break
			}
			k.dispatch(ctx, l, r)
		}
	}
}

// next takes the next request, with the context that an interrupt cancels.
func (l *lane) next() (r *request, ctx context.Context, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil {
		l.cancel()
		l.cancel = nil
	}
	if len(l.queue) == 0 {
		return nil, nil, l.closed
	}
	r, l.queue = l.queue[0], l.queue[1:]
	r.aborted = r.aborted || l.closed
	ctx, l.cancel = context.WithCancel(context.Background())
	return r, ctx, false
}

// arrivals is how long a failed cell waits for requests that were sent together with its own: a
// client that sends a notebook's cells at once takes a moment for it.
const arrivals = 5 * time.Millisecond

// abort lets the execute requests that wait now be answered as aborted.
func (l *lane) abort() {
	time.Sleep(arrivals)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.queue {
		r.aborted = true
	}
}

// interrupt stops the request that is being served.
func (l *lane) interrupt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil {
		l.cancel()
	}
}

// close ends the lane: what is served is stopped, and cells that wait are aborted.
func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.cancel != nil {
		l.cancel()
	}
	l.wake()
}
