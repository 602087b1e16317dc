package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// A request is a message that waits for its answer.
type request struct {
	k       *Kernel
	channel Channel
	msg     *Message
	header  header
	aborted bool // a cell before it has failed
	lost    bool // its subshell does not exist
}

// A handler answers one type of message; nil is no answer. What it publishes has r as parent.
type handler func(k *Kernel, ctx context.Context, l *lane, r *request) (reply any)

// handlers has what is understood on the shell and, as old clients do, on control.
var handlers map[string]handler

func init() { // a handler makes lanes, which look into the table
	handlers = map[string]handler{
		"execute_request":         (*Kernel).execute,
		"complete_request":        (*Kernel).complete,
		"inspect_request":         (*Kernel).inspect,
		"is_complete_request":     (*Kernel).isComplete,
		"history_request":         (*Kernel).history,
		"kernel_info_request":     (*Kernel).info,
		"comm_info_request":       (*Kernel).commInfo,
		"comm_open":               (*Kernel).commOpen,
		"comm_msg":                (*Kernel).commMessage,
		"comm_close":              (*Kernel).commClose,
		"interrupt_request":       (*Kernel).interruptRequest,
		"shutdown_request":        (*Kernel).shutdownRequest,
		"create_subshell_request": (*Kernel).createSubshell,
		"delete_subshell_request": (*Kernel).deleteSubshell,
		"list_subshell_request":   (*Kernel).listSubshells,
	}
}

// status is the content of the messages between which a request is answered.
type status struct {
	State string `json:"execution_state"`
}

// dispatch answers r.
func (k *Kernel) dispatch(ctx context.Context, l *lane, r *request) {
	k.publish("status", r.msg.Header, status{"busy"})
	defer k.publish("status", r.msg.Header, status{"idle"})
	if reply := k.handle(ctx, l, r); reply != nil {
		r.reply(reply)
	}
	k.release()
}

// largeOutput is from where on a cell's output is worth returning memory to the system for; the
// moment before is for the clients to take it.
const (
	largeOutput  = 16 << 20
	releaseAfter = time.Second
)

// release returns the memory that large outputs took.
func (k *Kernel) release() {
	if k.published.Load() > largeOutput {
		k.published.Store(0)
		time.AfterFunc(releaseAfter, debug.FreeOSMemory)
	}
}

// handle returns the content of the reply, or nil if the message wants none.
func (k *Kernel) handle(ctx context.Context, l *lane, r *request) (reply any) {
	defer func() {
		if v := recover(); v != nil {
			k.cfg.Log.Error("fault in the kernel", "message", r.header.Type, "fault", v,
				"stack", string(debug.Stack()))
			reply = failure("InternalError", fmt.Sprint("internal error: ", v))
		}
	}()
	handle, ok := handlers[r.header.Type]
	switch {
	case !ok && strings.HasSuffix(r.header.Type, "_request"):
		return failure("UnknownMessage", "halfnote does not know "+r.header.Type)
	case !ok:
		k.cfg.Log.Warn("unknown message", "type", r.header.Type, "channel", r.channel)
		return nil
	case r.lost && !strings.HasSuffix(r.header.Type, "_request"): // comms have no replies
		k.cfg.Log.Warn("no such subshell", "type", r.header.Type, "id", r.header.subshell())
		return nil
	case r.lost:
		return failure("UnknownSubshell", "there is no subshell "+r.header.subshell())
	}
	return handle(k, ctx, l, r)
}

// content decodes the content of the request.
func (r *request) content(v any) error {
	err := json.Unmarshal(r.msg.Content, v)
	if c, ok := v.(interface{ check() error }); err == nil && ok {
		err = c.check()
	}
	if err != nil {
		return fmt.Errorf("%s: its content: %w", r.header.Type, err)
	}
	return nil
}

// source is the text that a request is about.
type source struct {
	Code *string `json:"code"`
}

func (s source) check() error {
	if s.Code == nil {
		return errors.New("there is no code")
	}
	return nil
}

// malformed answers a request whose content cannot be read.
func malformed(err error) any { return failure("BadMessage", err.Error()) }

// reply sends the answer to the client that asked.
func (r *request) reply(content any) {
	m := r.k.message(replyType(r.header.Type), r.msg.Header, content)
	m.Identities = r.msg.Identities
	r.k.transport.Send(r.channel, m)
}

func replyType(requestType string) string {
	return strings.TrimSuffix(requestType, "_request") + "_reply"
}
