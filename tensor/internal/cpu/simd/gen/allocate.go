package main

import (
	"cmp"
	"maps"
	"slices"
)

// This file gives the virtual registers of a body real ones. The code is straight, so one pass is
// enough: a register is free again after the last use of its value. Accumulators keep the first
// registers, constants and scalars those behind them as far as there are enough; the rest of them
// are read from memory at each use.

// constants returns what the bodies have of constants and scalars, the most used first.
func (b *body) constants(others ...*body) []info {
	uses := map[info]int{}
	for _, b := range append(others, b) {
		for _, in := range b.code {
			for n, v := range in.args {
				if i := b.values[v]; (i.constant || i.scalar > 0) && !b.t.loads(in, n, i) {
					uses[i]++
				}
			}
		}
	}
	return slices.SortedFunc(maps.Keys(uses), func(x, y info) int {
		return cmp.Or(cmp.Compare(uses[y], uses[x]), compareInfo(x, y))
	})
}

func compareInfo(x, y info) int {
	return cmp.Or(cmp.Compare(x.scalar, y.scalar), cmp.Compare(x.class, y.class), cmp.Compare(x.bits, y.bits),
		slices.Compare(x.table[:], y.table[:]))
}

// pin gives the first of the constants registers behind those of the accumulators.
func pin(whole, part *body, unroll, pins int) map[info]int {
	fixed := map[info]int{}
	for n, i := range whole.constants(part)[:pins] {
		fixed[i] = len(whole.accs)*unroll + n
	}
	return fixed
}

func sorted(fixed map[info]int) []info {
	return slices.SortedFunc(maps.Keys(fixed), func(x, y info) int { return cmp.Compare(fixed[x], fixed[y]) })
}

// allocate finds registers for a body whose accumulators are the first registers.
func allocate(b *body, fixed map[info]int, accs, vectors, masks int) ([]step, bool) {
	regs := map[value]int{}
	for n, a := range b.accs {
		regs[a.entry] = n
		b.finish(a.entry, a.now)
		a.now = a.entry
	}
	return allocateFrom(b, fixed, regs, accs, vectors, masks)
}

// finish makes v the value of the accumulator entry when the body ends.
func (b *body) finish(entry, v value) {
	if v != entry {
		b.code = append(b.code, inst{op: opMove, class: b.values[v].class, dst: entry, args: []value{v}})
	}
}

// coalesce lets the value that is moved to an accumulator at the end be computed there, unless the
// accumulator is read later than that.
func (b *body) coalesce(regs map[value]int) []inst {
	code := slices.Clone(b.code)
	for m := len(code) - 1; m >= 0 && code[m].op == opMove; m-- {
		entry, v := code[m].dst, code[m].args[0]
		def := slices.IndexFunc(code, func(in inst) bool { return in.dst == v })
		if def < 0 || slices.ContainsFunc(code[def+1:], func(in inst) bool { return slices.Contains(in.args, entry) }) {
			continue
		}
		if _, taken := regs[v]; taken {
			continue
		}
		regs[v] = regs[entry]
		code = slices.Delete(code, m, m+1)
	}
	return code
}

// allocateFrom finds registers for a body; regs has those of values that keep theirs, all of them
// below taken.
func allocateFrom(b *body, fixed map[info]int, regs map[value]int, taken, vectors, masks int) (steps []step, ok bool) {
	code := b.coalesce(regs)
	lastUse := map[value]int{}
	for n, in := range code {
		for _, v := range in.args {
			lastUse[v] = n
		}
	}
	free := [2][]int{} // vector and mask registers, the next one last
	for r := vectors - 1; r >= taken; r-- {
		if !slices.Contains(slices.Collect(maps.Values(fixed)), r) {
			free[0] = append(free[0], r)
		}
	}
	for r := masks - 1; r >= 0; r-- {
		free[1] = append(free[1], r)
	}
	file := func(c class) *[]int {
		if c == mask && masks > 0 {
			return &free[1]
		}
		return &free[0]
	}
	take := func(c class) (place, bool) {
		f := file(c)
		if len(*f) == 0 {
			return place{}, false
		}
		r := (*f)[len(*f)-1]
		*f = (*f)[:len(*f)-1]
		return place{class: c, reg: r}, true
	}
	places := map[value]place{}
	for v, r := range regs {
		places[v] = place{class: b.values[v].class, reg: r}
	}
	for n, in := range code {
		s := step{inst: in}
		var dying []place
		memory := false
		for i, v := range in.args {
			vi := b.values[v]
			p, found := places[v]
			switch r, pinned := fixed[vi]; {
			case pinned:
				p = place{class: vi.class, reg: r, info: vi}
			case found:
				_, keeps := regs[v]
				if lastUse[v] == n && !keeps && !slices.Contains(in.args[:i], v) {
					dying = append(dying, p)
				}
			case in.op == opBroadcast || !memory && b.t.memory(in, i, vi):
				p, memory = place{class: vi.class, memory: true, info: vi}, true
			default:
				if p, found = take(vi.class); !found {
					return nil, false
				}
				p.info = vi
				steps = append(steps, step{inst: inst{op: opBroadcast, class: vi.class}, to: p,
					from: []place{{class: vi.class, memory: true, info: vi}}})
				dying = append(dying, p)
			}
			s.from = append(s.from, p)
		}
		if in.op == opFMA || in.op == opFNMA { // the sum's register is the best one for the result
			slices.SortStableFunc(dying, func(x, y place) int {
				return cmp.Compare(rank(s.from, x), rank(s.from, y))
			})
		}
		release := func(dying []place) {
			for _, p := range dying {
				f := file(p.class)
				*f = append(*f, p.reg)
			}
		}
		var late []place // registers of arguments that the result should not have
		if n := b.t.apart(in.op); n > 0 && len(*file(in.class)) > 0 {
			dying = slices.DeleteFunc(dying, func(p place) bool {
				if rank(s.from, p) >= n {
					return false
				}
				late = append(late, p)
				return true
			})
		}
		release(dying)
		if in.dst != 0 {
			p, found := places[in.dst]
			if !found {
				if p, found = take(in.class); !found {
					return nil, false
				}
			}
			release(late)
			s.to = p
			places[in.dst] = p
			if _, keeps := regs[in.dst]; !keeps && lastUse[in.dst] == 0 {
				*file(in.class) = append(*file(in.class), p.reg) // nobody reads it
			}
		}
		steps = append(steps, s)
	}
	return steps, true
}

func rank(from []place, p place) int {
	return slices.Index(from, p)
}
