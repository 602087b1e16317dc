package zmq

import (
	"errors"
	"net"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// A service is what tells the sockets apart: what is done with peers and with what they send.
type service interface {
	join(p *peer)
	leave(p *peer)
	// message takes what p has sent. An error closes the connection, unless it is a refusal.
	message(p *peer, frames [][]byte) error
	// command takes a ZMTP command that is not answered by the socket itself.
	command(p *peer, name string, body []byte) error
}

// A socket accepts connections and owns their goroutines.
type socket struct {
	name    string
	kind    zmq4.SocketType
	ln      net.Listener
	service service
	limits  limits
	faults  *complaints
	large   *reclaimer

	wg    sync.WaitGroup
	mu    sync.Mutex
	open  map[net.Conn]*peer // nil during the handshake
	ended chan struct{}      // closed when nothing is accepted any more
}

// start accepts connections until close.
func (s *socket) start() {
	s.wg.Go(func() {
		for {
			conn, err := s.ln.Accept()
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil: // out of descriptors, or a connection gone before it was accepted
				s.faults.say(s.name, "accept: "+err.Error())
				select {
				case <-s.ended:
				case <-time.After(50 * time.Millisecond):
				}
			case !s.add(conn):
				conn.Close()
			default:
				s.wg.Go(func() { s.attend(conn) })
			}
		}
	})
}

// add notes a new connection, and reports whether it is welcome.
func (s *socket) add(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isEnded() {
		return false
	}
	if len(s.open) >= s.limits.connections {
		s.faults.say(s.name, "connection refused: too many are open")
		return false
	}
	s.open[conn] = nil
	return true
}

func (s *socket) isEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// attend serves a connection until it ends.
func (s *socket) attend(conn net.Conn) {
	defer func() {
		conn.Close()
		s.mu.Lock()
		delete(s.open, conn)
		s.mu.Unlock()
	}()
	in, identity, err := shake(conn, s.kind, &s.limits)
	if err != nil {
		s.complain(err)
		return
	}
	p := newPeer(conn, in, identity, &s.limits, s.large)
	s.mu.Lock()
	if s.isEnded() {
		s.mu.Unlock()
		return
	}
	s.open[conn] = p
	s.mu.Unlock()
	s.wg.Go(p.write)
	s.service.join(p)
	s.complain(s.read(p))
	close(p.received)
	if !s.isEnded() { // else end closes it
		p.drop()
	}
	s.service.leave(p)
	<-p.written
}

// read hands what p sends to the service.
func (s *socket) read(p *peer) error {
	command := func(name string, body []byte) error {
		switch {
		case name == zmq4.CmdPing && (len(body) < 2 || len(body) > 2+16):
			return frameError("PING without a TTL or with a long context")
		case name == zmq4.CmdPing:
			if beyond, _ := p.beyond(p.limits.soft); !beyond { // else what waits is sign enough
				p.push(newCommand(zmq4.CmdPong, body[2:])) // the context, after the TTL
			}
			return nil
		}
		return s.service.command(p, name, body)
	}
	for {
		frames, err := readMessage(p.in, p.limits, command)
		if err != nil {
			return err
		}
		if s.isEnded() {
			continue
		}
		s.large.passed(size(frames))
		err = s.service.message(p, frames)
		if refused, ok := errors.AsType[refusal](err); ok {
			s.faults.say(s.name, refused.Error())
			if p.refused++; p.refused >= s.limits.refused {
				return frameError("too many of its messages were refused")
			}
		} else if err != nil {
			return err
		}
	}
}

// complain tells the log why a connection ended, unless it is how connections end.
func (s *socket) complain(err error) {
	var network net.Error
	if fault, ok := errors.AsType[frameError](err); ok {
		s.faults.say(s.name, fault.Error())
	} else if errors.As(err, &network) && network.Timeout() {
		s.faults.say(s.name, "connection closed: no handshake in time")
	}
}

// close stops accepting, lets the peers take what is queued until the deadline, and waits for all
// goroutines. It tells the log of peers that have not taken all.
func (s *socket) close(deadline time.Time) {
	s.mu.Lock()
	close(s.ended)
	s.ln.Close()
	var ends sync.WaitGroup
	for conn, p := range s.open {
		if p == nil {
			conn.Close()
			continue
		}
		ends.Go(func() {
			if !p.end(deadline) {
				s.faults.say(s.name, "end: a client has not taken all that was sent to it")
			}
		})
	}
	s.mu.Unlock()
	ends.Wait()
	s.wg.Wait()
}
