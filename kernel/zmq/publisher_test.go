package zmq

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"halfnote/kernel"
)

// stream returns a numbered message of iopub.
func stream(n int) *kernel.Message { return message("stream", fmt.Sprintf(`{"n":%d}`, n)) }

// expect reads messages until the last of n, and fails unless all come in order.
func (c *client) expect(t testing.TB, n int) {
	t.Helper()
	for i := range n {
		frames, err := c.frames()
		if err != nil {
			t.Errorf("after %d of %d messages: %v", i, n, err)
			return
		}
		if got, want := string(frames[len(frames)-1]), fmt.Sprintf(`{"n":%d}`, i); got != want {
			t.Errorf("message %d is %.100s", i, got)
			return
		}
	}
}

func TestWelcome(t *testing.T) {
	s := serve(t, defaultLimits)
	c := s.connect(t, kernel.IOPub, zmq4.Sub, "")
	other := s.subscriber(t)
	welcome := func(topic string) {
		t.Helper()
		m := c.receive(t)
		want := strings.ToValidUTF8(topic, `\ufffd`)
		if want = `{"subscription":"` + want + `"}`; string(m.Content) != want {
			t.Errorf("%s, want %s", m.Content, want)
		}
		if got := string(bytes.Join(m.Identities, nil)); got != topic {
			t.Errorf("topic frame %q, want %q", got, topic)
		}
	}
	c.send(t, "\x01kernel.")
	welcome("kernel.")
	c.write(t, newCommand("SUBSCRIBE", []byte("status")))
	welcome("status")
	c.send(t, "\x01status") // is no new one
	c.send(t, "\x01")
	welcome("")
	c.send(t, "\x01\xff") // no text
	welcome("\xff")

	s.Publish("kernel.1.stream", stream(0))
	c.expect(t, 1)
	other.expect(t, 1) // nobody else's welcome
}

func TestUnsubscribe(t *testing.T) {
	s := serve(t, defaultLimits)
	c := s.connect(t, kernel.IOPub, zmq4.Sub, "")
	subscribe := func(frame string) {
		c.send(t, frame)
		c.receive(t)
	}
	subscribe("\x01a")
	subscribe("\x01b")
	c.send(t, "\x00a")
	c.write(t, newCommand("CANCEL", []byte("b")))
	subscribe("\x01c")
	s.Publish("a", stream(10))
	s.Publish("b", stream(11))
	s.Publish("d", stream(12))
	s.Publish("cc", stream(0))
	c.expect(t, 1)
}

func TestPublishBeforeAnybodyIsThere(t *testing.T) {
	s := serve(t, defaultLimits)
	s.Publish("status", stream(0))
	if c := s.subscriber(t); c.in.Buffered() > 0 {
		t.Error("more than a welcome has come")
	}
}

func TestTinyMessages(t *testing.T) {
	const n = 10_000
	s := serve(t, defaultLimits)
	var readers sync.WaitGroup
	for range 3 {
		sub := zmq4.NewSub(context.Background())
		defer sub.Close()
		if err := sub.Dial("tcp://" + s.at.of(kernel.IOPub)); err != nil {
			t.Fatal(err)
		}
		if err := sub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := sub.Recv(); err != nil { // the welcome
			t.Fatal(err)
		}
		readers.Go(func() {
			for i := range n {
				m, err := sub.Recv()
				if err != nil {
					t.Error(err)
					return
				}
				if got := string(m.Frames[len(m.Frames)-1]); got != fmt.Sprintf(`{"n":%d}`, i) {
					t.Errorf("message %d is %s", i, got)
					return
				}
			}
		})
	}
	for i := range n {
		s.Publish("stream", stream(i))
	}
	readers.Wait()
}

func TestConcurrentPublish(t *testing.T) {
	s := serve(t, defaultLimits)
	c := s.subscriber(t)
	const writers, n = 4, 2000
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range n {
				s.Publish("stream", message("stream", fmt.Sprintf(`{"w":%d,"n":%d}`, w, i)))
			}
		})
	}
	next := [writers]int{}
	for range writers * n {
		var content struct{ W, N int }
		if err := json.Unmarshal(c.receive(t).Content, &content); err != nil {
			t.Fatal(err)
		}
		if next[content.W] != content.N {
			t.Fatalf("of writer %d came %d, want %d", content.W, content.N, next[content.W])
		}
		next[content.W]++
	}
	all.Wait()
}

