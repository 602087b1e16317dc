//go:build unix

package zmq

import (
	"os"
	"syscall"
)

// parentGone returns a function that reports whether the process pid is gone. It need not be the
// one that started us, which may be a shell between; then the end of either is the end.
func parentGone(pid int) func() bool {
	first := os.Getppid()
	watched := pid != first && isAlive(pid)
	orphan := pid != first && !watched && first == 1 // gone before we could look
	return func() bool {
		return orphan || os.Getppid() != first || watched && !isAlive(pid)
	}
}

func isAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || err == syscall.EPERM
}
