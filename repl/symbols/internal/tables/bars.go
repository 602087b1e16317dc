package tables

import (
	"halfnote/repl/display"
	"halfnote/tensor/data"
)

// Loaders show their progress under the cell that calls them.
func init() {
	data.ShowBars(func(total int, label string) data.Bar { return display.NewBar(total, label) })
}