func TestLargeMessage(t *testing.T) {
	s := serve(t, defaultLimits)
	c := s.subscriber(t)
	before := heap()
	content := []byte(`{"data":"` + strings.Repeat("x", 100<<20) + `"}`)
	var sent sync.WaitGroup
	sent.Go(func() {
		s.Publish("display_data", &kernel.Message{Header: message("display_data", "").Header,
			Content: content})
		s.Publish("stream", stream(0))
	})
	if m := c.receive(t); len(m.Content) != len(content) {
		t.Errorf("%d bytes came of %d", len(m.Content), len(content))
	}
	c.expect(t, 1)
	sent.Wait()
	runtime.KeepAlive(content)
	if after := heap(); after > before+8<<20 {
		t.Errorf("the heap has grown from %d to %d MB", before>>20, after>>20)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A subscriber that stops reading is dropped when much waits for it; another one gets everything.
func TestSuspendedSubscriber(t *testing.T) {
	l := defaultLimits
	l.hard = backlog{50_000, 4 << 20}
	l.dead = 5 * time.Second // which a healthy one may stand still on a busy machine
	s := serve(t, l)
	suspended, healthy := s.subscriber(t), s.subscriber(t)
	const n = 1000
	var reader sync.WaitGroup
	reader.Go(func() {
		for i := range n {
			if frames, err := healthy.frames(); err != nil || len(frames) < 7 {
				t.Errorf("after %d of %d messages: %v", i, n, err)
				return
			}
		}
	})
	content := []byte(`{"text":"` + strings.Repeat("x", 100_000) + `"}`)
	for range n { // 100 MB, more than the system's buffers take
		s.Publish("stream", &kernel.Message{Header: message("stream", "").Header, Content: content})
	}
	reader.Wait()
	if n := s.log.count("does not read"); n != 1 {
		t.Errorf("the log tells it %d times", n)
	}
	suspended.closed(t)
}

// A subscriber that reads slowly makes publishing wait, and loses nothing.
func TestSlowSubscriber(t *testing.T) {
	l := defaultLimits
	l.soft, l.hard = backlog{10, 1 << 20}, backlog{20, 2 << 20}
	l.stalled, l.dead = patience, patience
	s := serve(t, l)
	c := s.subscriber(t)
	const n = 400
	var sent sync.WaitGroup
	sent.Go(func() {
		for i := range n {
			m := stream(i)
			m.Metadata = []byte(`{"pad":"` + strings.Repeat("x", 200_000) + `"}`)
			s.Publish("stream", m)
		}
	})
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for i := range n {
		<-tick.C
		if m := c.receive(t); string(m.Content) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Fatalf("message %d is %s", i, m.Content)
		}
	}
	sent.Wait()
	if s.log.count("does not read") > 0 {
		t.Error("it was dropped")
	}
}

func TestTooManySubscriptions(t *testing.T) {
	l := defaultLimits
	l.subscriptions = 10
	s := serve(t, l)
	c := s.connect(t, kernel.IOPub, zmq4.Sub, "")
	for range 6 {
		c.Write([]byte("\x00\x02\x01a\x00\x02\x01b\x00\x02\x00b")) // a, b, and b no more
	}
	c.closed(t)
	c = s.connect(t, kernel.IOPub, zmq4.Sub, "")
	c.send(t, "\x01"+strings.Repeat("x", l.topic+1))
	c.closed(t)
}

// What was sent before the end is delivered, also to those who had not begun to read.
func TestCloseDelivers(t *testing.T) {
	const n = 20_000
	l := defaultLimits
	l.soft = backlog{2 * n, 1 << 30} // so that all of it waits
	l.dead = patience
	s := serve(t, l)
	subscribers := []*client{s.subscriber(t), s.subscriber(t)}
	dealer := s.connect(t, kernel.Control, zmq4.Dealer, "")
	dealer.request(t, `{"n":0}`)
	request := s.next(t).message
	for i := range n {
		s.Publish("stream", stream(i))
	}
	s.Send(kernel.Control, request)
	// Input that is never read must not cut off the output.
	dealer.request(t, "{}")
	var ended sync.WaitGroup
	ended.Go(func() { s.close(patience) })
	for _, c := range subscribers {
		c.expect(t, n)
		c.closed(t)
		c.Close()
	}
	dealer.expect(t, 1)
	dealer.closed(t)
	dealer.Close()
	ended.Wait()
	s.Publish("stream", stream(0)) // a goroutine of a cell, late
	s.Send(kernel.Control, request)
}

// The end does not wait for those who do not read.
func TestCloseDropsSuspended(t *testing.T) {
	l := defaultLimits
	l.dead, l.linger = 50*time.Millisecond, 50*time.Millisecond
	s := serve(t, l)
	c := s.subscriber(t)
	m := message("stream", `{"text":"`+strings.Repeat("x", 100<<20)+`"}`) // beyond all buffers
	s.Publish("stream", m)
	s.close(time.Hour)
	if s.log.count("has not taken all") != 1 {
		t.Errorf("log: %s", s.log)
	}
	c.closed(t)
}

func BenchmarkPublish(b *testing.B) {
	for _, size := range []int{100, 64 << 10, 1 << 20} {
		for _, subscribers := range []int{1, 3} {
			b.Run(fmt.Sprintf("%dB/subscribers-%d", size, subscribers), func(b *testing.B) {
				s := serve(b, defaultLimits)
				var readers sync.WaitGroup
				for range subscribers {
					c := s.subscriber(b)
					readers.Go(func() {
						for range b.N {
							if _, err := c.frames(); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				m := message("stream", `{"text":"`+strings.Repeat("x", size)+`"}`)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					s.Publish("stream", m)
				}
				readers.Wait()
			})
		}
	}
}
