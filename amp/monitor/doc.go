// Package monitor records what happens to the loss scale and the gradients of a mixed precision
// training loop, and draws it.
//
//	scaler := amp.NewGradScaler(amp.ScalerConfig{})
//	m := monitor.Watch(scaler, opt)
//	display.Live(m) // in a notebook: redraws under the cell while the loop runs
//	… the loop …
//	fmt.Println(m)  // one line; m.History() has every step
//
// [Watch] listens to the scaler. A step is recorded at each Update, from what Scale, Unscale and
// Step saw before it: gradients are read when they are unscaled and not yet clipped.
//
// The picture of [Monitor.SVG] and [Monitor.PNG] has the loss above (its mean over a fortieth of
// the run in strong blue), the loss scale below in steps on a log₂ axis, and a cross at each
// skipped step.
//
// Reading the gradients costs two passes over them per step.
package monitor
