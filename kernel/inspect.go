package kernel

import "context"

type inspectReply struct {
	Status   string         `json:"status"`
	Found    bool           `json:"found"`
	Data     map[string]any `json:"data"`
	Metadata map[string]any `json:"metadata"`
}

// inspect says what stands at the cursor.
func (k *Kernel) inspect(_ context.Context, _ *lane, r *request) any {
	var req codeRequest
	if err := r.content(&req); err != nil {
		return malformed(err)
	}
	reply := inspectReply{Status: "ok", Data: map[string]any{}, Metadata: map[string]any{}}
	b, found := k.session.Inspect(*req.Code, req.cursor(), req.Detail)
	if found {
		reply.Found, reply.Data = true, dataOf(b, "").Data
	}
	return reply
}
