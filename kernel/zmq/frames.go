package zmq

import (
	"bytes"
	"encoding/json"
	"slices"

	"halfnote/kernel"
)

// This file implements the frames of a message, as the Jupyter protocol orders them: identities,
// delimiter, signature, header, parent header, metadata, content, buffers.

var delimiter = []byte("<IDS|MSG>")

// A refusal is the reason why a received message is not given to the kernel.
type refusal string

func (r refusal) Error() string { return "message refused: " + string(r) }

const (
	errDelimiter refusal = "no delimiter among its frames"
	errTruncated refusal = "too few frames"
	errSignature refusal = "its signature is wrong"
	errReplayed  refusal = "its signature was used before"
	errNotObject refusal = "a part is not a JSON object"
	errDeep      refusal = "a part is nested too deeply"
	errHeader    refusal = "its header has no msg_id or msg_type"
)

const maxDepth = 1000 // encoding/json takes 10,000, and whoever reads content may recurse

// decode makes a message of its frames. The message holds on to them.
func (s *signer) decode(frames [][]byte) (*kernel.Message, error) {
	i := slices.IndexFunc(frames, func(f []byte) bool { return bytes.Equal(f, delimiter) })
	if i < 0 {
		return nil, errDelimiter
	}
	identities, rest := frames[:i:i], frames[i+1:]
	if len(rest) < 5 {
		return nil, errTruncated
	}
	signature, parts, buffers := rest[0], rest[1:5], rest[5:]
	if err := s.check(signature, parts); err != nil {
		return nil, err
	}
	for _, part := range parts {
		if err := checkObject(part); err != nil {
			return nil, err
		}
	}
	var header struct {
		ID   string `json:"msg_id"`
		Type string `json:"msg_type"`
	}
	if json.Unmarshal(parts[0], &header) != nil || header.ID == "" || header.Type == "" {
		return nil, errHeader
	}
	return &kernel.Message{Identities: identities, Header: parts[0], Parent: parts[1],
		Metadata: parts[2], Content: parts[3], Buffers: buffers}, nil
}

// encode makes the frames of m after those of prefix. It does not look at m's identities.
func (s *signer) encode(prefix [][]byte, m *kernel.Message) [][]byte {
	parts := [][]byte{m.Header, m.Parent, m.Metadata, m.Content}
	for i, part := range parts {
		if len(part) == 0 {
			parts[i] = []byte("{}")
		}
	}
	return slices.Concat(prefix, [][]byte{delimiter, s.sign(parts)}, parts, m.Buffers)
}

// checkObject says why text is not a JSON object of sane depth, if it is not.
func checkObject(text []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return errDeep
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	start := bytes.TrimLeft(text, " \t\r\n")
	if !bytes.HasPrefix(start, []byte("{")) || !json.Valid(text) {
		return errNotObject
	}
	return nil
}
