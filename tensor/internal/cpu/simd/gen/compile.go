package main

import (
	"fmt"
	"slices"
)

// This file turns the body of a kernel into a loop: its values get registers, and a target writes
// its steps.

// A place is where an operand lies: a register, or memory for a constant or scalar.
type place struct {
	class  class // mask registers are numbered by themselves where the target has them
	reg    int
	memory bool
	info   info // of a constant or scalar
}

// A step is an inst with places.
type step struct {
	inst
	to   place
	from []place
	past bool // a store goes past the caches
}

// A target translates steps into one processor's assembly. A register is a number from 0 on. The
// target may keep vector registers back for itself, for ops that take several instructions; where
// an op writes its result before it has read all arguments, it has to mind that the result's
// register may be that of an argument, which is then not used again.
type target interface {
	// name is what the functions' names end with, and the name of the Path.
	name() string
	arch() string
	// lanes is how many float32 a vector has.
	lanes() int
	// registers is how many vector and mask registers may be used; where there are no mask
	// registers masks lie in vector registers.
	registers() (vectors, masks int)
	// native reports whether the target has an op that others make of several.
	native(op) bool
	// apart returns how many of the first arguments had better not have the result's register.
	apart(op) int
	// memory reports whether argument i of in may be a constant or a scalar that lies in memory.
	memory(in inst, i int, v info) bool
	// loads reports whether argument i of in is a constant for which no register is worth keeping.
	loads(in inst, i int, v info) bool

	// enter begins the function: pointers and the count n in registers.
	enter(w *writer, f *function)
	// step writes one step. Array elements are those vectors·lanes behind the place in the row.
	step(w *writer, f *function, s step, vectors int, partial bool)
	// loop repeats round, which handles count elements, while there are as many.
	loop(w *writer, count int, round func())
	// rest runs round for the elements that are left, fewer than lanes, if any: once, or once for
	// each of them.
	rest(w *writer, f *function, round func())
	// leave stores the results, which lie in the first lanes, and returns.
	leave(w *writer, f *function, results []place)
	// data writes the constants that the functions before used.
	data(w *writer)
}

// A streamer is a target that can store past the caches. Rows too long for these then reach memory
// without being read from there first.
type streamer interface {
	// stream repeats round as loop does where the row is so long and its address allows it.
	stream(w *writer, f *function, count int, round func())
}

// streams reports whether the first array is all that the body writes, and not as bytes.
func (b *body) streams() bool {
	for _, in := range b.code {
		switch in.op {
		case opStore, opStoreHalf, opStoreBFloat, opStoreShort, opStoreUpper:
			if in.array != 0 {
				return false
			}
		case opStoreByte, opStoreDouble:
			return false
		}
	}
	return len(b.accs) == 0
}

