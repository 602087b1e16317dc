package zmq

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-zeromq/zmq4"

	"halfnote/kernel"
)

func TestRequestAndReply(t *testing.T) {
	s := serve(t, defaultLimits)
	for _, ch := range []kernel.Channel{kernel.Shell, kernel.Control, kernel.Stdin} {
		t.Run(string(ch), func(t *testing.T) {
			dealer := zmq4.NewDealer(context.Background(), zmq4.WithID(zmq4.SocketIdentity("me")))
			defer dealer.Close()
			if err := dealer.Dial("tcp://" + s.at.of(ch)); err != nil {
				t.Fatal(err)
			}
			m := message("comm_msg", fmt.Sprintf(`{"text":"π <IDS|MSG> %s"}`, ch))
			m.Buffers = [][]byte{{}, {0, 1, 2}, make([]byte, 100_000)}
			client := newSigner(testKey)
			if err := dealer.SendMulti(zmq4.NewMsgFrom(client.encode(nil, m)...)); err != nil {
				t.Fatal(err)
			}
			got := s.next(t)
			if got.channel != ch || string(got.message.Identities[0]) != "me" ||
				string(got.message.Content) != string(m.Content) {
				t.Errorf("%s %q %s", got.channel, got.message.Identities, got.message.Content)
			}
			got.message.Header = message("reply", "").Header
			s.Send(ch, got.message)
			reply, err := dealer.Recv()
			if err != nil {
				t.Fatal(err)
			}
			back, err := client.decode(reply.Frames)
			if err != nil {
				t.Fatal(err)
			}
			same := func(a, b []byte) bool { return string(a) == string(b) }
			if len(back.Identities) != 0 || !slices.EqualFunc(back.Buffers, m.Buffers, same) {
				t.Errorf("identities %q, %d buffers", back.Identities, len(back.Buffers))
			}
		})
	}
}

func TestEnvelopeIsKept(t *testing.T) {
	s := serve(t, defaultLimits)
	c := s.connect(t, kernel.Shell, zmq4.Req, "")
	c.write(t, newWire(c.signer.encode([][]byte{{}}, message("x", "{}")))) // as REQ does
	got := s.next(t).message
	if len(got.Identities) != 2 || len(got.Identities[0]) != 5 || got.Identities[0][0] != 0 {
		t.Errorf("identities %q, want one made up and an empty frame", got.Identities)
	}
	s.Send(kernel.Shell, got)
	if back := c.receive(t); len(back.Identities) != 1 || len(back.Identities[0]) != 0 {
		t.Errorf("identities of the reply %q, want an empty frame", back.Identities)
	}
}

// A client that connects anew gets the replies; what is left of its first connection gets none.
func TestIdentityHandover(t *testing.T) {
	s := serve(t, defaultLimits)
	first := s.connect(t, kernel.Shell, zmq4.Dealer, "same")
	first.request(t, `{"n":1}`)
	got := s.next(t).message
	second := s.connect(t, kernel.Shell, zmq4.Dealer, "same")
	second.request(t, `{"n":2}`)
	s.next(t)
	first.closed(t)
	s.Send(kernel.Shell, got)
	if m := second.receive(t); string(m.Content) != `{"n":1}` {
		t.Errorf("second got %s", m.Content)
	}
	second.Close()
	third := s.connect(t, kernel.Shell, zmq4.Dealer, "same")
	third.request(t, `{"n":3}`)
	s.Send(kernel.Shell, s.next(t).message)
	third.receive(t)
}

