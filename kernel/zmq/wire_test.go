package zmq

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"halfnote/kernel"
)

// greeting is how a client of ZMTP 3.1 begins.
var greeting = []byte("\xff" + strings.Repeat("\x00", 7) + "\x01\x7f\x03\x01NULL" +
	strings.Repeat("\x00", 48))

// ready is the handshake of a client with a socket type.
func ready(kind string) []byte {
	body := "\x0bSocket-Type\x00\x00\x00" + string([]byte{byte(len(kind))}) + kind
	return newCommand(zmq4.CmdReady, []byte(body)).segments[0]
}

// A connection that says nothing keeps nobody out, and is closed after a time.
func TestSilentConnection(t *testing.T) {
	kinds := map[kernel.Channel]zmq4.SocketType{kernel.Shell: zmq4.Dealer, kernel.IOPub: zmq4.Sub,
		heartbeatChannel: zmq4.Req}
	begin := func(handshake time.Duration) (s *served, silent []net.Conn) {
		l := defaultLimits
		l.handshake = handshake
		s = serve(t, l)
		for ch := range kinds {
			half := dial(t, "tcp", s.at.of(ch))
			half.Write(greeting)
			silent = append(silent, half, dial(t, "tcp", s.at.of(ch)))
		}
		return s, silent
	}
	s, _ := begin(patience)
	for ch, kind := range kinds {
		s.connect(t, ch, kind, "")
	}
	s, silent := begin(100 * time.Millisecond)
	for _, conn := range silent {
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the connection is still open")
		}
	}
	for ch := range kinds {
		if n := s.log.count(`no handshake in time" socket=` + string(ch)); n != 1 {
			t.Errorf("%d times in the log: %s", n, s.log)
		}
	}
}

// What is no ZMTP costs its sender the connection, and nobody else anything.
func TestNonsense(t *testing.T) {
	random := make([]byte, 1<<20)
	rand.Read(random)
	long := func(flag byte, size uint64) []byte {
		return binary.BigEndian.AppendUint64([]byte{flag}, size)
	}
	hello := func(b ...[]byte) []byte { return slices.Concat(greeting, slices.Concat(b...)) }
	greeted := func(b ...[]byte) []byte { return hello(ready("DEALER"), slices.Concat(b...)) }
	many := bytes.Repeat([]byte{flagMore, 0}, defaultLimits.frames)
	for name, data := range map[string][]byte{
		"random":                    random,
		"web browser":               []byte("GET / HTTP/1.1\r\n" + strings.Repeat("a: b\r\n", 20)),
		"other mechanism":           bytes.Replace(greeting, []byte("NULL\x00"), []byte("PLAIN"), 1),
		"command of 16 exabytes":    hello(long(flagCommand|flagLong, 1<<64-1)),
		"command of 100 gigabytes":  hello(long(flagCommand|flagLong, 100<<30)),
		"READY is a message":        hello([]byte{0, 5}, []byte("READY")),
		"READY has another part":    hello([]byte{flagCommand | flagMore, 0, 0, 0}),
		"READY is empty":            hello([]byte{flagCommand, 0, 0, 0}),
		"READY is cut off":          hello([]byte("\x04\x09\x05READY\x0bSoc")),
		"READY has half a property": hello([]byte("\x04\x08\x05READY\x01S")),
		"READY has a long name":     hello([]byte("\x04\x09\x05READY\xffSoc")),
		"READY has a long value":    hello([]byte("\x04\x0d\x05READY\x01S\xff\xff\xff\xffa")),
		"unknown socket type":       hello(ready("FROG")),
		"other socket type":         hello(ready("SUB")),
		"no socket type":            hello(newCommand("READY", nil).segments[0]),
		"another command":           hello(newCommand("ERROR", nil).segments[0]),
		"frame of 16 exabytes":      greeted(long(flagLong, 1<<64-1)),
		"frame of 8 exabytes":       greeted(long(flagLong, 1<<63)),
		"frame of 257 megabytes":    greeted(long(flagLong, 257<<20)),
		"frames of 300 megabytes":   greeted([]byte{flagMore, 1, 0}, long(flagLong, 256<<20)),
		"unknown flags":             greeted([]byte{8, 1, 0}),
		"command with another part": greeted([]byte{flagCommand | flagMore, 1, 0}),
		"long command":              greeted(long(flagCommand|flagLong, 65<<10)),
		"command without name":      greeted([]byte{flagCommand, 0}),
		"command with a long name":  greeted([]byte{flagCommand, 1, 200}),
		"PING without TTL":          greeted(newCommand("PING", []byte{0}).segments[0]),
		"PING with a long context":  greeted(newCommand("PING", make([]byte, 19)).segments[0]),
		"many frames":               greeted(many, []byte{0, 0}),
		"random after the greeting": greeted([]byte{0xff}, random),
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, defaultLimits)
			conn := dial(t, "tcp", s.at.of(kernel.Shell))
			go conn.Write(data)
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection is still open")
			}
			s.connect(t, kernel.Shell, zmq4.Dealer, "").request(t, "{}")
			s.next(t)
			if n := s.log.count("connection closed"); n != 1 {
				t.Errorf("%d times in the log: %s", n, s.log)
			}
		})
	}
}