// compile writes the kernel for a target.
func compile(w *writer, t target, k kernel) {
	f := parse(k.sig, t.name())
	f.short = k.short
	unroll := k.unroll
	if unroll == 0 {
		unroll = 4
	}
	whole, part := newBody(t, f, false), newBody(t, f, true)
	k.body(whole)
	k.body(part)
	vectors, masks := t.registers()
	var round, steps, last []step
	var fixed map[info]int
	width := unroll // vectors whose code is interleaved
	for fits := false; !fits; {
		if width == 0 {
			panic(fmt.Sprintf("%s: %s has too few registers", f.name, t.name()))
		}
		all := whole.interleave(width)
		taken := len(whole.accs) * unroll
		for pins := len(whole.constants(part)); pins >= 0 && !fits; pins-- {
			fixed = pin(whole, part, unroll, pins)
			var ok [3]bool
			round, ok[0] = allocate(all, fixed, taken, vectors, masks)
			steps, ok[1] = allocate(whole, fixed, taken, vectors, masks)
			last, ok[2] = allocate(part, fixed, taken, vectors, masks)
			fits = ok == [3]bool{true, true, true}
		}
		if !fits {
			width /= 2
		}
	}
	broadcast := func(reg int, v info) {
		t.step(w, f, step{inst: inst{op: opBroadcast, class: v.class}, to: place{class: v.class, reg: reg},
			from: []place{{class: v.class, memory: true, info: v}}}, 0, false)
	}
	t.enter(w, f)
	for _, i := range sorted(fixed) {
		broadcast(fixed[i], i)
	}
	accs := whole.accs
	for u := range unroll {
		for n, a := range accs {
			broadcast(u*len(accs)+n, whole.values[a.start])
		}
	}
	past := false
	write := func(steps []step, u int, partial bool) {
		for _, s := range steps {
			s.past = past
			t.step(w, f, s.shift(len(accs)*width, len(accs)*u), u+s.copy, partial)
		}
	}
	rounds := func() {
		for u := 0; u < unroll; u += width {
			write(round, u, false)
		}
	}
	if s, ok := t.(streamer); ok && whole.streams() {
		past = true
		s.stream(w, f, unroll*t.lanes(), rounds)
		past = false
	}
	if unroll > 1 {
		t.loop(w, unroll*t.lanes(), rounds)
	}
	t.loop(w, t.lanes(), func() { write(steps, 0, false) })
	t.rest(w, f, func() { write(last, 0, true) })
	t.leave(w, f, join(w, t, f, accs, unroll))
}

// shift moves accumulators, which are the registers below accs, by some registers.
func (s step) shift(accs, by int) step {
	s.from = slices.Clone(s.from)
	move := func(p *place) {
		if !p.memory && p.class != mask && p.reg < accs {
			p.reg += by
		}
	}
	for i := range s.from {
		move(&s.from[i])
	}
	move(&s.to)
	return s
}

// interleave returns the code for n vectors, instruction by instruction, so that the processor finds
// work while one of them waits for a result.
func (b *body) interleave(n int) *body {
	all := newBody(b.t, b.f, b.partial)
	names := make([][]value, n)
	for u := range n {
		names[u] = make([]value, len(b.values))
		for v, i := range b.values {
			switch {
			case v == 0:
			case i.constant || i.scalar > 0:
				names[u][v] = all.constant(i)
			default:
				names[u][v] = all.newValue(i)
			}
		}
		for _, a := range b.accs {
			all.accs = append(all.accs, &accumulator{entry: names[u][a.entry], now: names[u][a.now]})
		}
	}
	for _, in := range b.code {
		for u := range n {
			one := in
			one.copy, one.dst, one.args = u, names[u][in.dst], nil
			for _, v := range in.args {
				one.args = append(one.args, names[u][v])
			}
			all.code = append(all.code, one)
		}
	}
	return all
}

// join combines the accumulators of all vectors of a round and then their lanes.
func join(w *writer, t target, f *function, accs []*accumulator, unroll int) (results []place) {
	vectors, masks := t.registers()
	run := func(b *body, regs map[value]int) {
		steps, ok := allocateFrom(b, nil, regs, len(accs)*unroll, vectors, masks)
		if !ok {
			panic(f.name + ": no registers left to combine accumulators")
		}
		for _, s := range steps {
			t.step(w, f, s, 0, false)
		}
	}
	for n, a := range accs {
		for u := 1; u < unroll; u++ {
			b := newBody(t, f, false)
			x, y := b.newValue(info{class: a.class, acc: 1}), b.newValue(info{class: a.class, acc: 2})
			b.finish(x, a.combine(b, x, y))
			run(b, map[value]int{x: n, y: u*len(accs) + n})
		}
		lanes := t.lanes()
		if a.class == double {
			lanes /= 2
		}
		for ; lanes > 1; lanes /= 2 {
			b := newBody(t, f, false)
			x := b.newValue(info{class: a.class, acc: 1})
			b.finish(x, a.combine(b, x, b.same(opFold, lanes, x)))
			run(b, map[value]int{x: n})
		}
		results = append(results, place{class: a.class, reg: n})
	}
	return results
}
