// Package repl is the session: it takes cells of Go one after another, remembers what they define,
// and gives values, output and diagnostics. It knows no terminal and no socket; front ends are the
// terminal, the Jupyter kernel and the notebook runner.
//
//	session := repl.New(repl.Config{})
//	res, err := session.Eval(ctx, "x := 6\nx * 7", out) // out takes what the cell prints
//	fmt.Println(res.Bundle.Text())                      // 42
//
// A cell goes one way, each step a plain function of its input:
//
//	text       ──check──► a typed cell     go/types is the only judge; what it rejects never runs
//	typed cell ──lower──► core (ir)        the small language that says everything out loud
//	core       ──emit───► a syntax tree    what the interpreter, yaegi, runs rightly
//	tree       ──yaegi──► values           session variables live here, not in the interpreter
//	values     ──display► MIME bundles     what a front end shows
//
// Complete and Inspect answer what a cell that is being written can go on with and what stands in it,
// by types alone; they run no code and are answered while a cell runs.
//
// Definitions live as long as the session. A name may be defined anew: functions and types of
// earlier cells follow a new function, type or constant if they fit it, and a new variable if its
// type is the same; what does not fit goes on with the earlier one, and a note names it. A cell
// that does not compile changes nothing; one that panics or is interrupted keeps what it had
// changed until then. When a cell is interrupted its deferred calls run, and those of its
// goroutines, for at most three seconds; what recover gives in them is nil. A lock whose release is
// not deferred yet, because the interrupt came between the two, stays locked. Goroutines of earlier
// cells stand still meanwhile and go on then. A call into compiled code cannot be ended: after three
// seconds the cell is given up, and ends when the call returns.
//
// Where Go ends the process because goroutines use a map at the same time, code of cells uses it one
// at a time; compiled code that is given the map does not wait.
//
// A cell ends with Go's error when it waits and all goroutines of cells wait for each other, unless
// the session has used what might wake them: timers, network, processes, packages that compute on
// goroutines of their own.
//
// A cell can also be a command in IPython's grammar, such as %help or ?x: its answer stands in the
// [Result]. What was typed is kept in a [History].
package repl
