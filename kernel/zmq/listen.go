package zmq

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"halfnote/kernel"
)

// listen binds the addresses of c, exactly as it says. Ports that are 0 are chosen and put into c.
func (c *connection) listen() (map[kernel.Channel]net.Listener, error) {
	bound := map[kernel.Channel]net.Listener{}
	for _, p := range c.ports() {
		ln, err := c.bind(p.number)
		if err != nil {
			for _, ln := range bound {
				ln.Close()
			}
			return nil, fmt.Errorf("bind %s: %s %s: %w", p.socket, p.field,
				c.address(*p.number), err)
		}
		bound[p.socket] = ln
	}
	return bound, nil
}

// address returns where a port is, as it is dialled.
func (c *connection) address(number int) string {
	switch {
	case c.Transport == ipc:
		return fmt.Sprintf("%s-%d", c.IP, number)
	case c.IP == "*":
		return net.JoinHostPort("0.0.0.0", strconv.Itoa(number)) // what libzmq takes it for
	}
	return net.JoinHostPort(c.IP, strconv.Itoa(number))
}

func (c *connection) bind(number *int) (net.Listener, error) {
	if c.Transport == ipc {
		return c.bindPath(number)
	}
	network := "tcp4" // "tcp" would take 0.0.0.0 for all of IPv6 too
	if ip, err := netip.ParseAddr(c.IP); err == nil && ip.Is6() {
		network = "tcp6"
	}
	ln, err := net.Listen(network, c.address(*number))
	if err != nil {
		return nil, plain(err)
	}
	*number = ln.Addr().(*net.TCPAddr).Port
	return ln, nil
}

// maxSocketPath is what all systems have room for in a socket's address.
const maxSocketPath = 103

// bindPath makes a socket file that only its owner may use. It is removed when the listener closes.
func (c *connection) bindPath(number *int) (net.Listener, error) {
	if *number == 0 {
		for *number = 1; ; *number++ {
			_, err := os.Lstat(c.address(*number))
			if errors.Is(err, fs.ErrNotExist) {
				break
			} else if err != nil {
				return nil, plain(err)
			}
		}
	}
	path := c.address(*number)
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("path of %d bytes, longer than %d", len(path), maxSocketPath)
	}
	ln, err := listenPrivate(path)
	if errors.Is(err, errInUse) && isStale(path) {
		if err = os.Remove(path); err == nil {
			ln, err = listenPrivate(path)
		}
	}
	if err != nil {
		return nil, plain(err)
	}
	return ln, nil
}

// isStale reports whether path is a socket on which nobody listens any more.
func isStale(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeSocket {
		return false
	}
	conn, err := net.Dial("unix", path)
	if err == nil {
		conn.Close()
	}
	return errors.Is(err, errRefused)
}

// plain takes the address, which is named already, from an error of package net.
func plain(err error) error {
	if errors.Is(err, errInUse) {
		return errors.New("is taken; stop the process that has it or let Jupyter choose another")
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	if call := (*os.SyscallError)(nil); errors.As(err, &call) {
		err = call.Err
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return errors.New(strings.ToLower(err.Error()))
}
