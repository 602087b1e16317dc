package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// understandsANSI reports whether the console f obeys ANSI sequences, which it must be asked to do.
func understandsANSI(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
