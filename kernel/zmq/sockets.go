package zmq

import (
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"

	"halfnote/kernel"
)

// A Kernel is what is served: kernel.Kernel.
type Kernel interface {
	Receive(ch kernel.Channel, m *kernel.Message)
	Welcome(topic string) *kernel.Message
	Interrupt()
	Shutdown()
	Done() <-chan struct{}
}

// sockets are the five sockets of a kernel, and its Transport.
type sockets struct {
	all     []*socket
	routers map[kernel.Channel]*router
	iopub   *publisher
	large   *reclaimer
	kernel  Kernel
}

// newSockets makes the sockets for bound listeners. They accept connections from start on.
func newSockets(key string, bound map[kernel.Channel]net.Listener, l limits,
	log *slog.Logger) *sockets {
	faults, signer := newComplaints(log), newSigner(key)
	s := &sockets{routers: map[kernel.Channel]*router{}, large: newReclaimer()}
	add := func(ch kernel.Channel, kind zmq4.SocketType, service service, l limits) {
		s.all = append(s.all, &socket{name: string(ch), kind: kind, service: service, ln: bound[ch],
			limits: l, faults: faults, large: s.large,
			open: map[net.Conn]*peer{}, ended: make(chan struct{})})
	}
	for _, ch := range []kernel.Channel{kernel.Shell, kernel.Control, kernel.Stdin} {
		s.routers[ch] = newRouter(ch, signer, faults, func(m *kernel.Message) {
			s.kernel.Receive(ch, m)
		})
		add(ch, zmq4.Router, s.routers[ch], l)
	}
	s.iopub = newPublisher(signer, faults, func(topic string) *kernel.Message {
		return s.kernel.Welcome(topic)
	})
	add(kernel.IOPub, zmq4.Pub, s.iopub, subscriberLimits(l))
	add(heartbeatChannel, zmq4.Rep, heartbeat{faults}, heartbeatLimits(l))
	return s
}

// start accepts connections and hands what they send to k.
func (s *sockets) start(k Kernel) {
	s.kernel = k
	for _, socket := range s.all {
		socket.start()
	}
}

// Send implements kernel.Transport.
func (s *sockets) Send(ch kernel.Channel, m *kernel.Message) {
	if r := s.routers[ch]; r != nil {
		r.send(m)
	}
}

// Publish implements kernel.Transport.
func (s *sockets) Publish(topic string, m *kernel.Message) {
	s.iopub.publish(topic, m)
}

// close sends what is queued, waiting for peers that take it until the time is over, and ends all
// sockets and their goroutines.
func (s *sockets) close(timeout time.Duration) {
	deadline := time.Now().Add(timeout)
	var ends sync.WaitGroup
	for _, socket := range s.all {
		ends.Go(func() { socket.close(deadline) })
	}
	ends.Wait()
	s.large.close()
}
