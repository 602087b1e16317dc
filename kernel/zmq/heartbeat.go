package zmq

import "halfnote/kernel"

const heartbeatChannel kernel.Channel = "heartbeat"

// A heartbeat is the service that sends back what comes, to show that the process lives.
type heartbeat struct{ faults *complaints }

func (h heartbeat) join(*peer)  {}
func (h heartbeat) leave(*peer) {}

func (h heartbeat) message(p *peer, frames [][]byte) error {
	if !dropDead(p, heartbeatChannel, h.faults) {
		p.push(newWire(frames))
	}
	return nil
}

func (h heartbeat) command(*peer, string, []byte) error { return nil }
