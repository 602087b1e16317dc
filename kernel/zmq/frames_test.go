package zmq

import (
	"encoding/binary"
	"encoding/json"
	"log/slog"
	"testing"
)

var discard = slog.New(slog.DiscardHandler)

// FuzzFrames decodes frames that are not signed and frames that are. Each frame stands in the data
// after its length of two bytes.
func FuzzFrames(f *testing.F) {
	join := func(frames ...string) (data []byte) {
		for _, f := range frames {
			data = append(binary.BigEndian.AppendUint16(data, uint16(len(f))), f...)
		}
		return data
	}
	f.Add(join("id", string(delimiter), "00", "{}", "{}", "{}", "{}", "buffer"))
	f.Add(join(`{"msg_id":"a","msg_type":"b"}`, "{}", "{}", `{"a":[1]}`))
	f.Add(join(`{"msg_id":"a","msg_type":"b"}`, "{}", "{}", `{"a":`))
	f.Add(join("", "{", "[]", deep(2000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var frames [][]byte
		for len(data) >= 2 {
			n := min(int(binary.BigEndian.Uint16(data)), len(data)-2)
			frames = append(frames, data[2:2+n])
			data = data[2+n:]
		}
		s := newSigner(testKey)
		if m, err := s.decode(frames); err == nil {
			t.Fatalf("%q was accepted without a good signature", m.Header)
		}
		if len(frames) < 4 {
			return
		}
		parts := frames[:4]
		signed := append([][]byte{delimiter, s.sign(parts)}, frames...)
		m, err := s.decode(signed)
		if err != nil {
			if _, ok := err.(refusal); !ok {
				t.Fatal(err)
			}
			return
		}
		for _, part := range []json.RawMessage{m.Header, m.Parent, m.Metadata, m.Content} {
			var object map[string]any
			if err := json.Unmarshal(part, &object); err != nil || object == nil {
				t.Errorf("%q was accepted: %v", part, err)
			}
		}
		if _, err := newSigner(testKey).decode(s.encode(m.Identities, m)); err != nil {
			t.Errorf("sent again: %v", err)
		}
	})
}
