package kernel

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"halfnote/repl"
)

// client is a front end in memory: a Transport that keeps what is sent.
type client struct {
	t testing.TB
	k *Kernel

	mu   sync.Mutex
	more *sync.Cond
	got  []received
	n    int // of requests
}

// received is a message that came from the kernel.
type received struct {
	channel Channel
	topic   string
	msg     *Message
	header  header
	parent  header
	content map[string]any
}

func newClient(t testing.TB, cfg Config) *client {
	c := &client{t: t}
	c.more = sync.NewCond(&c.mu)
	cfg.Log = slog.New(slog.DiscardHandler)
	c.k = New(repl.New(repl.Config{History: cfg.History, Asks: true}), c, cfg)
	return c
}

func (c *client) Send(ch Channel, m *Message)      { c.keep(ch, "", m) }
func (c *client) Publish(topic string, m *Message) { c.keep(IOPub, topic, m) }

func (c *client) keep(ch Channel, topic string, m *Message) {
	r := received{channel: ch, topic: topic, msg: m}
	for _, part := range []struct {
		raw json.RawMessage
		to  any
	}{{m.Header, &r.header}, {m.Parent, &r.parent}, {m.Content, &r.content}} {
		if err := json.Unmarshal(part.raw, part.to); err != nil {
			c.t.Errorf("the kernel sent what is no JSON object: %v\n%s", err, part.raw)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, r)
	c.more.Broadcast()
}

// send sends a message of a type on a channel and returns its id.
func (c *client) send(ch Channel, msgType string, content any) string {
	return c.sendTo(ch, "", msgType, content)
}

// sendTo sends a message to a subshell.
func (c *client) sendTo(ch Channel, subshell, msgType string, content any) string {
	c.mu.Lock()
	c.n++
	id := fmt.Sprintf("request-%d", c.n)
	c.mu.Unlock()
	h := header{ID: id, Type: msgType, Session: 5} // a client may write what it likes
	if subshell != "" {
		h.Subshell = encode(subshell)
	}
	c.k.Receive(ch, &Message{
		Identities: [][]byte{[]byte("client")},
		Header:     encode(h),
		Parent:     emptyObject, Metadata: emptyObject, Content: encode(content),
	})
	return id
}

// wait returns the first message that is wanted.
func (c *client) wait(what string, wanted func(r received) bool) received {
	c.t.Helper()
	timeout := time.AfterFunc(2*time.Minute, func() { // a busy machine
		c.mu.Lock()
		defer c.mu.Unlock()
		c.got = append(c.got, received{topic: "timeout"})
		c.more.Broadcast()
	})
	defer timeout.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := 0; ; i++ {
		for i == len(c.got) {
			c.more.Wait()
		}
		if c.got[i].topic == "timeout" {
			c.t.Fatalf("no %s", what)
		}
		if wanted(c.got[i]) {
			return c.got[i]
		}
	}
}

// waitFor waits for a message of a type that answers the request.
func (c *client) waitFor(msgType, id string) received {
	c.t.Helper()
	return c.wait(msgType, func(r received) bool {
		return r.header.Type == msgType && r.parent.ID == id
	})
}

// answer is how a request was answered.
type answer struct {
	reply     received
	published []received // between busy and idle
}

// finish waits until a request is answered and checks the order of the messages.
func (c *client) finish(id string, replied bool) answer {
	c.t.Helper()
	c.wait("idle", func(r received) bool {
		return r.parent.ID == id && r.content["execution_state"] == "idle"
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	var a answer
	var order []string
	for _, r := range c.got {
		if r.parent.ID != id {
			continue
		}
		switch {
		case r.header.Type == "status":
			order = append(order, r.content["execution_state"].(string))
		case r.channel == IOPub:
			a.published = append(a.published, r)
		case r.channel != Stdin:
			a.reply = r
			order = append(order, "reply")
		}
	}
	want := "busy reply idle"
	if !replied {
		want = "busy idle"
	}
	if got := strings.Join(order, " "); got != want {
		c.t.Errorf("order %q, want %q", got, want)
	}
	if replied && string(a.reply.msg.Identities[0]) != "client" {
		c.t.Errorf("the reply goes to %q", a.reply.msg.Identities)
	}
	return a
}

// ask sends a request and waits for its answer.
func (c *client) ask(ch Channel, msgType string, content any) answer {
	c.t.Helper()
	return c.finish(c.send(ch, msgType, content), true)
}

// run runs a cell.
func (c *client) run(code string) answer {
	c.t.Helper()
	return c.ask(Shell, "execute_request", object{"code": code, "allow_stdin": true})
}

// object is a JSON object.
type object = map[string]any

// status is the status of the reply.
func (a answer) status() any { return a.reply.content["status"] }

// types lists the types of what was published.
func (a answer) types() string {
	var list []string
	for _, r := range a.published {
		list = append(list, r.header.Type)
	}
	return strings.Join(list, " ")
}

// stream is all text of a stream.
func (a answer) stream(name string) string {
	var b strings.Builder
	for _, r := range a.published {
		if r.header.Type == "stream" && r.content["name"] == name {
			b.WriteString(r.content["text"].(string))
		}
	}
	return b.String()
}

// text is the text/plain of the first message of a type.
func (a answer) text(msgType string) string {
	for _, r := range a.published {
		if r.header.Type == msgType {
			text, _ := r.content["data"].(object)["text/plain"].(string)
			return text
		}
	}
	return ""
}
