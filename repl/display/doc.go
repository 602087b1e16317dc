// Package display turns values into MIME bundles and brings them to the cell that made them.
//
//	display.Show(monitor)                      // a value with SVG() or PNG() shows as a picture
//	display.Show(display.Markdown("**done**")) // text can say what it is
//	display.Live(monitor)                      // redraws under the cell while it runs
//
// [Of] decides by method shape how a value looks: HTML() string, SVG() string, PNG() []byte,
// JPEG() []byte, Markdown() string and Latex() string each add their MIME type; images and gonum
// plots become pictures, slices of structs and maps become tables; text/plain is always there, in
// Go's syntax. So a type shows itself well without importing this package.
//
// A cell's output belongs to the goroutine that runs it. A session binds its [Output] with [Bind],
// runs the cell, and ends with [Finish]; goroutines that the cell starts take part by [Inherit].
// Outside of a session everything goes to the process's standard output as text.
package display
