package zmq

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"halfnote/kernel"
)

// A router is the service of shell, control and stdin: each client has an identity, by which
// answers find it.
type router struct {
	channel kernel.Channel
	signer  *signer
	faults  *complaints
	deliver func(m *kernel.Message)

	mu    sync.Mutex
	peers map[string]*peer
	early map[string]early // of stdin: for clients that are still to connect there
	last  uint32           // the identity last made up
}

// An early is a question for a client whose connections are not all there yet, which is not lost.
type early struct {
	message *kernel.Message
	at      time.Time
}

// connectWithin is how long after its first connection a client may make its last one, on a busy
// machine.
const connectWithin = 10 * time.Second

func newRouter(ch kernel.Channel, s *signer, faults *complaints,
	deliver func(*kernel.Message)) *router {
	return &router{channel: ch, signer: s, faults: faults, deliver: deliver,
		peers: map[string]*peer{}, early: map[string]early{}, last: rand.Uint32()}
}

// join gives p its place. If a connection has its identity already, that one is what is left of a
// client that has connected anew.
func (r *router) join(p *peer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.identity == "" || p.identity[0] == 0 { // zero is for those made up
		r.last++
		p.identity = string(binary.BigEndian.AppendUint32([]byte{0}, r.last))
	}
	if old := r.peers[p.identity]; old != nil {
		old.drop()
	}
	r.peers[p.identity] = p
	if e, ok := r.early[p.identity]; ok && time.Since(e.at) < connectWithin {
		p.push(newWire(r.signer.encode(e.message.Identities[1:], e.message)))
	}
	delete(r.early, p.identity)
}

func (r *router) leave(p *peer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.peers[p.identity] == p {
		delete(r.peers, p.identity)
	}
}

func (r *router) message(p *peer, frames [][]byte) error {
	m, err := r.signer.decode(frames)
	if err != nil {
		return err
	}
	m.Identities = append([][]byte{[]byte(p.identity)}, m.Identities...)
	r.deliver(m)
	return nil
}

func (r *router) command(*peer, string, []byte) error { return nil }

// send queues m for the client it is addressed to. It does not wait, and drops a client that has
// let too much pile up.
func (r *router) send(m *kernel.Message) {
	if len(m.Identities) == 0 {
		return
	}
	r.mu.Lock()
	identity := string(m.Identities[0])
	p := r.peers[identity]
	if p == nil && r.channel == kernel.Stdin {
		maps.DeleteFunc(r.early, func(_ string, e early) bool {
			return time.Since(e.at) >= connectWithin
		})
		r.early[identity] = early{m, time.Now()}
	}
	r.mu.Unlock()
	if p == nil || dropDead(p, r.channel, r.faults) {
		return
	}
	p.push(newWire(r.signer.encode(m.Identities[1:], m)))
}

// dropDead drops p if too much waits for it and it does not read, or if far too much waits.
func dropDead(p *peer, ch kernel.Channel, faults *complaints) bool {
	dead, idle := p.beyond(p.limits.hard)
	if dead && idle < p.limits.dead {
		dead, _ = p.beyond(p.limits.hard.times(4))
	}
	if dead {
		faults.say(string(ch), "connection closed: the client does not read")
		p.drop()
	}
	return dead
}
