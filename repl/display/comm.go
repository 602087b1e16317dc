package display

import "errors"

// A Comm is a line between cells and code in the front end, such as that of a widget: the custom
// messages of the Jupyter protocol. Data is what encoding/json makes of JSON, and can make JSON of.
type Comm interface {
	ID() string
	Target() string
	// Send sends data, with binary attachments, to the other end.
	Send(data any, buffers ...[]byte) error
	// OnMessage sets what is called with each message from the other end. What it prints appears
	// where the front end puts output that answers its message.
	OnMessage(f func(data any, buffers [][]byte))
	// OnClose sets what is called when the other end closes.
	OnClose(f func(data any))
	// Close closes the line; the other end is told data.
	Close(data any) error
}

// Comms is an [Output] whose front end has comms.
type Comms interface {
	OpenComm(target string, data any) (Comm, error)
	OnComm(target string, opened func(c Comm, data any)) error
}

// ErrNoComms says that the front end has no comms.
var ErrNoComms = errors.New("comm: this front end has no comms; Jupyter's have")

// OpenComm opens a line to the code in the front end that is registered under target. If there is
// none, the front end closes it at once.
func OpenComm(target string, data any) (Comm, error) {
	if c, ok := As[Comms](Current()); ok {
		return c.OpenComm(target, data)
	}
	return nil, ErrNoComms
}

// OnComm lets the front end open lines to target: opened is called with each. It takes the place
// of an earlier one; nil takes it back.
func OnComm(target string, opened func(c Comm, data any)) error {
	if c, ok := As[Comms](Current()); ok {
		return c.OnComm(target, opened)
	}
	return ErrNoComms
}
