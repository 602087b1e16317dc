package kernel

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A Channel is one of the ways between a front end and the kernel.
type Channel string

// The channels on which messages are addressed. The fifth, heartbeat, carries no messages.
const (
	Shell   Channel = "shell"
	Control Channel = "control"
	Stdin   Channel = "stdin"
	IOPub   Channel = "iopub"
)

// A Message is one message of the Jupyter protocol. Its parts stay JSON text, for signatures are
// made of the bytes as sent.
type Message struct {
	// Identities name the client: where a received message came from, where one to send goes.
	Identities [][]byte
	// Header, Parent, Metadata and Content are JSON objects.
	Header, Parent, Metadata, Content json.RawMessage
	// Buffers are the binary attachments of comm messages.
	Buffers [][]byte
}

// A Transport carries the kernel's messages to its clients.
type Transport interface {
	// Send sends m on the channel to the client that m.Identities name; one that is gone gets
	// nothing. It does not wait for the client.
	Send(ch Channel, m *Message)
	// Publish sends m to every subscriber whose topics match. It may wait a moment for those that
	// are slow to read, but not for one that does not read at all.
	Publish(topic string, m *Message)
}

// protocolVersion is the version of the Jupyter protocol that is spoken here.
const protocolVersion = "5.5"

// header is the header of a message. What a client writes there that is not read here may be
// anything.
type header struct {
	ID       string          `json:"msg_id"`
	Type     string          `json:"msg_type"`
	Session  any             `json:"session"`
	Username any             `json:"username"`
	Date     any             `json:"date"`
	Version  any             `json:"version"`
	Subshell json.RawMessage `json:"subshell_id,omitempty"`
}

// subshell is the subshell that a message goes to, or "".
func (h header) subshell() string {
	if len(h.Subshell) == 0 {
		return ""
	}
	var id string
	if json.Unmarshal(h.Subshell, &id) != nil {
		return string(h.Subshell) // no text: none is called so
	}
	return id // "" also for null
}

var emptyObject = json.RawMessage("{}")

// message makes a message of the kernel that answers one with the given header, or none.
func (k *Kernel) message(msgType string, parent json.RawMessage, content any) *Message {
	if len(parent) == 0 {
		parent = emptyObject
	}
	return &Message{
		Header: encode(header{
			ID:       fmt.Sprintf("%s_%d", k.id, k.sent.Add(1)),
			Type:     msgType,
			Session:  k.id,
			Username: "kernel",
			Date:     time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
			Version:  protocolVersion,
		}),
		Parent:   parent,
		Metadata: emptyObject,
		Content:  encode(content),
	}
}

// publish sends a message to all subscribers.
func (k *Kernel) publish(msgType string, parent json.RawMessage, content any) {
	m := k.message(msgType, parent, content)
	k.published.Add(int64(len(m.Content)))
	k.transport.Publish(k.topic(msgType), m)
}

func (k *Kernel) topic(msgType string) string { return "kernel." + k.id + "." + msgType }

// encode returns v as JSON. Contents are made here of what JSON can hold; of a value that is the
// user's and that it cannot hold, the error takes its place.
func encode(v any) json.RawMessage {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return encode(failure("Error", err.Error()))
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// newID returns the name of a session, a subshell or a comm, which nobody else has.
func newID() string { return strings.ToLower(rand.Text()) }

// errorContent is the content of a reply that says what failed.
type errorContent struct {
	Status    string   `json:"status"`
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// failure is a reply to a request that is no cell, or that is malformed.
func failure(name, value string) errorContent {
	return errorContent{Status: "error", Name: name, Value: value, Traceback: []string{}}
}
