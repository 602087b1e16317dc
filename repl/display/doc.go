// Package display turns values into MIME bundles and brings them to the cell that made them.
//
//	display.Show(monitor)                        // a value with SVG() or PNG() shows as a picture
//	display.Show(display.Markdown("**done**"))   // text can say what it is
//	display.Live(monitor)                        // redraws under the cell while it runs
//	for i := range display.Progress(len(items)) { // a bar that leaves one line
//	}
//	name, err := display.Input("name? ")         // asks the person
//
// [Of] decides by method shape how a value looks. These methods each add their MIME type: HTML,
// SVG, Markdown and Latex, which return a string, PNG, JPEG and GIF, which return a []byte, and
// JSON, which returns any or a map[string]any; MIMEBundle() map[string]any gives a whole bundle.
// Images and gonum plots become pictures; slices of structs, records, matrices and maps become
// tables, with all text escaped; text/plain is always there, in Go's syntax. So a type shows itself
// well without importing this package. Large values are shortened in every form.
//
// A cell's output belongs to the goroutine that runs it. A session binds its [Output] with [Bind],
// runs the cell, and ends with [Finish]; goroutines that the cell starts take part by [Inherit].
// Outside of a session everything goes to the process's standard output as text.
//
// Front ends send and store a bundle as [Bundle.Wire] gives it. [Prefer] is the one setting that
// all cells share.
package display
