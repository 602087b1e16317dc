package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// asked holds the question that waits for an answer; there is one at a time.
type asked struct {
	asking  sync.Mutex // held while a question waits
	mu      sync.Mutex
	id      string // of the input_request
	answers chan string
}

// Ask sends an input_request to the client that runs the cell, and waits for the answer. Where the
// client gives no input the error is one of io.EOF.
func (o *output) Ask(ctx context.Context, prompt string, password bool) (string, error) {
	if !o.allowStdin {
		return "", fmt.Errorf("the front end gives no input here: %w", io.EOF)
	}
	o.flush()
	a := &o.k.asked
	a.asking.Lock()
	defer a.asking.Unlock()
	m := o.k.message("input_request", o.request.msg.Header, map[string]any{
		"prompt": prompt, "password": password,
	})
	m.Identities = o.request.msg.Identities
	answers := make(chan string, 1)
	a.expect(messageID(m), answers)
	defer a.expect("", nil)
	o.k.transport.Send(Stdin, m)
	select {
	case line := <-answers:
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	case <-o.ctx.Done():
		return "", o.ctx.Err()
	}
}

func (a *asked) expect(id string, answers chan string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.id, a.answers = id, answers
}

// answer takes an input_reply. Clients may leave its parent out, but one that answers another
// question is late.
func (a *asked) answer(r *request) {
	var reply struct {
		Value string `json:"value"`
	}
	if err := r.content(&reply); err != nil || r.header.Type != "input_reply" {
		r.k.cfg.Log.Warn("not an input_reply on stdin", "type", r.header.Type, "error", err)
		return
	}
	var parent header
	_ = json.Unmarshal(r.msg.Parent, &parent) // without one
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.answers == nil || parent.Type == "input_request" && parent.ID != a.id {
		return
	}
	a.answers <- reply.Value
	a.answers = nil
}

func messageID(m *Message) string {
	var h header
	_ = json.Unmarshal(m.Header, &h) // our own
	return h.ID
}