// TestEarlyQuestion: a client that is asked before it has connected to stdin gets the question when it
// does, once.
func TestEarlyQuestion(t *testing.T) {
	s := serve(t, defaultLimits)
	ask := func(text string) {
		m := message("input_request", text)
		m.Identities = [][]byte{[]byte("me")}
		s.Send(kernel.Stdin, m)
	}
	ask(`{"prompt":"early"}`)
	for _, want := range []string{`{"prompt":"early"}`, `{"prompt":"later"}`} {
		c := s.connect(t, kernel.Stdin, zmq4.Dealer, "me")
		c.request(t, want)
		s.next(t)
		if want != `{"prompt":"early"}` {
			ask(want)
		}
		if m := c.receive(t); string(m.Content) != want {
			t.Errorf("got %s, want %s", m.Content, want)
		}
		c.Close()
	}
}

func TestNoSuchClient(t *testing.T) {
	s := serve(t, defaultLimits)
	s.Send(kernel.Shell, &kernel.Message{Identities: [][]byte{[]byte("nobody")}})
	s.Send(kernel.Shell, &kernel.Message{})
	s.Send("no channel", &kernel.Message{})
}

// Whatever is wrong with a message, it is not delivered, the log says why, and the connection
// lives.
func TestRefusedMessages(t *testing.T) {
	good := func(m *kernel.Message) []string {
		var frames []string
		for _, f := range newSigner(testKey).encode(nil, m) {
			frames = append(frames, string(f))
		}
		return frames
	}
	plain := good(message("x", "{}"))
	with := func(i int, text string) []string {
		frames := slices.Clone(plain)
		frames[i] = text
		return frames
	}
	replayed := good(message("x", `{"again":1}`))
	for name, test := range map[string]struct {
		frames []string
		want   refusal
	}{
		"empty":                 {[]string{""}, errDelimiter},
		"no delimiter":          {plain[1:], errDelimiter},
		"wrong delimiter":       {with(0, "<IDS|MSG"), errDelimiter},
		"random":                {[]string{rand.Text(), rand.Text(), rand.Text()}, errDelimiter},
		"truncated":             {plain[:5], errTruncated},
		"delimiter only":        {plain[:1], errTruncated},
		"no signature":          {with(1, ""), errSignature},
		"not hex":               {with(1, strings.Repeat("z", 64)), errSignature},
		"signature of another":  {with(1, replayed[1]), errSignature},
		"changed content":       {with(5, `{"a":1}`), errSignature},
		"changed header":        {with(2, `{}`), errSignature},
		"parts moved":           {append(plain[:3:3], "", "{}{}", "{}"), errNotObject},
		"content is an array":   {good(message("x", "[]")), errNotObject},
		"content is no JSON":    {good(message("x", "{")), errNotObject},
		"content has a tail":    {good(message("x", "{} {}")), errNotObject},
		"content is binary":     {good(message("x", "\xff\x00")), errNotObject},
		"deep":                  {good(message("x", `{"a":`+strings.Repeat("[", 1e6))), errDeep},
		"deep and closed":       {good(message("x", deep(maxDepth+1))), errDeep},
		"header without type":   {good(headed(`{"msg_id":"1"}`)), errHeader},
		"header without id":     {good(headed(`{"msg_type":"x"}`)), errHeader},
		"header of other types": {good(headed(`{"msg_type":1}`)), errHeader},
		"replayed":              {replayed, errReplayed},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, defaultLimits)
			c := s.connect(t, kernel.Shell, zmq4.Dealer, "")
			if test.want == errReplayed {
				c.send(t, test.frames...)
				s.next(t)
			}
			c.send(t, test.frames...)
			c.send(t, test.frames...)
			c.request(t, `{"good":1}`)
			if got := s.next(t); string(got.message.Content) != `{"good":1}` {
				t.Errorf("%s was delivered", got.message.Content)
			}
			if n := s.log.count(test.want.Error()); n != 1 {
				t.Errorf("%d times in the log: %s\n%s", n, test.want, s.log)
			}
		})
	}
}

func headed(header string) *kernel.Message { return &kernel.Message{Header: []byte(header)} }

func deep(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }

func TestDeepestMessage(t *testing.T) {
	if err := checkObject([]byte(deep(maxDepth))); err != nil {
		t.Error(err)
	}
	if err := checkObject([]byte(`{"a": "[[[{{{\"[[["}`)); err != nil {
		t.Error(err)
	}
}

