package zmq

import "time"

// limits bound what one connection may cost and how long the others wait for it.
type limits struct {
	handshake   time.Duration // for a new connection to greet and say its socket type
	connections int           // of one socket

	// Of a received message, over all its frames, and of a ZMTP command.
	bytes, frames, command int

	subscriptions int // of one subscriber, those that it has cancelled included
	topic         int // bytes of a topic
	refused       int // bad messages, after which the connection is closed

	// What may wait in a peer's queue, besides the message that is being written and a new one, so
	// that one message of any size gets through. Publish waits for a peer that is beyond soft and
	// still takes bytes, and lets one that is stalled be. A dead one beyond hard is dropped; only
	// when twice as much waits is it waited for until it is certain that it is dead.
	soft, hard backlog

	stalled time.Duration // without a byte taken
	dead    time.Duration // without a byte taken; at the end of the kernel too
	linger  time.Duration // at the end, for a peer to close its side when it has everything
}

// A backlog is an amount of messages that wait.
type backlog struct{ messages, bytes int }

func (b backlog) times(n int) backlog { return backlog{n * b.messages, n * b.bytes} }

var defaultLimits = limits{
	handshake:   10 * time.Second,
	connections: 1000,

	bytes:   256 << 20,
	frames:  10_000, // a comm message with one buffer for each of many arrays
	command: 64 << 10,

	subscriptions: 1000, // Jupyter's clients have one
	topic:         256,
	refused:       100,

	soft: backlog{2_000, 16 << 20},
	hard: backlog{50_000, 64 << 20},

	stalled: 100 * time.Millisecond,
	dead:    2 * time.Second, // less may be a client that is computing
	linger:  500 * time.Millisecond,
}

// heartbeatLimits are for a socket whose messages are a few bytes.
func heartbeatLimits(l limits) limits {
	l.hard = backlog{1_000, 1 << 20}
	return subscriberLimits(l)
}

// subscriberLimits are for a socket to which only few bytes are sent.
func subscriberLimits(l limits) limits {
	l.bytes, l.frames = 64<<10, 16
	return l
}
