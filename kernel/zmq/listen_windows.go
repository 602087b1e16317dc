package zmq

import (
	"net"

	"golang.org/x/sys/windows"
)

const (
	errInUse   = windows.WSAEADDRINUSE
	errRefused = windows.WSAECONNREFUSED
)

// listenPrivate makes a socket file with the rights of its folder, which for Jupyter's is private.
func listenPrivate(path string) (net.Listener, error) { return net.Listen("unix", path) }