func TestTooManyRefused(t *testing.T) {
	s := serve(t, defaultLimits)
	c := s.connect(t, kernel.Control, zmq4.Dealer, "")
	for range defaultLimits.refused {
		c.send(t, "nonsense")
	}
	c.closed(t)
}

func TestSignaturesAreForgottenInOrder(t *testing.T) {
	s := newSigner(testKey)
	parts := func(n int) [][]byte { return [][]byte{binary.BigEndian.AppendUint32(nil, uint32(n))} }
	check := func(n int) error { return s.check(s.sign(parts(n)), parts(n)) }
	for n := range remembered + 1 {
		if err := check(n); err != nil {
			t.Fatal(n, err)
		}
	}
	if err := check(1); err != errReplayed {
		t.Errorf("a remembered one: %v", err)
	}
	if err := check(0); err != nil {
		t.Errorf("the forgotten one: %v", err)
	}
	if len(s.seen) != remembered || len(s.ring) != remembered {
		t.Errorf("%d and %d are remembered", len(s.seen), len(s.ring))
	}
}

// A client that sends and never reads is dropped; another one notices nothing.
func TestClientThatNeverReads(t *testing.T) {
	l := defaultLimits
	l.hard = backlog{1000, 1 << 20}
	s := serve(t, l)
	deaf := s.connect(t, kernel.Shell, zmq4.Dealer, "deaf")
	deaf.request(t, "{}")
	toDeaf := s.next(t).message
	toDeaf.Content = []byte(fmt.Sprintf("%q", strings.Repeat("x", 1<<20)))
	other := s.connect(t, kernel.Shell, zmq4.Dealer, "other")
	for n := 0; s.log.count("does not read") == 0; n++ {
		if n > 10_000 {
			t.Fatal("10 GB were sent to a client that does not read")
		}
		s.Send(kernel.Shell, toDeaf)
		other.request(t, fmt.Sprintf(`{"n":%d}`, n))
		s.Send(kernel.Shell, s.next(t).message)
		other.receive(t)
	}
	deaf.closed(t)
	if n := s.log.count("does not read"); n != 1 {
		t.Errorf("the log tells it %d times", n)
	}
}

// The heart beats while cells keep all processors busy.
func TestHeartbeatUnderLoad(t *testing.T) {
	s := serve(t, defaultLimits)
	c := s.connect(t, heartbeatChannel, zmq4.Req, "")
	var stop atomic.Bool
	var cells sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		cells.Go(func() {
			for !stop.Load() {
			}
		})
	}
	for range 10 {
		c.send(t, "", "ping")
		if _, err := c.frames(); err != nil {
			t.Error(err)
		}
	}
	stop.Store(true)
	cells.Wait()
}

func TestHeartbeat(t *testing.T) {
	s := serve(t, defaultLimits)
	req := zmq4.NewReq(context.Background())
	defer req.Close()
	if err := req.Dial("tcp://" + s.at.of(heartbeatChannel)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"ping", "", strings.Repeat("x", 1000)} {
		if err := req.Send(zmq4.NewMsgString(text)); err != nil {
			t.Fatal(err)
		}
		if m, err := req.Recv(); err != nil || string(m.Bytes()) != text {
			t.Fatalf("%.20q came back as %.20q, %v", text, m.Bytes(), err)
		}
	}
	c := s.connect(t, heartbeatChannel, zmq4.Dealer, "")
	c.send(t, "a", "", "b") // whatever the envelope
	if frames, err := c.frames(); err != nil || fmt.Sprintf("%q", frames) != `["a" "" "b"]` {
		t.Errorf("%q, %v", frames, err)
	}
	c.Write(slices.Concat(newWire([][]byte{make([]byte, 1<<20)}).segments...)) // may be cut short
	c.closed(t)
}
