// Package hkdf is halfnote's source of Go's package crypto/hkdf: HKDF after RFC 5869, on Go's HMAC.
package hkdf

import (
	"crypto/hmac"
	"errors"
	"hash"
)

// Extract makes a pseudorandom key of h's size out of a secret and a salt, which may be nil
// (RFC 5869, section 2.2).
func Extract[H hash.Hash](h func() H, secret, salt []byte) ([]byte, error) {
	mac := hmac.New(func() hash.Hash { return h() }, salt)
	mac.Write(secret)
	return mac.Sum(nil), nil
}

// Expand makes keyLength bytes out of a key from Extract and a context info (RFC 5869, section
// 2.3). More than 255 times h's size is an error.
func Expand[H hash.Hash](h func() H, pseudorandomKey []byte, info string, keyLength int) (
	[]byte, error,
) {
	mac := hmac.New(func() hash.Hash { return h() }, pseudorandomKey)
	if keyLength > 255*mac.Size() {
		return nil, errors.New("hkdf: requested key length too large")
	}
	key := make([]byte, 0, keyLength)
	var block []byte
	for i := 1; len(key) < keyLength; i++ {
		mac.Reset()
		mac.Write(block)
		mac.Write([]byte(info))
		mac.Write([]byte{byte(i)})
		block = mac.Sum(block[:0])
		key = append(key, block[:min(len(block), keyLength-len(key))]...)
	}
	return key, nil
}

// Key is Extract and then Expand.
func Key[Hash hash.Hash](
	h func() Hash, secret, salt []byte, info string, keyLength int,
) ([]byte, error) {
	prk, err := Extract(h, secret, salt)
	if err != nil {
		return nil, err
	}
	return Expand(h, prk, info, keyLength)
}
