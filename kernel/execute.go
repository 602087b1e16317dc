package kernel

import (
	"context"
	"errors"

	"halfnote/repl"
	"halfnote/repl/display"
)

type executeRequest struct {
	source
	Silent          bool              `json:"silent"`
	StoreHistory    *bool             `json:"store_history"` // nil is true
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`
	StopOnError     *bool             `json:"stop_on_error"` // nil is true
}

type executeReply struct {
	Status         string         `json:"status"`
	ExecutionCount int            `json:"execution_count"`
	Payload        []any          `json:"payload"`
	Expressions    map[string]any `json:"user_expressions"`
}

// executeError is the reply of a cell that failed.
type executeError struct {
	errorContent
	ExecutionCount int            `json:"execution_count"`
	Payload        []any          `json:"payload"`
	Expressions    map[string]any `json:"user_expressions"`
}

type executeInput struct {
	Code           string `json:"code"`
	ExecutionCount int    `json:"execution_count"`
}

type executeResult struct {
	displayData
	ExecutionCount int `json:"execution_count"`
}

// execute runs a cell.
func (k *Kernel) execute(ctx context.Context, l *lane, r *request) any {
	var req executeRequest
	if err := r.content(&req); err != nil {
		return malformed(err)
	}
	if r.channel == Control {
		return failure("BadMessage", "execute_request: on control it could not be interrupted; "+
			"send it on the shell")
	}
	k.running.Lock()
	defer k.running.Unlock()
	if r.aborted {
		return statusReply{"aborted"} // without a count, which front ends would show
	}
	keep := !req.Silent && isTrue(req.StoreHistory)
	n := k.count + 1
	out := newOutput(ctx, k, r, req.AllowStdin)
	out.silent = req.Silent
	if !req.Silent {
		k.publish("execute_input", r.msg.Header, executeInput{*req.Code, n})
		out.Stream("stderr", k.cfg.Crash.take())
	}
	k.cfg.Crash.begin(n, *req.Code)
	res, err := k.session.EvalWith(ctx, *req.Code, out, repl.EvalOptions{Silent: !keep})
	k.cfg.Crash.end()
	if keep {
		k.count = n
	}
	out.flush()
	if err != nil {
		content := errorOf(err)
		out.publish("error", struct {
			Name      string   `json:"ename"`
			Value     string   `json:"evalue"`
			Traceback []string `json:"traceback"`
		}{content.Name, content.Value, content.Traceback})
		if isTrue(req.StopOnError) {
			l.abort()
		}
		return executeError{content, k.count, []any{}, map[string]any{}}
	}
	if res.Shown {
		out.publish("execute_result", executeResult{dataOf(res.Bundle, ""), n})
	}
	return executeReply{"ok", k.count, payloads(res), k.expressions(ctx, req.UserExpressions)}
}

func isTrue(b *bool) bool { return b == nil || *b }

// errorOf is an error of a cell as the protocol tells it.
func errorOf(err error) errorContent {
	content := errorContent{Status: "error", Name: "Error", Value: err.Error(),
		Traceback: repl.Traceback(err)}
	var e *repl.Error
	if errors.As(err, &e) {
		content.Name, content.Value = e.Name(), e.Message()
	}
	return content
}

// expressions evaluates user_expressions, each by itself.
func (k *Kernel) expressions(ctx context.Context, exprs map[string]string) map[string]any {
	values := map[string]any{}
	for name, expr := range exprs {
		res, err := k.session.EvalWith(ctx, expr, new(nowhere), repl.EvalOptions{Silent: true})
		if err != nil {
			values[name] = errorOf(err)
			continue
		}
		data := dataOf(res.Bundle, "")
		values[name] = struct {
			Status string `json:"status"`
			displayData
		}{"ok", data}
	}
	return values
}

// payloads are what a cell's commands ask of the front end.
func payloads(res repl.Result) []any {
	list := []any{}
	if res.Page != nil {
		list = append(list, map[string]any{
			"source": "page", "data": dataOf(*res.Page, "").Data, "start": 0,
		})
	}
	if res.NextInput != "" {
		list = append(list, map[string]any{
			"source": "set_next_input", "text": res.NextInput, "replace": false,
		})
	}
	if res.Quit {
		list = append(list, map[string]any{"source": "ask_exit", "keepkernel": false})
	}
	return list
}

// nowhere is the output of what runs unseen.
type nowhere struct{ _ byte } // a size, so that each is one of its own

func (*nowhere) Stream(name, text string)            {}
func (*nowhere) Display(b display.Bundle, id string) {}
func (*nowhere) Update(b display.Bundle, id string)  {}
func (*nowhere) Clear(wait bool)                     {}
