package repl

// This file implements os.Stdin of cells. A read ends with the cell that is stopped. Where the
// front end asks for input, os.Stdin is a pipe, and a line is asked for when a read of it waits.

import (
	"context"
	"fmt"
	"io"
	"os"
	"reflect"
	"sync/atomic"
	"syscall"
	"time"

	"halfnote/repl/display"
)

// input is the standard input of cells.
type input struct {
	file *os.File // the variable os.Stdin of cells, which may put another file there

	read, write *os.File // the pipe for answers, or only the file that is read
	conn        syscall.RawConn
	ended       atomic.Bool   // write is closed
	named       atomic.Bool   // the code of a cell may read
	wake        chan struct{} // says so to the running cell
	probe       *probe        // of the pipe, as long as it is under way
}

// newInput returns the input that reads file, or that asks.
func newInput(file *os.File, asks bool) *input {
	in := &input{file: file, read: file, wake: make(chan struct{}, 1)}
	if asks {
		in.open()
	}
	return in
}

// open makes a pipe for answers. Where there are no pipes nothing is asked.
func (in *input) open() {
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	conn, err := r.SyscallConn()
	if err != nil {
		return
	}
	if in.file == in.read {
		in.file = r
	}
	in.read, in.write, in.conn, in.probe = r, w, conn, nil
	in.ended.Store(false)
}

// variable returns a pointer to os.Stdin of cells.
func (in *input) variable() reflect.Value {
	in.named.Store(true)
	return reflect.ValueOf(&in.file)
}

// scans returns the functions of package fmt that read the standard input.
func (in *input) scans() map[string]reflect.Value {
	file := func() *os.File {
		if !in.named.Swap(true) {
			in.wake <- struct{}{} // has room: this is the only time
		}
		return in.file
	}
	scan := func(args ...any) (int, error) { return fmt.Fscan(file(), args...) }
	scanln := func(args ...any) (int, error) { return fmt.Fscanln(file(), args...) }
	scanf := func(format string, args ...any) (int, error) {
		return fmt.Fscanf(file(), format, args...)
	}
	return map[string]reflect.Value{
		"Scan":   reflect.ValueOf(scan),
		"Scanln": reflect.ValueOf(scanln),
		"Scanf":  reflect.ValueOf(scanf),
	}
}

// serve lets a cell read until ctx is done; what it waits for is asked of out, after flush. The
// cell has ended when release is called.
func (in *input) serve(ctx context.Context, out display.Output, flush func()) (release func()) {
	if in.ended.Load() {
		in.open()
	}
	in.read.SetReadDeadline(time.Time{}) // of the cell that was stopped last
	if in.write == nil {
		return func() {}
	}
	asking, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for in.waiting(asking) && in.ask(asking, out, flush) {
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// interrupt ends the reads that wait. Files without deadlines, the process's own standard input
// among them, wait on; the pipe for answers is closed if it has none.
func (in *input) interrupt() {
	if in.read.SetReadDeadline(time.Now()) != nil && in.write != nil {
		in.end()
	}
}

// end lets reads come to the end of the input. The next cell gets a new one.
func (in *input) end() {
	if !in.ended.Swap(true) {
		in.write.Close()
	}
}

// ask asks for a line and gives it to who reads.
func (in *input) ask(ctx context.Context, out display.Output, flush func()) bool {
	flush()
	line, err := "", io.EOF
	if asker, ok := display.As[display.Asker](out); ok {
		line, err = asker.Ask(ctx, "", false)
	}
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		out.Stream("stderr", "the front end gives no input here\n")
		in.end()
		return false
	}
	written := make(chan struct{})
	go func() { // a line that is longer than the pipe waits there for the next cell that reads
		defer close(written)
		io.WriteString(in.write, line+"\n")
	}()
	select {
	case <-written:
		return true
	case <-ctx.Done():
		return false
	}
}

// A probe finds out whether somebody waits in a read of a file: it takes the lock that a read
// holds while it waits.
type probe struct {
	begun atomic.Bool
	done  chan struct{} // closed when it has had the lock
}

// A read waits if nothing is to be read and a probe has had to wait at patientLooks in a row, one
// every lookEvery. One look would not do: on a busy machine a goroutine may stand still for some
// time.
const (
	lookEvery    = 10 * time.Millisecond
	patientLooks = 3
)

// waiting returns true when a read waits, false when ctx is done.
func (in *input) waiting(ctx context.Context) bool {
	if !in.named.Load() { // no code reads, so that probes need not be made
		select {
		case <-ctx.Done():
			return false
		case <-in.wake:
		}
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for looks := 0; looks < patientLooks; {
		if in.probe == nil {
			looks, in.probe = 0, startProbe(in.conn)
		}
		select {
		case <-ctx.Done(): // the probe under way is taken up by the next cell
			return false
		case <-look.C:
		}
		select {
		case <-in.probe.done:
			in.probe = nil
		default:
			if looks++; !in.probe.begun.Load() || readable(in.conn) {
				looks = 0
			}
		}
	}
	return true
}

func startProbe(conn syscall.RawConn) *probe {
	p := &probe{done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.begun.Store(true)
		conn.Read(func(uintptr) bool { return true })
	}()
	return p
}
