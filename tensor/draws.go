package tensor

import "sync"

// This file implements random numbers that come again: the second call of a function in Checkpoint
// must draw what the first did, although other goroutines draw from the same generators meanwhile.

// A drawLog is what the calls of one function in Checkpoint draw, or what a goroutine does that is
// started there. Whichever call comes first to a place draws; the other one repeats it.
type drawLog struct {
	outer    *draws // of the Checkpoint around this one, which notes, or repeats, the same
	mu       sync.Mutex
	list     []drawn
	branches []*drawLog // of goroutines, in the order of their Inherit
	whole    bool       // the first call has ended: nothing is drawn any more
}

// drawn is one advance of a generator.
type drawn struct {
	seed, offset, blocks uint64
	place                *Tensor // of a draw in a Graph, which has the seed and is added to the offset
}

// draws is the place of one call in its log.
type draws struct {
	log          *drawLog
	next, branch int // of the log's list and branches
}

// take advances g, or returns where some generator stood at this place in the other call.
func (d *draws) take(g *Generator, blocks uint64, graph *recording) drawn {
	r := d.log
	r.mu.Lock()
	defer r.mu.Unlock()
	if d.next == len(r.list) && !r.whole {
		at := drawn{}
		if r.outer != nil {
			at = r.outer.take(g, blocks, graph)
		} else {
			at = g.advanceIn(graph, blocks)
		}
		r.list = append(r.list, at)
	}
	if d.next == len(r.list) || r.list[d.next].blocks != blocks {
		fail("checkpoint", "the function drew other random numbers when it was called again than "+
			"the first time; it must do the same")
	}
	d.next++
	return r.list[d.next-1]
}

// fork returns the draws of a goroutine that is started now.
func (d *draws) fork() *draws {
	if d == nil {
		return nil
	}
	r := d.log
	r.mu.Lock()
	defer r.mu.Unlock()
	if d.branch == len(r.branches) {
		if r.whole {
			fail("checkpoint", "the function called Inherit more often when it was called again "+
				"than the first time; it must do the same")
		}
		r.branches = append(r.branches, &drawLog{outer: r.outer.fork()})
	}
	b := r.branches[d.branch]
	b.whole = r.whole
	d.branch++
	return &draws{log: b}
}

// end says that the first call has ended.
func (r *drawLog) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.whole = true
}

// ended reports whether the first call has ended.
func (r *drawLog) ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.whole
}
