package repl

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A pipe is the end of a pipe that is read, without ever waiting.
type pipe struct{ file *os.File }

func newPipe(r *os.File) (source, error) { return pipe{r}, peekNamedPipe.Find() }

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

func (p pipe) read(buf []byte) int {
	var there uint32
	ok, _, _ := peekNamedPipe.Call(p.file.Fd(), 0, 0, 0, uintptr(unsafe.Pointer(&there)), 0)
	if ok == 0 || there == 0 {
		return 0
	}
	n, _ := p.file.Read(buf[:min(len(buf), int(there))])
	return n
}

// readable says no: a look at a pipe would wait for the read that may be under way.
func readable(syscall.RawConn) bool { return false }

// pollEvery is how often a pipe is looked at. A read that waits in another thread would keep read
// from looking.
const pollEvery = 20 * time.Millisecond

func (p pipe) watch(forward func()) {
	for range time.Tick(pollEvery) {
		forward()
	}
}

// redirect makes the process's standard handle and variable of that name write to w. It returns w
// and what the variable was.
func redirect(name string, w *os.File) (file, original *os.File, err error) {
	handle, variable := uint32(windows.STD_OUTPUT_HANDLE), &os.Stdout
	if name == "stderr" {
		handle, variable = windows.STD_ERROR_HANDLE, &os.Stderr
	}
	if err := windows.SetStdHandle(handle, windows.Handle(w.Fd())); err != nil {
		return nil, nil, err
	}
	original, *variable = *variable, w
	return w, original, nil
}
