package main

// This file implements the clocks that calls are measured with. testdata/peer.py has the same ones.

import (
	"strings"
	"time"

	"halfnote/tensor"
)

// A clock measures calls in batches.
type clock struct {
	measure func(batch func()) time.Duration
	most    int // calls in a batch
}

// byEvents reads the device's own clock, before a batch and behind it: on a GPU when it comes to events
// in its queue, on the CPU when calls return.
var byEvents = clock{func(batch func()) time.Duration {
	d, _ := tensor.DefaultDevice()
	queue, begin, end := tensor.CurrentStream(d), tensor.NewEvent(), tensor.NewEvent()
	queue.Record(begin)
	batch()
	queue.Record(end)
	return time.Duration(begin.Elapsed(end) * float64(time.Millisecond))
}, 1 << 20}

// byHost measures until calls return, which on a GPU only queue what is to be done. The queue has room
// for all calls of a batch.
var byHost = clock{func(batch func()) time.Duration {
	start := time.Now()
	batch()
	took := time.Since(start)
	tensor.Synchronize()
	return took
}, 64}

// clockOf returns the clock of a work: small ones on a GPU are about what a launch costs the host.
func (s size) clockOf(work string) clock {
	if s.gpu && strings.HasPrefix(work, "small/") {
		return byHost
	}
	return byEvents
}

// median calls f for about that long, in batches that c can measure, and returns the time of one call in
// the median batch.
func (c clock) median(f func(), all time.Duration) time.Duration {
	const batch = 5 * time.Millisecond
	n := 1
	var times []time.Duration
	for end := time.Now().Add(all); ; {
		took := c.measure(func() {
			for range n {
				f()
			}
		})
		if took < batch && n < c.most && len(times) == 0 {
			n *= 2
			continue
		}
		times = append(times, took/time.Duration(n))
		if time.Now().After(end) {
			return median(times)
		}
	}
}
