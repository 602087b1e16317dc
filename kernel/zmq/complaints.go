package zmq

import (
	"log/slog"
	"sync"
	"time"
)

// complaints are what the log is told of faulty peers: each kind once in a while, for a peer can
// repeat its fault a million times a second.
type complaints struct {
	log  *slog.Logger
	mu   sync.Mutex
	last map[string]time.Time
}

const complainEvery = time.Minute

func newComplaints(log *slog.Logger) *complaints {
	return &complaints{log: log, last: map[string]time.Time{}}
}

// say tells the log about a peer of a socket.
func (c *complaints) say(socket, fault string) {
	key := socket + ": " + fault
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if last, ok := c.last[key]; ok && now.Sub(last) < complainEvery || len(c.last) > 1000 {
		return
	}
	c.last[key] = now
	c.log.Warn(fault, "socket", socket)
}
