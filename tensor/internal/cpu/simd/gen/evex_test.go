package main

import (
	"bytes"
	"encoding/hex"
	"testing"
)

// TestEVEX: bytes that GNU as 2.40 writes.
func TestEVEX(t *testing.T) {
	for _, c := range []struct {
		op        evexOp
		dst, x, y int
		want      string
	}{
		{vdpbf16ps, 0, 1, 2, "62f2764852c2"},
		{vdpbf16ps, 29, 30, 31, "62020e4052ef"},
		{vdpbf16ps, 13, 7, 28, "6212464852ec"},
		{vdpbf16ps, 22, 17, 9, "62c2764052f1"},
		{vcvtneps2bf16, 5, 0, 3, "62f27e4872eb"},
		{vcvtneps2bf16, 9, 0, 30, "62127e4872ce"},
		{vcvtne2ps2bf16, 1, 2, 3, "62f26f4872cb"},
		{vcvtne2ps2bf16, 18, 25, 12, "62c2374072d4"},
	} {
		want, err := hex.DecodeString(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.op.encode(c.dst, c.x, c.y); !bytes.Equal(got, want) {
			t.Errorf("%+v %d, %d, %d: %x, want %x", c.op, c.dst, c.x, c.y, got, want)
		}
	}
	for _, c := range []struct {
		dst, x, i int
		want      string
	}{
		{1, 28, 1, "62f21e50524c3001"},
		{13, 28, 13, "62721e50526c300d"},
		{22, 7, 0, "62e2465852743000"}, // GNU as leaves the zero out
	} {
		if got := hex.EncodeToString(vdpbf16ps.encodeTap(c.dst, c.x, c.i)); got != c.want {
			t.Errorf("tap %d, %d, %d: %s, want %s", c.dst, c.x, c.i, got, c.want)
		}
	}
}
