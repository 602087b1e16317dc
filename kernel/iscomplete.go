package kernel

import (
	"context"

	"halfnote/repl"
)

type isCompleteReply struct {
	Status string `json:"status"`
	Indent string `json:"indent,omitempty"`
}

// isComplete says whether Enter runs the code or makes a new line.
func (k *Kernel) isComplete(_ context.Context, _ *lane, r *request) any {
	var req codeRequest
	if err := r.content(&req); err != nil {
		return malformed(err)
	}
	state, indent := repl.Completeness(*req.Code)
	return isCompleteReply{state, indent}
}
