package kernel

import (
	"context"
	"maps"
	"slices"
)

type statusReply struct {
	Status string `json:"status"`
}

// interruptRequest stops the running cell.
func (k *Kernel) interruptRequest(context.Context, *lane, *request) any {
	k.Interrupt()
	return statusReply{"ok"}
}

type shutdownContent struct {
	Status  string `json:"status"`
	Restart bool   `json:"restart"`
}

// shutdownRequest ends the kernel. The answer is given when all output of cells has been sent, to
// the client and, for the others, on iopub. On the shell, where old clients send it, it must not
// wait for its own lane.
func (k *Kernel) shutdownRequest(_ context.Context, l *lane, r *request) any {
	var req struct {
		Restart bool `json:"restart"`
	}
	if err := r.content(&req); err != nil {
		return malformed(err)
	}
	reply := shutdownContent{"ok", req.Restart}
	if l == k.control {
		k.Shutdown()
	} else {
		go k.Shutdown()
	}
	k.publish("shutdown_reply", r.msg.Header, reply)
	return reply
}

type subshellContent struct {
	Status string `json:"status"`
	ID     string `json:"subshell_id"`
}

// createSubshell makes a lane (Jupyter enhancement proposal 91).
func (k *Kernel) createSubshell(context.Context, *lane, *request) any {
	k.mu.Lock()
	defer k.mu.Unlock()
	id := newID()
	k.shells[id] = newLane(k)
	return subshellContent{"ok", id}
}

// deleteSubshell ends a lane; a cell that runs there is stopped.
func (k *Kernel) deleteSubshell(_ context.Context, _ *lane, r *request) any {
	var req subshellContent
	if err := r.content(&req); err != nil {
		return malformed(err)
	}
	k.mu.Lock()
	l := k.shells[req.ID]
	delete(k.shells, req.ID)
	k.mu.Unlock()
	if l == nil {
		return failure("UnknownSubshell", "there is no subshell "+req.ID)
	}
	l.close()
	return statusReply{"ok"}
}

// listSubshells names the lanes.
func (k *Kernel) listSubshells(context.Context, *lane, *request) any {
	k.mu.Lock()
	defer k.mu.Unlock()
	return struct {
		Status string   `json:"status"`
		IDs    []string `json:"subshell_id"`
	}{"ok", append([]string{}, slices.Sorted(maps.Keys(k.shells))...)}
}
