package notebooks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"halfnote/repl"
	"halfnote/repl/display"
)

// Evaluator runs one cell after another. A *repl.Session is one.
type Evaluator interface {
	Eval(ctx context.Context, src string, out display.Output) (repl.Result, error)
}

// RunConfig says how a notebook is run.
type RunConfig struct {
	// AllowErrors goes on after a cell that fails.
	AllowErrors bool
	// Progress, if not nil, prints a line for each cell.
	Progress *Progress
	// Echo, if not nil, also takes the outputs that go into the notebook.
	Echo Echo
}

// Echo is an output that is told when a cell has ended.
type Echo interface {
	display.Output
	End()
}

// CellError is the error of the cell that a run ended with: the first one that failed, or the one
// that ran when its context ended.
type CellError struct {
	Cell int // n of In [n]
	Err  error
}

func (e *CellError) Error() string { return fmt.Sprintf("cell %d: %v", e.Cell, e.Err) }

// Unwrap returns the error of the evaluator, or of the context.
func (e *CellError) Unwrap() error { return e.Err }

// Cell tags of Jupyter that change how a cell runs.
const (
	tagSkip   = "skip-execution"
	tagRaises = "raises-exception"
)

// Run runs the code cells in order and replaces their outputs. It stops at the first one that
// fails, with a *CellError, and keeps the error as that cell's output; the cells after it are left
// without outputs. A cell with the tag raises-exception may fail, one with skip-execution keeps
// what it has. When ctx ends, Run stops the running cell, which is then the one that failed.
func (nb *Notebook) Run(ctx context.Context, ev Evaluator, cfg RunConfig) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r := &run{shown: map[string][]*Output{}}
	defer r.close()
	var cells []*Cell
	for _, c := range nb.Cells {
		if c.Type != Code || c.Tagged(tagSkip) {
			continue
		}
		c.ExecutionCount, c.Outputs = 0, nil
		if strings.TrimSpace(c.Source) != "" {
			cells = append(cells, c)
		}
	}
	if err := nb.markRun(); err != nil {
		return err
	}
	cfg.Progress.begin(nb, cells)
	defer cfg.Progress.end()
	for i, c := range cells {
		cfg.Progress.start(i)
		out := &collector{run: r, cell: c, echo: cfg.Echo}
		err := out.eval(ctx, ev, i+1)
		if ctx.Err() != nil {
			return &CellError{Cell: c.ExecutionCount, Err: ctx.Err()}
		}
		cfg.Progress.done(err)
		if err != nil && !cfg.AllowErrors && !c.Tagged(tagRaises) {
			return &CellError{Cell: c.ExecutionCount, Err: err}
		}
	}
	return nil
}

// maxStream is how much text of one stream a cell may keep; a loop that prints for ever must not
// fill the memory.
const maxStream = 16 << 20

// run is what the cells of one run share.
type run struct {
	mu     sync.Mutex
	closed bool
	shown  map[string][]*Output // by display id
}

// close lets goroutines that outlive their cell print into the void.
func (r *run) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

func errorOutput(err error) *Output {
	o := &Output{Type: Error, EName: "Error", EValue: err.Error(), Traceback: repl.Traceback(err)}
	var e *repl.Error
	if errors.As(err, &e) {
		o.EName, o.EValue = e.Name(), e.Message()
	}
	return o
}

func bundleOutput(t OutputType, b display.Bundle, n int) *Output {
	o := &Output{Type: t, ExecutionCount: n}
	o.setBundle(b)
	return o
}

// collector is the display.Output of one cell.
type collector struct {
	run       *run
	cell      *Cell
	echo      Echo // or nil
	clearNext bool
}

// eval runs the cell, the nth of the run, and stores its result or error.
func (c *collector) eval(ctx context.Context, ev Evaluator, n int) error {
	result, err := ev.Eval(ctx, c.cell.Source, c)
	c.change(func() {
		c.cell.ExecutionCount = n
		if result.Count > 0 {
			c.cell.ExecutionCount = result.Count
		}
		switch {
		case err != nil:
			c.add(errorOutput(err))
		case result.Shown:
			c.add(bundleOutput(ExecuteResult, result.Bundle, c.cell.ExecutionCount))
		}
	})
	if c.echo != nil {
		c.echo.End()
		if result.Shown && err == nil {
			c.echo.Display(result.Bundle, "")
		}
	}
	return err
}

// change runs f under the lock of the run, unless the run is over.
func (c *collector) change(f func()) {
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	if !c.run.closed {
		f()
	}
}

// add appends an output; the caller holds the lock.
func (c *collector) add(o *Output) {
	if c.clearNext {
		c.clearNext = false
		c.cell.Outputs = nil
	}
	c.cell.Outputs = append(c.cell.Outputs, o)
}

// Stream joins text to the last output, if that is the same stream.
func (c *collector) Stream(name, text string) {
	if c.echo != nil {
		c.echo.Stream(name, text)
	}
	c.change(func() {
		outs := c.cell.Outputs
		n := len(outs)
		if n == 0 || c.clearNext || outs[n-1].Type != Stream || outs[n-1].Name != name {
			c.add(&Output{Type: Stream, Name: name})
		}
		c.cell.Outputs[len(c.cell.Outputs)-1].write(text)
	})
}

// write adds text to a stream up to its limit.
func (o *Output) write(text string) {
	left := maxStream - o.text.Len()
	if left < 0 {
		return
	}
	if len(text) > left {
		text = strings.ToValidUTF8(text[:left], "") +
			fmt.Sprintf("\n… (cut: more than %d MB)\n", maxStream>>20)
	}
	o.text.WriteString(text)
	o.Text = o.text.String() // does not copy
}

// Display adds a display_data.
func (c *collector) Display(b display.Bundle, id string) {
	if c.echo != nil {
		c.echo.Display(b, id)
	}
	o := bundleOutput(DisplayData, b, 0)
	c.change(func() {
		c.add(o)
		if id != "" {
			c.run.shown[id] = append(c.run.shown[id], o)
		}
	})
}

// Update replaces every output of the run with this display id.
func (c *collector) Update(b display.Bundle, id string) {
	if c.echo != nil {
		c.echo.Update(b, id)
	}
	o := bundleOutput(DisplayData, b, 0)
	c.change(func() {
		for _, shown := range c.run.shown[id] {
			shown.Data, shown.Metadata = o.Data, o.Metadata
		}
	})
}

// Settle tells the echo; a notebook keeps what was shown last anyway.
func (c *collector) Settle(id string) {
	if s, ok := c.echo.(display.Settler); ok {
		s.Settle(id)
	}
}

// Clear removes the cell's outputs.
func (c *collector) Clear(wait bool) {
	if c.echo != nil {
		c.echo.Clear(wait)
	}
	c.change(func() {
		c.clearNext = wait
		if !wait {
			c.cell.Outputs = nil
		}
	})
}
