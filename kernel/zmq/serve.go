package zmq

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"halfnote/kernel"
)

// The times of an end. Jupyter kills a kernel five seconds after it asked for its end, and we
// promise not to outlive the parent by more.
const (
	parentEvery = 500 * time.Millisecond
	stopWithin  = 3500 * time.Millisecond // for the kernel to say that it is done
	drainWithin = 5 * time.Second         // for peers that go on reading; the others are not waited for
	drainOrphan = 500 * time.Millisecond
)

var errNotStopped = fmt.Errorf("kernel: the running cell did not stop within %v", stopWithin)

// Serve runs a kernel at the addresses of the connection file path until it is done. Start makes
// the kernel, when all addresses are bound; faults of peers are told to log. An interrupt signal
// interrupts the running cell; a signal to end, the end of ctx and that of the process that started
// us shut the kernel down. All that it has sent by then is delivered.
func Serve[K Kernel](ctx context.Context, path string, log *slog.Logger,
	start func(t kernel.Transport) K) error {
	c, err := readConnection(path)
	if err != nil {
		return err
	}
	choose := slices.ContainsFunc(c.ports(), func(p port) bool { return *p.number == 0 })
	bound, err := c.listen()
	if err != nil {
		return fmt.Errorf("connection file %s: %w", path, err)
	}
	if choose {
		if err := c.write(path); err != nil {
			for _, ln := range bound {
				ln.Close()
			}
			return fmt.Errorf("connection file %s: write the chosen ports: %w", path, err)
		}
	}
	signals := make(chan os.Signal, 8)
	// A broken pipe at standard error, when Jupyter is gone, must not end us before the end.
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	defer signal.Stop(signals)

	s := newSockets(c.Key, bound, defaultLimits, log)
	k := start(s)
	s.start(k)
	drain, err := attend(ctx, k, signals, watchedParent(os.Getenv(parentVariable)))
	s.close(drain)
	return err
}

// attend waits for the end of k and passes on the reasons for it; one is that parentGone, unless it
// is nil, says so. It returns how long undelivered messages may take.
func attend(ctx context.Context, k Kernel, signals <-chan os.Signal, parentGone func() bool) (
	time.Duration, error) {
	var look <-chan time.Time
	if parentGone != nil {
		tick := time.NewTicker(parentEvery)
		defer tick.Stop()
		look = tick.C
	}
	var over <-chan time.Time
	stop := func() {
		if over == nil {
			over = time.After(stopWithin)
			go k.Shutdown() // may take as long as the cell takes to stop
		}
	}
	drain, done := drainWithin, ctx.Done()
	for {
		select {
		case <-k.Done():
			return drain, nil
		case <-over:
			return drainOrphan, errNotStopped
		case <-done:
			done = nil
			stop()
		case <-look:
			if parentGone() {
				look, drain = nil, drainOrphan
				stop()
			}
		case s := <-signals:
			switch s {
			case os.Interrupt:
				k.Interrupt()
			case syscall.SIGPIPE:
			default:
				stop()
			}
		}
	}
}

var _ kernel.Transport = (*sockets)(nil)
