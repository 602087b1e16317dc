package std_test

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"testing"

	ourhkdf "halfnote/repl/std/crypto/hkdf"
	ourpbkdf2 "halfnote/repl/std/crypto/pbkdf2"
)

func TestCrypto(t *testing.T) {
	for name, h := range map[string]func() hash.Hash{
		"sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New,
	} {
		size := h().Size()
		key := func(k []byte, err error) any { return []string{fmt.Sprintf("%x", k), fmt.Sprint(err)} }
		for _, s := range []string{"", "salt", string(make([]byte, 200))} {
			secret, salt := []byte("secret"+s), []byte(s)
			equal(t, "hkdf.Extract "+name,
				func() any { return key(ourhkdf.Extract(h, secret, salt)) },
				func() any { return key(hkdf.Extract(h, secret, salt)) })
			for _, n := range []int{-1, 0, 1, size - 1, size, 2*size + 1, 255 * size, 255*size + 1} {
				equal(t, fmt.Sprintf("hkdf.Key %s %d", name, n),
					func() any { return key(ourhkdf.Key(h, secret, salt, "info", n)) },
					func() any { return key(hkdf.Key(h, secret, salt, "info", n)) })
				equal(t, fmt.Sprintf("hkdf.Expand %s %d", name, n),
					func() any { return key(ourhkdf.Expand(h, secret, s, n)) },
					func() any { return key(hkdf.Expand(h, secret, s, n)) })
			}
			for _, n := range []int{-1, 0, 1, size - 1, size, 2*size + 1, 1 << 40} {
				for _, iter := range []int{-1, 0, 1, 2, 50} {
					equal(t, fmt.Sprintf("pbkdf2.Key %s %d %d", name, iter, n),
						func() any { return key(ourpbkdf2.Key(h, "secret"+s, salt, iter, n)) },
						func() any { return key(pbkdf2.Key(h, "secret"+s, salt, iter, n)) })
				}
			}
		}
	}
}
