package zmq

import (
	"bufio"
	"net"
	"sync"
	"time"
)

// A peer is a connection after the handshake, with the queue of what goes to it.
type peer struct {
	conn     net.Conn
	in       *bufio.Reader
	identity string
	limits   *limits
	large    *reclaimer

	refused, subscribed int // messages and subscriptions until now; the reader's

	mu     sync.Mutex
	change chan struct{} // closed when the writer has got on; nil if nobody waits for it
	ready  sync.Cond     // the writer may have something to do
	queue  []*wire
	bytes  int       // in queue
	taken  int       // the size of the largest message since the queue was last empty
	busy   bool      // the writer holds a message
	moved  time.Time // when the peer last took bytes, or was first offered some
	ending bool      // nothing more is queued; the writer ends after the last message
	gone   bool      // the connection is closed

	received, written chan struct{} // closed when the reader and the writer have ended
}

func newPeer(conn net.Conn, in *bufio.Reader, identity string, l *limits, large *reclaimer) *peer {
	p := &peer{conn: conn, in: in, identity: identity, limits: l, large: large,
		received: make(chan struct{}), written: make(chan struct{})}
	p.ready.L = &p.mu
	return p
}

// push queues w. A peer that is gone or ending gets nothing.
func (p *peer) push(w *wire) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone || p.ending {
		return
	}
	if !p.pending() {
		p.moved = time.Now()
	}
	p.queue = append(p.queue, w)
	p.bytes += w.size
	p.ready.Signal()
}

// pending reports whether anything is not written yet. Its caller holds mu.
func (p *peer) pending() bool { return p.busy || len(p.queue) > 0 }

// beyond reports whether more waits than b, and for how long the peer has taken nothing.
func (p *peer) beyond(b backlog) (bool, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fits(b) {
		return false, 0
	}
	return true, time.Since(p.moved)
}

// fits reports whether no more than b waits. Its caller holds mu.
func (p *peer) fits(b backlog) bool {
	return p.gone || p.ending || len(p.queue) < b.messages && p.bytes <= b.bytes
}

// await waits until no more than b waits, or the peer has taken nothing for some time. It reports
// whether the backlog is below b.
func (p *peer) await(b backlog, patience time.Duration) bool {
	return p.waitFor(patience, distantFuture, func() bool { return p.fits(b) })
}

// waitFor waits until done, called with mu held, holds. It gives up when the peer has taken nothing
// for the time of patience, or at the deadline, and reports whether done holds.
func (p *peer) waitFor(patience time.Duration, deadline time.Time, done func() bool) bool {
	for {
		p.mu.Lock()
		if p.change == nil {
			p.change = make(chan struct{})
		}
		ok, change := done(), p.change
		left := min(patience-time.Since(p.moved), time.Until(deadline))
		p.mu.Unlock()
		if ok || left <= 0 {
			return ok
		}
		timer := time.NewTimer(left)
		select {
		case <-change:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// drop closes the connection and forgets the queue.
func (p *peer) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	p.large.passed(p.bytes)
	p.queue, p.bytes = nil, 0
	p.ready.Signal()
	p.announce()
	p.conn.Close()
}

// announce wakes those who wait for the peer. Its caller holds mu.
func (p *peer) announce() {
	if p.change != nil {
		close(p.change)
		p.change = nil
	}
}

// end waits until the queue is written and the peer has closed its side, as long as it goes on
// taking bytes and until the deadline, and closes the connection. It reports whether all was
// written.
func (p *peer) end(deadline time.Time) bool {
	p.mu.Lock()
	p.ending = true
	p.ready.Signal()
	all := p.gone || !p.pending()
	p.mu.Unlock()
	p.waitFor(p.limits.dead, deadline, func() bool {
		all = all || !p.gone && !p.pending()
		return all || p.gone
	})
	if all {
		<-p.written
		// Closed with unread input, a TCP connection is reset, and what was sent may be lost at the
		// other side: let it close first.
		linger := time.NewTimer(min(p.limits.linger, time.Until(deadline)))
		defer linger.Stop()
		select {
		case <-p.received:
		case <-linger.C:
		}
	}
	p.drop()
	return all
}

// distantFuture is the deadline of those who have none.
var distantFuture = time.Unix(1<<40, 0)

// chunk is how much is written at a time. What a peer takes of less cannot be seen, so that it must
// be little enough for a slow one to take it before it counts as stalled.
const chunk = 64 << 10

// write writes the queue until the peer ends or is gone.
func (p *peer) write() {
	defer close(p.written)
	var rest [][]byte // of the message that is being written
	var out net.Buffers
	for {
		out, rest = p.next(out[:0], rest)
		if len(out) == 0 {
			return
		}
		buffers := out // WriteTo moves the slice it is given
		_, err := buffers.WriteTo(p.conn)
		clear(out)
		if err != nil {
			p.drop()
			return
		}
	}
}

// next tells that what was taken before is written, waits for more, and takes a chunk of it. There
// is none when the peer ends or is gone.
func (p *peer) next(out net.Buffers, rest [][]byte) (net.Buffers, [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy {
		p.moved = time.Now()
		p.busy = len(rest) > 0
		p.announce()
	}
	if !p.pending() {
		p.large.passed(p.taken)
		p.taken = 0
	}
	for !p.pending() && !p.ending && !p.gone {
		p.ready.Wait()
	}
	if p.gone {
		return nil, nil
	}
	for size := 0; size < chunk; {
		if len(rest) == 0 {
			if len(p.queue) == 0 {
				break
			}
			rest = append(rest[:0], p.queue[0].segments...)
			p.taken = max(p.taken, p.queue[0].size)
			p.bytes -= p.queue[0].size
			p.queue[0] = nil
			if p.queue = p.queue[1:]; len(p.queue) == 0 {
				p.queue = nil
			}
		}
		n := min(len(rest[0]), chunk-size)
		out = append(out, rest[0][:n])
		size += n
		if rest[0] = rest[0][n:]; len(rest[0]) == 0 {
			rest[0] = nil
			rest = rest[1:]
		}
	}
	p.busy = len(out) > 0
	if !p.busy { // ends with everything written
		p.announce()
		if half, ok := p.conn.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		}
	}
	return out, rest
}
