//go:build !unix && !windows

package repl

import (
	"errors"
	"os"
	"syscall"
)

func newPipe(*os.File) (source, error) { return nil, errors.ErrUnsupported }

func readable(syscall.RawConn) bool { return false }

func redirect(string, *os.File) (file, original *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}
