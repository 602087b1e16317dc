package kernel

import (
	"context"
	"unicode/utf8"
)

// codeRequest is what requests about a place in a cell have.
type codeRequest struct {
	source
	Cursor *int `json:"cursor_pos"` // in characters; nil is the end
	Detail int  `json:"detail_level"`
}

// cursor is the place as an offset in bytes.
func (r *codeRequest) cursor() int {
	if r.Cursor == nil {
		return len(*r.Code)
	}
	left := *r.Cursor
	for i := range *r.Code {
		if left <= 0 {
			return i
		}
		left--
	}
	return len(*r.Code)
}

// characters is an offset in bytes as the protocol counts.
func (r *codeRequest) characters(offset int) int {
	return utf8.RuneCountInString((*r.Code)[:offset])
}

type completeReply struct {
	Status   string         `json:"status"`
	Matches  []string       `json:"matches"`
	Start    int            `json:"cursor_start"`
	End      int            `json:"cursor_end"`
	Metadata map[string]any `json:"metadata"`
}

// typedMatch is an element of the metadata by which JupyterLab shows kinds; other front ends show
// signatures, too.
type typedMatch struct {
	Text      string `json:"text"`
	Type      string `json:"type"`
	Signature string `json:"signature"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
}

// complete says how the word at the cursor may go on.
func (k *Kernel) complete(_ context.Context, _ *lane, r *request) any {
	var req codeRequest
	if err := r.content(&req); err != nil {
		return malformed(err)
	}
	c := k.session.Complete(*req.Code, req.cursor())
	reply := completeReply{
		Status: "ok", Matches: []string{},
		Start: req.characters(c.Start), End: req.characters(c.End),
	}
	typed := []typedMatch{}
	for _, item := range c.Items {
		reply.Matches = append(reply.Matches, item.Text)
		typed = append(typed,
			typedMatch{item.Text, item.Kind, item.Signature, reply.Start, reply.End})
	}
	reply.Metadata = map[string]any{"_jupyter_types_experimental": typed}
	return reply
}
