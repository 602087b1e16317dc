package zmq

import (
	"bufio"
	"errors"
	"net"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

const greetingSize = 64

// errHandshake is one text for all, for what zmq4 says of it quotes the peer.
const errHandshake frameError = "it is no ZeroMQ client, or one of another socket type"

// A greeter is a connection as zmq4 may see it during the handshake: the greeting and one command
// of limited length. Zmq4 takes the length on trust.
type greeter struct {
	net.Conn
	in      *bufio.Reader
	left    int // bytes that may be read of the greeting or the command
	command bool
	limits  *limits
	failed  error // of reading
}

func (g *greeter) Read(b []byte) (int, error) {
	if g.left == 0 {
		if g.command {
			return 0, errHandshake
		}
		flag, size, length, err := peekHeader(g.in)
		switch {
		case err != nil:
			g.failed = err
			return 0, err
		case flag&flagCommand == 0 || size == 0 || size > uint64(g.limits.command):
			return 0, errHandshake
		}
		g.command, g.left = true, length+int(size)
	}
	n, err := g.in.Read(b[:min(len(b), g.left)])
	g.left -= n
	g.failed = err
	return n, err
}

// shake does the ZMTP handshake as a socket of type t, and returns the connection's buffered input
// and the identity that the peer gives itself.
func shake(conn net.Conn, t zmq4.SocketType, l *limits) (in *bufio.Reader, identity string,
	err error) {
	defer func() {
		// Zmq4 indexes beyond a READY command that is cut off, and panics at unknown socket types.
		if p := recover(); p != nil {
			err = errHandshake
		}
	}()
	if err := conn.SetDeadline(time.Now().Add(l.handshake)); err != nil {
		return nil, "", err
	}
	in = bufio.NewReaderSize(conn, 16<<10)
	g := &greeter{Conn: conn, in: in, left: greetingSize, limits: l}
	c, err := zmq4.Open(g, null.Security(), t, nil, false, nil)
	var network net.Error
	switch {
	case g.failed != nil:
		return nil, "", g.failed
	case errors.As(err, &network):
		return nil, "", err
	case err != nil:
		return nil, "", errHandshake
	}
	if identity = c.Peer.Meta["Identity"]; len(identity) > 255 {
		return nil, "", errHandshake
	}
	return in, identity, conn.SetDeadline(time.Time{})
}
