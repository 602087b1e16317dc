package zmq

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// This file implements the frames of ZMTP 3 (rfc.zeromq.org/spec/23): a byte of flags, a length of
// one byte or eight, and the body.

const (
	flagMore    = 1 << iota // another frame of the same message follows
	flagLong                // the length has eight bytes
	flagCommand             // not part of a message

	flags = flagMore | flagLong | flagCommand
)

// A frameError is a breach of ZMTP, after which a connection cannot be read further.
type frameError string

func (e frameError) Error() string { return "connection closed: " + string(e) }

// peekHeader looks at the header of the next frame, and leaves it unread.
func peekHeader(r *bufio.Reader) (flag byte, size uint64, length int, err error) {
	b, err := r.Peek(2)
	if err != nil {
		if len(b) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, 0, 0, err
	}
	flag = b[0]
	switch {
	case flag&^flags != 0 || flag&flagCommand != 0 && flag&flagMore != 0:
		return 0, 0, 0, frameError(fmt.Sprintf("frame with the flags %#x", flag))
	case flag&flagLong == 0:
		return flag, uint64(b[1]), 2, nil
	}
	if b, err = r.Peek(9); err != nil {
		return 0, 0, 0, err
	}
	return flag, binary.BigEndian.Uint64(b[1:]), 9, nil
}

// readMessage reads the frames of the next message. Commands that come before or between them are
// given to command.
func readMessage(r *bufio.Reader, l *limits,
	command func(name string, body []byte) error) ([][]byte, error) {
	var frames [][]byte
	for left := uint64(l.bytes); ; {
		flag, size, length, err := peekHeader(r)
		switch isCommand := flag&flagCommand != 0; {
		case err != nil:
			return nil, err
		case isCommand && size > uint64(l.command):
			return nil, frameError(fmt.Sprintf("command of more than %d bytes", l.command))
		case !isCommand && size > left:
			return nil, frameError(fmt.Sprintf("message of more than %d bytes", l.bytes))
		case len(frames) == l.frames:
			return nil, frameError(fmt.Sprintf("message of more than %d frames", l.frames))
		}
		r.Discard(length)
		body, err := readBody(r, int(size))
		if err != nil {
			return nil, err
		}
		if flag&flagCommand != 0 {
			name, rest, err := splitCommand(body)
			if err == nil {
				err = command(name, rest)
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		left -= size
		if frames = append(frames, body); flag&flagMore == 0 {
			return frames, nil
		}
	}
}

// readBody reads size bytes. It takes memory as they come, for a length is only a promise.
func readBody(r io.Reader, size int) ([]byte, error) {
	const step = 1 << 20
	body := make([]byte, min(size, step))
	for n := 0; ; {
		if _, err := io.ReadFull(r, body[n:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		if n = len(body); n == size {
			return body, nil
		}
		more := min(size-n, n)
		body = slices.Grow(body, more)[:n+more]
	}
}

func splitCommand(body []byte) (name string, rest []byte, err error) {
	if len(body) == 0 || int(body[0]) >= len(body) {
		return "", nil, frameError("command without a name")
	}
	n := 1 + int(body[0])
	return string(body[1:n]), body[n:], nil
}

// A wire is what goes to a connection: bytes in segments, made once and never changed, so that all
// peers share them.
type wire struct {
	segments [][]byte
	size     int
}

// inlined is the length up to which a frame is copied between its neighbours; a longer one is a
// segment of its own.
const inlined = 8 << 10

// newWire lays out a message. It does not copy long frames, which must not change any more.
func newWire(frames [][]byte) *wire {
	copied := 9 * len(frames)
	for _, f := range frames {
		if len(f) <= inlined {
			copied += len(f)
		}
	}
	w := &wire{}
	buf, start := make([]byte, 0, copied), 0
	for i, f := range frames {
		flag := byte(flagMore)
		if i == len(frames)-1 {
			flag = 0
		}
		buf = appendHeader(buf, flag, len(f))
		if len(f) <= inlined {
			buf = append(buf, f...)
			continue
		}
		w.segments = append(w.segments, buf[start:], f)
		start = len(buf)
	}
	if start < len(buf) {
		w.segments = append(w.segments, buf[start:])
	}
	for _, s := range w.segments {
		w.size += len(s)
	}
	return w
}

// newCommand lays out a command.
func newCommand(name string, body []byte) *wire {
	size := 1 + len(name) + len(body)
	buf := appendHeader(nil, flagCommand, size)
	buf = append(append(append(buf, byte(len(name))), name...), body...)
	return &wire{segments: [][]byte{buf}, size: len(buf)}
}

func appendHeader(buf []byte, flag byte, size int) []byte {
	if size <= 255 {
		return append(buf, flag, byte(size))
	}
	return binary.BigEndian.AppendUint64(append(buf, flag|flagLong), uint64(size))
}
