package kernel

import (
	"context"
	"errors"

	"halfnote/repl"
)

type historyRequest struct {
	Output  bool   `json:"output"`
	Access  string `json:"hist_access_type"`
	Session int    `json:"session"`
	Start   int    `json:"start"`
	Stop    int    `json:"stop"`
	N       int    `json:"n"`
	Pattern string `json:"pattern"`
	Unique  bool   `json:"unique"`
}

type historyReply struct {
	Status  string   `json:"status"`
	History [][3]any `json:"history"` // session, line, input; or input and output
}

// history tells what was typed, in this session and in earlier ones.
func (k *Kernel) history(_ context.Context, _ *lane, r *request) any {
	var req historyRequest
	if err := r.content(&req); err != nil {
		return malformed(err)
	}
	reply := historyReply{Status: "ok", History: [][3]any{}}
	h := k.cfg.History
	if h == nil {
		return reply
	}
	var entries []repl.HistoryEntry
	var err error
	switch req.Access {
	case "tail":
		entries, err = h.Tail(req.N)
	case "range":
		entries, err = h.Range(req.Session, req.Start, req.Stop)
	case "search":
		entries, err = h.Search(req.Pattern, req.N, req.Unique)
	default:
		err = errors.New("history_request: hist_access_type is none of tail, range, search")
	}
	if err != nil {
		return malformed(err)
	}
	for _, e := range entries {
		var text any = e.Input
		if req.Output {
			text = [2]any{e.Input, nullable(e.Output)}
		}
		reply.History = append(reply.History, [3]any{e.Session, e.Line, text})
	}
	return reply
}

// nullable is text, or null if there is none.
func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}
