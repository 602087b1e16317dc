package repl

// This file watches what a cell uses of the machine, and ends it before Go would end the process or
// the machine would swap.

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"halfnote/internal/memory"
	"halfnote/repl/display"
	"halfnote/repl/rt"
)

// A cell may use maxStack of stack, some 400,000 interpreted calls; how much it has is looked at
// every few milliseconds. Stacks double, so what is more is half a gigabyte. goStack lets Go give four
// times that before it would end the process: a method that fmt calls without end uses a gigabyte a
// second.
const (
	maxStack   = 300 << 20
	goStack    = 2<<30 - 1
	watchEvery = 10 * time.Millisecond
)

var errStack = rt.Error("stack overflow: functions call each other without end")

// shallow is the stack of a goroutine that is not deep in calls: it has this much, or twice that.
const shallow = 16 << 10

// usage is what the process has had since a cell began, as far as it is not the cell's.
type usage struct {
	stacks     uint64
	goroutines int
}

func newUsage() *usage { return &usage{stackBytes(), runtime.NumGoroutine()} }

// tooDeep reports whether stacks have grown beyond what they may. If all of it is one stack, Go
// must still let that grow once more.
func (u *usage) tooDeep() bool {
	all, n := stackBytes(), runtime.NumGoroutine()
	u.stacks, u.goroutines = min(u.stacks, all), min(u.goroutines, n)
	started := uint64(n-u.goroutines) * shallow
	return all-u.stacks > started+min(started, 2*maxStack)+maxStack
}

// tooMuch returns an error if stacks or the memory of the process have grown beyond what they may.
func (u *usage) tooMuch() error {
	if u.tooDeep() {
		return errStack
	}
	most := memory.Limit()
	if memory.InUse() <= most {
		return nil
	}
	runtime.GC() // much of it may be garbage, or free already
	have := memory.Live()
	if have <= most {
		return nil
	}
	return rt.Error(fmt.Sprintf("out of memory: the process has %s, more than the %s that it may "+
		"have (--max-memory)", memory.Text(have), memory.Text(most)))
}

// watchRest watches goroutines that a cell has left, while no other cell runs. What they write goes
// to out.
func (s *Session) watchRest(out display.Output) {
	if s.types.Idle() || !s.watching.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer s.watching.Store(false)
		tick := time.NewTicker(5 * watchEvery)
		defer tick.Stop()
		usage := newUsage()
		for !s.types.Idle() {
			<-tick.C
			if !s.mu.TryLock() {
				continue // a cell runs, and is watched
			}
			if err := usage.tooMuch(); err != nil {
				s.machine.stopRest()
				usage.free()
				out.Stream("stderr", "the goroutines of cells were stopped: "+err.Error()+"\n")
			}
			s.mu.Unlock()
		}
	}()
}

// stopRest stops all goroutines of cells that run; no cell does.
func (m *machine) stopRest() {
	before := m.types.Running()
	pause, resume := m.inside.stopper()
	stop := m.types.Stop(nil, pause, resume)
	until(time.Now().Add(grace), func() bool { return m.types.Running() < before })
	stop.Finish()
	stop.End()
}

// free gives back what a cell that was stopped has left.
func (u *usage) free() { debug.FreeOSMemory() }

// stackBytes returns how much memory the stacks of all goroutines take.
func stackBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
