package kernel

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// FuzzReceive: whatever a signed message holds, it is answered and ends in idle.
func FuzzReceive(f *testing.F) {
	names := slices.Sorted(maps.Keys(handlers))
	for i := range names {
		f.Add(byte(i), []byte(`{"code": "x", "cursor_pos": 1, "comm_id": "1", "data": {}}`))
	}
	f.Add(byte(0), []byte(`{"code": 3}`))
	f.Add(byte(3), []byte(`[[[`))
	c := newClient(f, Config{})
	f.Fuzz(func(t *testing.T, n byte, content []byte) {
		name := names[int(n)%len(names)]
		if name == "execute_request" || name == "shutdown_request" {
			return // runs what it likes
		}
		c.mu.Lock()
		c.got = nil
		c.mu.Unlock()
		c.t = t
		c.n++
		id := fmt.Sprint("fuzz-", c.n)
		c.k.Receive(Shell, &Message{
			Header: encode(header{ID: id, Type: name}), Parent: emptyObject, Content: content,
		})
		c.wait("idle", func(r received) bool {
			return r.parent.ID == id && r.content["execution_state"] == "idle"
		})
	})
}
