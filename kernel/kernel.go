package kernel

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"halfnote/repl"
	"halfnote/repl/display"
)

// Config has the options of a kernel.
type Config struct {
	// History answers history requests; nil has none.
	History *repl.History
	// Crash keeps what the next kernel tells if this one dies; nil keeps nothing.
	Crash *Crash
	// Version is what kernel_info says.
	Version string
	// Log is told of what no client can be told; nil is the default logger.
	Log *slog.Logger
}

// A Kernel answers the messages of Jupyter front ends with one session.
type Kernel struct {
	session   *repl.Session
	transport Transport
	cfg       Config
	id        string        // the session of its messages
	sent      atomic.Uint64 // messages, which numbers them
	published atomic.Int64  // bytes since memory was last returned

	shell   *lane
	control *lane
	mu      sync.Mutex
	shells  map[string]*lane // subshells, by id

	running sync.Mutex // held while a cell runs, with its count
	count   int        // of the last cell

	comms comms
	asked asked

	ending sync.Once
	done   chan struct{}
}

// New returns a kernel that runs cells in session and answers by t.
func New(session *repl.Session, t Transport, cfg Config) *Kernel {
	cfg.Log = cmp.Or(cfg.Log, slog.Default())
	k := &Kernel{
		session: session, transport: t, cfg: cfg, id: newID(),
		shells: map[string]*lane{},
		comms:  comms{open: map[string]*comm{}, targets: map[string]func(display.Comm, any){}},
		done:   make(chan struct{}),
	}
	k.shell, k.control = newLane(k), newLane(k)
	k.publish("status", nil, status{"starting"})
	return k
}

// Receive takes a message that has come on a channel, and returns at once.
func (k *Kernel) Receive(ch Channel, m *Message) {
	r := &request{k: k, channel: ch, msg: m}
	if err := json.Unmarshal(m.Header, &r.header); err != nil {
		k.cfg.Log.Warn("message without a header", "channel", ch, "error", err)
		return
	}
	switch ch {
	case Stdin:
		k.asked.answer(r)
	case Control:
		k.control.add(r)
	default:
		k.lane(r).add(r)
	}
}

// lane returns where r waits: the lane of its subshell, or that of the shell, which also answers
// requests to a subshell that does not exist.
func (k *Kernel) lane(r *request) *lane {
	subshell := r.header.subshell()
	if subshell == "" {
		return k.shell
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.shells[subshell]
	r.lost = l == nil
	return cmp.Or(l, k.shell)
}

// lanes lists all lanes in which cells run.
func (k *Kernel) lanes() []*lane {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := []*lane{k.shell}
	for _, l := range k.shells {
		all = append(all, l)
	}
	return all
}

// Welcome returns the message that tells a new subscriber of iopub that its subscription holds
// (Jupyter enhancement proposal 65).
func (k *Kernel) Welcome(topic string) *Message {
	return k.message("iopub_welcome", nil, map[string]string{"subscription": topic})
}

// Interrupt stops the running cell, as an interrupt_request does.
func (k *Kernel) Interrupt() {
	for _, l := range k.lanes() {
		l.interrupt()
	}
}

// stopWithin is how long a shutdown waits for what runs; the session gives up a cell after three
// seconds, and Jupyter kills a kernel after five.
const stopWithin = 3200 * time.Millisecond

// Shutdown stops the running cell and ends the kernel, once all output of cells is published.
func (k *Kernel) Shutdown() {
	k.ending.Do(func() {
		for _, l := range k.lanes() {
			l.close()
		}
		ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
		defer cancel()
		for _, l := range k.lanes() {
			select {
			case <-l.stopped:
			case <-ctx.Done(): // what does not stop must not keep the kernel
				k.cfg.Log.Error("a cell or a comm has not stopped", "within", stopWithin)
			}
		}
		k.cfg.Crash.remove()
		go func() { // a shutdown_request is still to be answered, on its own lane
			k.control.close()
			<-k.control.stopped
			close(k.done)
		}()
	})
}

// Done is closed when the kernel has ended and everything it had to say is handed to the transport.
func (k *Kernel) Done() <-chan struct{} { return k.done }
