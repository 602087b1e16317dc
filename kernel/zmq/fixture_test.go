package zmq

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"

	"halfnote/kernel"
)

const (
	testKey  = "a-key"
	patience = 2 * time.Minute // after which what has not come on a busy machine does not come
)

// A fake is a kernel that notes what it is asked.
type fake struct {
	received    chan arrival
	interrupted chan struct{}
	stopping    chan struct{}
	done        chan struct{}
	stubborn    bool // does not stop
}

type arrival struct {
	channel kernel.Channel
	message *kernel.Message
}

func newFake() *fake {
	return &fake{received: make(chan arrival, 100_000), interrupted: make(chan struct{}, 10),
		stopping: make(chan struct{}), done: make(chan struct{})}
}

func (f *fake) Receive(ch kernel.Channel, m *kernel.Message) { f.received <- arrival{ch, m} }
func (f *fake) Interrupt()                                   { f.interrupted <- struct{}{} }
func (f *fake) Done() <-chan struct{}                        { return f.done }

func (f *fake) Welcome(topic string) *kernel.Message {
	text, _ := json.Marshal(map[string]string{"subscription": topic})
	return message("iopub_welcome", string(text))
}

func (f *fake) Shutdown() {
	close(f.stopping)
	if !f.stubborn {
		close(f.done)
	}
}

// message returns a message of a type.
func message(kind, content string) *kernel.Message {
	header := fmt.Sprintf(`{"msg_id":"1","msg_type":%q}`, kind)
	return &kernel.Message{Header: json.RawMessage(header), Content: json.RawMessage(content)}
}

// A served is a fake kernel behind real sockets.
type served struct {
	*sockets
	kernel *fake
	at     *connection
	log    *logged
}

// A logged is what the log was told.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// count returns how often text stands in the log.
func (l *logged) count(text string) int { return strings.Count(l.String(), text) }

func serve(t testing.TB, l limits) *served {
	t.Helper()
	c := connectionAt(tcp, "127.0.0.1")
	bound, err := c.listen()
	if err != nil {
		t.Fatal(err)
	}
	s := &served{kernel: newFake(), at: c, log: &logged{}}
	s.sockets = newSockets(testKey, bound, l, slog.New(slog.NewTextHandler(s.log, nil)))
	s.start(s.kernel)
	t.Cleanup(func() {
		select {
		case <-s.large.stop:
		default:
			s.close(0)
		}
	})
	return s
}

// connectionAt returns a connection whose ports are to be chosen.
func connectionAt(transport, ip string) *connection {
	return &connection{Transport: transport, IP: ip, Key: testKey, Scheme: "hmac-sha256",
		Shell: new(int), IOPub: new(int), Stdin: new(int), Control: new(int), Heartbeat: new(int)}
}

// of returns where a socket listens.
func (c *connection) of(ch kernel.Channel) string {
	for _, p := range c.ports() {
		if p.socket == ch {
			return c.address(*p.number)
		}
	}
	panic(ch)
}

// next returns the message that comes next to the kernel.
func (s *served) next(t testing.TB) arrival {
	t.Helper()
	select {
	case a := <-s.kernel.received:
		return a
	case <-time.After(patience):
		t.Fatal("no message has come to the kernel")
		panic("unreachable")
	}
}

// A client is a connection that the tests write to and read from frame by frame.
type client struct {
	net.Conn
	in     *bufio.Reader
	signer *signer
	pongs  chan string
}

func dial(t testing.TB, network, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience)) // so that a faulty test ends
	return conn
}

// connect returns a client after its handshake.
func (s *served) connect(t testing.TB, ch kernel.Channel, kind zmq4.SocketType,
	identity string) *client {
	t.Helper()
	conn := dial(t, "tcp", s.at.of(ch))
	if _, err := zmq4.Open(conn, null.Security(), kind, []byte(identity), false, nil); err != nil {
		t.Fatal(err)
	}
	return &client{Conn: conn, in: bufio.NewReaderSize(conn, 1<<20), signer: newSigner(testKey),
		pongs: make(chan string, 10)}
}

// subscriber returns a client of iopub that has had its welcome.
func (s *served) subscriber(t testing.TB) *client {
	t.Helper()
	c := s.connect(t, kernel.IOPub, zmq4.Sub, "")
	c.send(t, "\x01")
	if m := c.receive(t); !strings.Contains(string(m.Header), "iopub_welcome") {
		t.Fatalf("first came %s", m.Header)
	}
	return c
}

func (c *client) send(t testing.TB, frames ...string) {
	t.Helper()
	var bodies [][]byte
	for _, f := range frames {
		bodies = append(bodies, []byte(f))
	}
	c.write(t, newWire(bodies))
}

func (c *client) write(t testing.TB, w *wire) {
	t.Helper()
	for _, s := range w.segments {
		if _, err := c.Write(s); err != nil {
			t.Fatal(err)
		}
	}
}

// request sends a signed message; content tells it from others.
func (c *client) request(t testing.TB, content string) {
	t.Helper()
	c.write(t, newWire(c.signer.encode(nil, message("kernel_info_request", content))))
}

// frames returns the frames of the next message.
func (c *client) frames() ([][]byte, error) {
	l := defaultLimits
	l.bytes = 1 << 30
	return readMessage(c.in, &l, func(name string, body []byte) error {
		if name == zmq4.CmdPong {
			c.pongs <- string(body)
		}
		return nil
	})
}

func (c *client) receive(t testing.TB) *kernel.Message {
	t.Helper()
	frames, err := c.frames()
	if err != nil {
		t.Fatal(err)
	}
	c.signer.seen = map[digest]bool{} // equal messages are fine here
	m, err := c.signer.decode(frames)
	if err != nil {
		t.Fatalf("%v: %.200q", err, frames)
	}
	return m
}

// closed waits until the kernel has closed the connection.
func (c *client) closed(t testing.TB) {
	t.Helper()
	for {
		if _, err := c.frames(); err != nil {
			if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
				t.Fatal("the connection is still open")
			}
			return
		}
	}
}
