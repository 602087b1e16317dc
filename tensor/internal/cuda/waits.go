//go:build cuda

package cuda

import "sync/atomic"

var onWait atomic.Pointer[func()]

// OnWait has f called whenever the host begins to wait for a GPU, until it is called with nil: tests
// ask so which ops do.
func OnWait(f func()) {
	if f == nil {
		onWait.Store(nil)
		return
	}
	onWait.Store(&f)
}

// waits says that the host waits from now on.
func waits() {
	if f := onWait.Load(); f != nil {
		(*f)()
	}
}
