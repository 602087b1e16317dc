package rt

import (
	"unicode/utf8"
)

// DecodeRune returns the rune at s[i:] and its length in bytes, as range over a string does.
func DecodeRune(s string, i int) (rune, int) {
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}
