//go:build unix

package repl

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A pipe is the end of a pipe that is read, without ever waiting.
type pipe struct {
	conn syscall.RawConn // keeps the file open
	fd   int
}

func newPipe(r *os.File) (source, error) {
	conn, err := r.SyscallConn()
	if err != nil {
		return nil, err
	}
	p := pipe{conn: conn}
	err = conn.Control(func(fd uintptr) { p.fd = int(fd) })
	return p, err
}

func (p pipe) read(buf []byte) int {
	for {
		n, err := unix.Read(p.fd, buf)
		if err == unix.EINTR {
			continue
		}
		return max(n, 0)
	}
}

func (p pipe) watch(forward func()) {
	p.conn.Read(func(uintptr) bool {
		forward()
		return false
	})
}

// readable reports whether something is in the pipe of conn.
func readable(conn syscall.RawConn) (there bool) {
	conn.Control(func(fd uintptr) {
		look := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(look, 0)
		there = n > 0 && err == nil
	})
	return there
}

// redirect makes the descriptor of that name write to w. It returns the process's variable for it
// and what the descriptor was.
func redirect(name string, w *os.File) (file, original *os.File, err error) {
	file, descriptor := os.Stdout, syscall.Stdout
	if name == "stderr" {
		file, descriptor = os.Stderr, syscall.Stderr
	}
	was, err := unix.FcntlInt(uintptr(descriptor), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, nil, err
	}
	conn, err := w.SyscallConn()
	if err != nil {
		return nil, nil, err
	}
	var dupErr error
	err = conn.Control(func(fd uintptr) {
		if name == "stdout" { // C code, and os.Stdout, do not know how to wait by themselves
			dupErr = unix.SetNonblock(int(fd), false)
		}
		if dupErr == nil {
			dupErr = unix.Dup2(int(fd), descriptor)
		}
	})
	if err = errors.Join(err, dupErr); err != nil {
		return nil, nil, err
	}
	if name == "stdout" {
		err = w.Close()
	}
	return file, os.NewFile(uintptr(was), name), err
}
