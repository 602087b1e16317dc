//go:build unix

package zmq

import (
	"net"
	"syscall"
)

const (
	errInUse   = syscall.EADDRINUSE
	errRefused = syscall.ECONNREFUSED
)

// listenPrivate makes a socket file with mode 0600 from its first moment on. The mask is the whole
// process's, which at this time does nothing else.
func listenPrivate(path string) (net.Listener, error) {
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	return net.Listen("unix", path)
}
