package zmq

import "strconv"

// parentVariable is the environment variable by which Jupyter names the process that the kernel
// must not outlive: its number, and on Windows a handle of it. Zero means none.
const parentVariable = "JPY_PARENT_PID"

// watchedParent returns a function that reports whether the process that value names is gone. It is
// nil when there is none to watch.
func watchedParent(value string) func() bool {
	n, err := strconv.Atoi(value)
	if err != nil || n <= 0 {
		return nil
	}
	return parentGone(n)
}