// A message that ends too early is none.
func TestTruncatedMessage(t *testing.T) {
	s := serve(t, defaultLimits)
	c := s.connect(t, kernel.Shell, zmq4.Dealer, "")
	w := newWire(c.signer.encode(nil, message("x", strings.Repeat("x", 100_000))))
	whole := slices.Concat(w.segments...)
	c.Write(whole[:len(whole)-1])
	c.Close()
	s.connect(t, kernel.Shell, zmq4.Dealer, "").request(t, `{"n":1}`)
	if m := s.next(t).message; string(m.Content) != `{"n":1}` {
		t.Errorf("%.100s was delivered", m.Content)
	}
}

func TestPing(t *testing.T) {
	s := serve(t, defaultLimits)
	c := s.connect(t, kernel.Shell, zmq4.Dealer, "")
	ping := func(context string) { c.write(t, newCommand("PING", []byte("\x00\x64"+context))) }
	ping("")
	ping("context")
	// Libzmq sends one also between the frames of a message.
	frames := c.signer.encode(nil, message("x", "{}"))
	first := newWire(frames[:3])
	first.segments[0][len(first.segments[0])-len(frames[2])-2] |= flagMore
	c.write(t, first)
	ping("between")
	c.write(t, newWire(frames[3:]))
	got := s.next(t).message
	if string(got.Content) != "{}" {
		t.Errorf("the kernel got %s", got.Content)
	}
	s.Send(kernel.Shell, got)
	c.receive(t)
	for _, want := range []string{"", "context", "between"} {
		if pong := <-c.pongs; pong != want {
			t.Errorf("PONG %q, want %q", pong, want)
		}
	}
}

func TestTooManyConnections(t *testing.T) {
	l := defaultLimits
	l.connections = 2
	s := serve(t, l)
	first := s.connect(t, kernel.Shell, zmq4.Dealer, "")
	s.connect(t, kernel.Shell, zmq4.Dealer, "")
	third := dial(t, "tcp", s.at.of(kernel.Shell))
	if _, err := io.Copy(io.Discard, third); err != nil {
		t.Error(err)
	}
	first.request(t, "{}")
	s.next(t)
}

// A length is only a promise: no memory is taken for what does not come.
func TestPromisedBytes(t *testing.T) {
	header := binary.BigEndian.AppendUint64([]byte{flagLong}, 250<<20)
	in := bufio.NewReader(bytes.NewReader(append(header, "little"...)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readMessage(in, &defaultLimits, nil)
	runtime.ReadMemStats(&after)
	if err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("%d bytes were taken", n)
	}
}

func TestWireRoundTrip(t *testing.T) {
	var frames [][]byte
	for _, n := range []int{0, 1, 255, 256, inlined, inlined + 1, 3 << 20, 0} {
		b := make([]byte, n)
		rand.Read(b)
		frames = append(frames, b)
	}
	w := newWire(frames)
	all := slices.Concat(w.segments...)
	if len(all) != w.size {
		t.Errorf("size %d of %d bytes", w.size, len(all))
	}
	got, err := readMessage(bufio.NewReader(bytes.NewReader(all)), &defaultLimits, nil)
	if err != nil || !slices.EqualFunc(got, frames, bytes.Equal) {
		t.Errorf("%d frames came back, %v", len(got), err)
	}
}

// FuzzWire gives a connection bytes before and after its handshake. It must end without harm.
func FuzzWire(f *testing.F) {
	for _, s := range [][]byte{nil, {0, 0}, {flagMore, 0, 0, 1, 2}, ready("DEALER"),
		newCommand("PING", []byte("00abc")).segments[0], {flagLong, 0xff}} {
		f.Add(s, true)
		f.Add(slices.Concat(greeting, s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, greeted bool) {
		l := defaultLimits
		l.bytes, l.frames = 1<<20, 100
		ours, theirs := net.Pipe()
		faults := newComplaints(discard)
		s := &socket{kind: zmq4.Router, limits: l, faults: faults, large: &reclaimer{},
			service: newRouter(kernel.Shell, newSigner(testKey), faults, func(*kernel.Message) {
				t.Error("an unsigned message was delivered")
			}),
			open: map[net.Conn]*peer{}, ended: make(chan struct{})}
		s.open[ours] = nil
		s.wg.Go(func() { s.attend(ours) })
		if greeted {
			data = slices.Concat(greeting, ready("DEALER"), data)
		}
		s.wg.Go(func() { io.Copy(io.Discard, theirs) })
		theirs.Write(data)
		theirs.Close()
		s.wg.Wait()
		if len(s.open) > 0 {
			t.Error("the connection is still noted")
		}
	})
}
