// Package pbkdf2 is halfnote's source of Go's package crypto/pbkdf2: PBKDF2 after RFC 8018, on Go's
// HMAC.
package pbkdf2

import (
	"crypto/hmac"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"hash"
)

// Key makes keyLength bytes out of a password and a salt in iter rounds (RFC 8018, section 5.2).
// keyLength is at least 1 and at most 2³²−1 times h's size, or else there is an error.
func Key[Hash hash.Hash](
	h func() Hash, password string, salt []byte, iter, keyLength int,
) ([]byte, error) {
	if keyLength <= 0 {
		return nil, errors.New("pkbdf2: keyLength must be larger than 0") // spelled as in Go
	}
	mac := hmac.New(func() hash.Hash { return h() }, []byte(password))
	size := mac.Size()
	if int64(keyLength) > (1<<32-1)*int64(size) {
		return nil, errors.New("pbkdf2: keyLength too long")
	}
	key := make([]byte, 0, (keyLength+size-1)/size*size)
	round := make([]byte, 0, size)
	for block := uint32(1); len(key) < keyLength; block++ {
		mac.Reset()
		mac.Write(salt)
		mac.Write(binary.BigEndian.AppendUint32(nil, block))
		round = mac.Sum(round[:0])
		key = append(key, round...)
		sum := key[len(key)-size:]
		for n := 1; n < iter; n++ {
			mac.Reset()
			mac.Write(round)
			round = mac.Sum(round[:0])
			subtle.XORBytes(sum, sum, round)
		}
	}
	return key[:keyLength], nil
}
