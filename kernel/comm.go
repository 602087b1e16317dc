package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"halfnote/repl"
	"halfnote/repl/display"
)

// comms are the open lines to the front ends, and what cells have registered for new ones.
type comms struct {
	mu      sync.Mutex
	open    map[string]*comm
	targets map[string]func(c display.Comm, data any)
}

// comm is a display.Comm.
type comm struct {
	k          *Kernel
	id, target string
	opener     json.RawMessage // the header of the request that opened it

	mu      sync.Mutex
	message func(data any, buffers [][]byte)
	ended   func(data any)
}

// commContent is the content of comm_open, comm_msg and comm_close.
type commContent struct {
	ID     string `json:"comm_id"`
	Target string `json:"target_name,omitempty"`
	Data   any    `json:"data"`
}

func (k *Kernel) newComm(id, target string, opener json.RawMessage) *comm {
	c := &comm{k: k, id: id, target: target, opener: opener}
	k.comms.mu.Lock()
	defer k.comms.mu.Unlock()
	k.comms.open[id] = c
	return c
}

// find returns an open comm, or nil.
func (cs *comms) find(id string) *comm {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.open[id]
}

// remove takes a comm off the list, and reports whether it was there.
func (cs *comms) remove(id string) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	_, ok := cs.open[id]
	delete(cs.open, id)
	return ok
}

// ID is the comm's name among all.
func (c *comm) ID() string { return c.id }

// Target is the name under which it was opened.
func (c *comm) Target() string { return c.target }

// OnMessage sets what is called with each message.
func (c *comm) OnMessage(f func(data any, buffers [][]byte)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.message = f
}

// OnClose sets what is called when the front end closes the comm.
func (c *comm) OnClose(f func(data any)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = f
}

// Send sends data to the front end.
func (c *comm) Send(data any, buffers ...[]byte) error {
	if c.k.comms.find(c.id) == nil {
		return fmt.Errorf("comm %s: it is closed", c.id)
	}
	return c.publish(c.parent(), "comm_msg", data, buffers)
}

// Close closes the comm.
func (c *comm) Close(data any) error {
	if !c.k.comms.remove(c.id) {
		return nil
	}
	return c.publish(c.parent(), "comm_close", data, nil)
}

// parent is the header of the request that the caller runs for.
func (c *comm) parent() json.RawMessage {
	if o, ok := display.As[*output](display.Current()); ok {
		return o.request.msg.Header
	}
	return c.opener
}

// publish sends a message of the comm.
func (c *comm) publish(parent json.RawMessage, msgType string, data any, buffers [][]byte) error {
	if data == nil {
		data = emptyObject
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("comm %s: its data: %w", c.id, err)
	}
	content := commContent{ID: c.id, Data: json.RawMessage(raw)}
	if msgType == "comm_open" {
		content.Target = c.target
	}
	m := c.k.message(msgType, parent, content)
	m.Buffers = buffers
	c.k.transport.Publish(c.k.topic(msgType), m)
	return nil
}

// OpenComm opens a comm to the front end.
func (o *output) OpenComm(target string, data any) (display.Comm, error) {
	c := o.k.newComm(newID(), target, o.request.msg.Header)
	if err := c.publish(c.opener, "comm_open", data, nil); err != nil {
		o.k.comms.remove(c.id)
		return nil, err
	}
	return c, nil
}

// OnComm registers what is called when the front end opens a comm to target.
func (o *output) OnComm(target string, opened func(c display.Comm, data any)) error {
	cs := &o.k.comms
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if opened == nil {
		delete(cs.targets, target)
		return nil
	}
	cs.targets[target] = opened
	return nil
}

// commInfo lists the open comms.
func (k *Kernel) commInfo(_ context.Context, _ *lane, r *request) any {
	var req struct {
		Target string `json:"target_name"`
	}
	if err := r.content(&req); err != nil {
		return malformed(err)
	}
	type entry struct {
		Target string `json:"target_name"`
	}
	list := map[string]entry{}
	k.comms.mu.Lock()
	defer k.comms.mu.Unlock()
	for id, c := range k.comms.open {
		if req.Target == "" || req.Target == c.target {
			list[id] = entry{c.target}
		}
	}
	return struct {
		Status string           `json:"status"`
		Comms  map[string]entry `json:"comms"`
	}{"ok", list}
}

// commOpen calls what is registered for the target; without that the comm is closed at once.
func (k *Kernel) commOpen(ctx context.Context, _ *lane, r *request) any {
	req, ok := r.comm()
	if !ok {
		return nil
	}
	k.comms.mu.Lock()
	opened := k.comms.targets[req.Target]
	k.comms.mu.Unlock()
	c := k.newComm(req.ID, req.Target, r.msg.Header)
	if opened == nil {
		k.comms.remove(req.ID)
		k.cfg.Log.Warn("no cell has registered the comm's target", "target", req.Target)
		_ = c.publish(c.opener, "comm_close", nil, nil) // no data that JSON could refuse
		return nil
	}
	if !k.call(ctx, r, func() { opened(c, req.Data) }) && k.comms.remove(req.ID) {
		_ = c.publish(c.opener, "comm_close", nil, nil) // the handler has failed
	}
	return nil
}

// commMessage calls the comm's OnMessage.
func (k *Kernel) commMessage(ctx context.Context, _ *lane, r *request) any {
	req, ok := r.comm()
	c := k.comms.find(req.ID)
	if !ok || c == nil {
		return nil
	}
	c.mu.Lock()
	f := c.message
	c.mu.Unlock()
	if f != nil {
		k.call(ctx, r, func() { f(req.Data, r.msg.Buffers) })
	}
	return nil
}

// commClose calls the comm's OnClose.
func (k *Kernel) commClose(ctx context.Context, _ *lane, r *request) any {
	req, ok := r.comm()
	c := k.comms.find(req.ID)
	if !ok || c == nil {
		return nil
	}
	k.comms.remove(req.ID)
	c.mu.Lock()
	f := c.ended
	c.mu.Unlock()
	if f != nil {
		k.call(ctx, r, func() { f(req.Data) })
	}
	return nil
}

// comm decodes a message of a comm; one that is malformed has nobody who could be told.
func (r *request) comm() (commContent, bool) {
	var req commContent
	if err := r.content(&req); err != nil {
		r.k.cfg.Log.Warn("malformed message", "error", err)
		return req, false
	}
	return req, true
}

// call runs a function of a cell that answers r, and reports whether it ran to its end.
func (k *Kernel) call(ctx context.Context, r *request, f func()) bool {
	out := newOutput(ctx, k, r, false)
	err := k.session.Call(ctx, out, f)
	if err != nil {
		out.Stream("stderr", repl.Render(err, false)+"\n")
	}
	out.flush()
	return err == nil
}
