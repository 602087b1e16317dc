//go:build !windows

package terminal

import "os"

// Stdin returns the terminal, opened anew so that a cell's read of it ends with the cell that is
// stopped, or nil when standard input is no terminal.
func Stdin() *os.File {
	if !IsTerminal(os.Stdin) {
		return nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	return tty
}
