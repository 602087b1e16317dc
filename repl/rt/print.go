package rt

import (
	"fmt"

	"halfnote/repl/display"
)

// Print is fmt.Print to the cell of the calling goroutine.
func Print(args ...any) (int, error) { return fmt.Fprint(display.Stdout(), args...) }

// Println is fmt.Println to the cell of the calling goroutine.
func Println(args ...any) (int, error) { return fmt.Fprintln(display.Stdout(), args...) }

// Printf is fmt.Printf to the cell of the calling goroutine.
func Printf(format string, args ...any) (int, error) {
	return fmt.Fprintf(display.Stdout(), format, args...)
}
