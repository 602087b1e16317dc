package zmq

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// A signer makes and checks the signatures of messages: HMAC-SHA256 over the four JSON parts.
type signer struct {
	key  []byte
	mu   sync.Mutex
	seen map[digest]bool // signatures of received messages
	ring []digest        // the same, oldest at next
	next int
}

// A digest is the half of a signature that tells messages apart.
type digest [16]byte

const remembered = 1 << 16 // as many as jupyter_client, 3 MB at most

func newSigner(key string) *signer {
	return &signer{key: []byte(key), seen: map[digest]bool{}}
}

func (s *signer) sum(parts [][]byte) []byte {
	h := hmac.New(sha256.New, s.key)
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

// sign returns the signature of parts as it stands in a message.
func (s *signer) sign(parts [][]byte) []byte {
	return hex.AppendEncode(nil, s.sum(parts))
}

// check says why a message with this signature is refused, if it is. A signature holds once, so
// that nobody can send again what was overheard.
func (s *signer) check(signature []byte, parts [][]byte) error {
	if len(signature) != 2*sha256.Size {
		return errSignature
	}
	var got [sha256.Size]byte
	if _, err := hex.Decode(got[:], signature); err != nil || !hmac.Equal(got[:], s.sum(parts)) {
		return errSignature
	}
	d := digest(got[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[d] {
		return errReplayed
	}
	s.seen[d] = true
	if len(s.ring) < remembered {
		s.ring = append(s.ring, d)
		return nil
	}
	delete(s.seen, s.ring[s.next])
	s.ring[s.next] = d
	s.next = (s.next + 1) % remembered
	return nil
}
