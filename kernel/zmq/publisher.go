package zmq

import (
	"fmt"
	"strings"
	"sync"

	"github.com/go-zeromq/zmq4"

	"halfnote/kernel"
)

// A publisher is the service of iopub: peers subscribe to topics, and get the messages whose topic
// begins so.
type publisher struct {
	signer  *signer
	faults  *complaints
	welcome func(topic string) *kernel.Message

	mu    sync.Mutex
	peers map[*peer]map[string]bool // their subscriptions
}

func newPublisher(s *signer, faults *complaints, welcome func(string) *kernel.Message) *publisher {
	return &publisher{signer: s, faults: faults, welcome: welcome,
		peers: map[*peer]map[string]bool{}}
}

func (b *publisher) join(p *peer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.peers[p] = map[string]bool{}
}

func (b *publisher) leave(p *peer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.peers, p)
}

// message takes a subscription as clients of ZMTP 3.0 send it, which our greeting asks for.
func (b *publisher) message(p *peer, frames [][]byte) error {
	if len(frames) != 1 || len(frames[0]) == 0 {
		return nil
	}
	switch topic := string(frames[0][1:]); frames[0][0] {
	case 1:
		return b.subscribe(p, topic)
	case 0:
		b.cancel(p, topic)
	}
	return nil
}

// command takes a subscription as clients of ZMTP 3.1 send it.
func (b *publisher) command(p *peer, name string, body []byte) error {
	switch name {
	case "SUBSCRIBE":
		return b.subscribe(p, string(body))
	case zmq4.CmdCancel:
		b.cancel(p, string(body))
	}
	return nil
}

// subscribe notes a subscription and answers it with a welcome, which comes before all messages
// that it lets through.
func (b *publisher) subscribe(p *peer, topic string) error {
	switch p.subscribed++; {
	case p.subscribed > p.limits.subscriptions:
		return frameError("too many subscriptions")
	case len(topic) > p.limits.topic:
		return frameError(fmt.Sprintf("topic of more than %d bytes", p.limits.topic))
	}
	var w *wire
	if m := b.welcome(topic); m != nil {
		w = newWire(b.signer.encode(topicFrame(topic), m))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.peers[p][topic] {
		return nil
	}
	b.peers[p][topic] = true
	if w != nil && !dropDead(p, kernel.IOPub, b.faults) {
		p.push(w)
	}
	return nil
}

func (b *publisher) cancel(p *peer, topic string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.peers[p], topic)
}

// topicFrame is what stands before the delimiter: clients filter by it what they receive.
func topicFrame(topic string) [][]byte {
	if topic == "" {
		return nil
	}
	return [][]byte{[]byte(topic)}
}

// subscribed returns the peers that want a topic. Its caller holds mu.
func (b *publisher) subscribed(topic string) []*peer {
	var to []*peer
	for p, topics := range b.peers {
		for prefix := range topics {
			if strings.HasPrefix(topic, prefix) {
				to = append(to, p)
				break
			}
		}
	}
	return to
}

// publish sends m to all subscribers of the topic: at once to those that keep up, then, waiting for
// them, to those that read slowly. One that does not read is not waited for, and dropped when too
// much waits for it. What one goroutine publishes keeps its order.
func (b *publisher) publish(topic string, m *kernel.Message) {
	b.mu.Lock()
	to := b.subscribed(topic)
	b.mu.Unlock()
	if len(to) == 0 {
		return
	}
	w := newWire(b.signer.encode(topicFrame(topic), m))
	var slow []*peer
	for _, p := range to {
		if beyond, _ := p.beyond(p.limits.soft); beyond {
			slow = append(slow, p)
		} else {
			p.push(w)
		}
	}
	for _, p := range slow {
		if !p.await(p.limits.soft, p.limits.stalled) {
			p.await(p.limits.hard.times(2), p.limits.dead)
			if dropDead(p, kernel.IOPub, b.faults) {
				continue
			}
		}
		p.push(w)
	}
}
