package repl

import (
	"context"
	"time"

	"halfnote/repl/display"
)

// Call runs a function that a cell has handed out, such as one that answers messages of a widget;
// what it prints and shows goes to out. While a cell runs it takes part as one of its goroutines
// would, and stops with it. The error is an *Error.
func (s *Session) Call(ctx context.Context, out display.Output, f func()) error {
	work := func() error { f(); return nil }
	if s.mu.TryLock() {
		defer s.mu.Unlock()
		return s.execute(ctx, out, work)
	}
	m := s.machine
	stopped, ended := make(chan struct{}), make(chan error, 1)
	defer display.Bind(out)()
	defer m.types.BindStop(stopped)()
	guarded := m.types.Guard(func() { m.guarded(work, ended) })
	go func() {
		defer close(ended)
		guarded()
	}()
	select {
	case err := <-ended:
		if err != nil {
			return s.failed(err)
		}
		return nil
	case <-ctx.Done():
	}
	if s.mu.TryLock() { // the cell has ended meanwhile
		defer s.mu.Unlock()
		return s.failed(m.stopped(ctx, stopped, ended))
	}
	close(stopped)
	select {
	case <-ended:
		return s.failed(ctx.Err())
	case <-time.After(grace):
		return s.failed(errBackground)
	}
}
