package tensor

import (
	"slices"
	"strings"
)

// Einsum sums products of the tensors' elements as the equation says, in PyTorch's notation: a
// letter for each dimension of each tensor, and after -> those of the result. Dimensions with one
// letter go together; those whose letters the result lacks are summed. A letter twice in one tensor
// means its diagonal, and ... any number of dimensions, which are broadcast. Without -> the result
// has the dimensions of ... and then the letters that occur once, in alphabetical order.
//
//	Einsum("bhqd,bhkd->bhqk", q, k) // scores of attention
//
// 16-bit floats are rounded once, at the end.
func Einsum(equation string, ts ...*Tensor) *Tensor {
	const op = "einsum"
	if len(ts) == 0 {
		fail(op, "no tensors given for %q", equation)
	}
	given(op, ts...)
	ts = slices.Clone(ts)
	switch {
	case hasRule(op):
		ts = castAll(op, len(ts), ts)
	case len(ts) > 1:
		ts = castAll("bmm", len(ts), ts) // as PyTorch's CPU policy, which knows the product inside only
	}
	for _, t := range ts[1:] {
		sameDType(op, ts[0], t)
	}
	e := parseEinsum(equation, ts)
	return composed(func() *Tensor { return e.compute(ts) })
}

// An einsum is a parsed equation. Dimensions are named by runes: letters, and for those that ...
// stands for, numbers below 'A' of which the last dimension has the highest.
type einsum struct {
	equation string
	inputs   [][]rune
	output   []rune
	sizes    map[rune]int // of each dimension, after broadcasting
	dots     int          // the most dimensions that ... stands for
}

// dotEnd is behind the names of the dimensions of an ellipsis.
const dotEnd = 'A'

// wrong reports a mistake at a byte of the equation.
func (e *einsum) wrong(at int, format string, args ...any) {
	fail("einsum", "equation %q, position %d: "+format, append([]any{e.equation, at}, args...)...)
}

func parseEinsum(equation string, ts []*Tensor) *einsum {
	e := &einsum{equation: equation, sizes: map[rune]int{}}
	left, right, explicit := strings.Cut(equation, "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(ts) {
		fail("einsum", "equation %q names %d tensors, and %d are given", equation, len(terms),
			len(ts))
	}
	starts := make([]int, len(terms))
	at := 0
	for i, term := range terms {
		starts[i] = at
		at += len(term) + 1
		if i < len(ts) {
			e.dots = max(e.dots, e.ellipsis(term, starts[i], ts[i]))
		}
	}
	for i, term := range terms {
		e.inputs = append(e.inputs, e.term(term, starts[i], ts[i]))
	}
	if explicit {
		e.output = e.result(right, len(left)+2)
	} else {
		e.output = e.implied()
	}
	return e
}

// ellipsis returns how many dimensions of t the ... of a term stands for.
func (e *einsum) ellipsis(term string, start int, t *Tensor) int {
	letters := 0
	for i := 0; i < len(term); i++ {
		switch c := term[i]; {
		case isLetter(rune(c)):
			letters++
		case c == ' ', c == '.':
		default:
			e.wrong(start+i, "%q is neither a letter nor part of ...", rune(c))
		}
	}
	at := strings.IndexByte(term, '.')
	switch {
	case at < 0 && letters != t.Dim():
		e.wrong(start, "%q has %d letters for shape %v", strings.TrimSpace(term), letters,
			t.arr.Shape)
	case at < 0:
		return 0
	case !strings.HasPrefix(term[at:], "..."):
		e.wrong(start+at, "a lone dot; an ellipsis has three")
	case strings.Contains(term[at+3:], "."):
		e.wrong(start+at+3+strings.IndexByte(term[at+3:], '.'), "a second ellipsis in a term")
	case letters > t.Dim():
		e.wrong(start, "%q has %d letters for shape %v", strings.TrimSpace(term), letters,
			t.arr.Shape)
	}
	return t.Dim() - letters
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// term returns the names of the dimensions of t, and notes their sizes.
func (e *einsum) term(term string, start int, t *Tensor) []rune {
	var names []rune
	for i := 0; i < len(term); i++ {
		c := rune(term[i])
		if c == ' ' {
			continue
		}
		if c == '.' {
			for n := e.ellipsis(term, start, t); n > 0; n-- {
				e.size(rune(dotEnd-n), start+i, t, len(names))
				names = append(names, rune(dotEnd-n))
			}
			i += 2
			continue
		}
		if first := slices.Index(names, c); first >= 0 {
			if x, y := t.arr.Shape[first], t.arr.Shape[len(names)]; x != y {
				e.wrong(start+i, "%c stands for sizes %d and %d of shape %v", c, x, y, t.arr.Shape)
			}
		}
		e.size(c, start+i, t, len(names))
		names = append(names, c)
	}
	return names
}

// size notes the size of dimension d of t, which is named c.
func (e *einsum) size(c rune, at int, t *Tensor, d int) {
	n := t.arr.Shape[d]
	had, ok := e.sizes[c]
	switch {
	case !ok || had == 1:
		e.sizes[c] = n
	case n != had && n != 1:
		name := "..."
		if c >= dotEnd {
			name = string(c)
		}
		e.wrong(at, "%s stands for sizes %d and %d", name, had, n)
	}
}

// result returns the names of the dimensions behind ->.
func (e *einsum) result(term string, start int) []rune {
	var names []rune
	dotted := false
	for i := 0; i < len(term); i++ {
		c := rune(term[i])
		switch {
		case c == ' ':
		case strings.HasPrefix(term[i:], "...") && !dotted:
			for n := e.dots; n > 0; n-- {
				names = append(names, rune(dotEnd-n))
			}
			dotted = true
			i += 2
		case !isLetter(c):
			e.wrong(start+i, "%q is neither a letter nor part of the one ...", c)
		case slices.Contains(names, c):
			e.wrong(start+i, "%c stands twice behind ->", c)
		default:
			if _, ok := e.sizes[c]; !ok {
				e.wrong(start+i, "%c stands behind -> and in no tensor", c)
			}
			names = append(names, c)
		}
	}
	return names
}

// implied returns the names of the result's dimensions where the equation has no ->.
func (e *einsum) implied() []rune {
	times := map[rune]int{}
	for _, names := range e.inputs {
		for _, c := range names {
			times[c]++
		}
	}
	var names []rune
	for c, n := range times {
		if n == 1 || c < dotEnd {
			names = append(names, c)
		}
	}
	slices.Sort(names)
	return names
}

// compute contracts the tensors from left to right.
func (e *einsum) compute(ts []*Tensor) *Tensor {
	dtype := ts[0].DType()
	left, names := e.operand(ts[0], 0)
	if len(ts) == 1 {
		var gone []int
		for d, c := range names {
			if !slices.Contains(e.output, c) {
				gone = append(gone, d)
			}
		}
		return arranged(sumAs(dtype, left, gone), without(names, gone), e.output)
	}
	for i := 1; i < len(ts); i++ {
		right, other := e.operand(ts[i], i)
		to := wide(dtype)
		if i == len(ts)-1 {
			to = dtype
		}
		left, names = contract(to, left, right, names, other, func(c rune) bool {
			later := slices.ContainsFunc(e.inputs[i+1:], func(names []rune) bool {
				return slices.Contains(names, c)
			})
			return later || slices.Contains(e.output, c)
		})
	}
	return arranged(left, names, e.output)
}

// operand returns tensor i with each name once, and without the dimensions of size 1 that are
// broadcast against another tensor.
func (e *einsum) operand(t *Tensor, i int) (*Tensor, []rune) {
	names := slices.Clone(e.inputs[i])
	for d := 0; d < len(names); d++ {
		c := names[d]
		if other := slices.Index(names[d+1:], c); other >= 0 {
			t = t.Diagonal(DiagonalConfig{Axes: []int{d, d + 1 + other}})
			names = slices.Delete(names, d+1+other, d+2+other)
			names = append(slices.Delete(names, d, d+1), c)
			d--
		}
	}
	for d := len(names) - 1; d >= 0; d-- {
		if t.arr.Shape[d] == 1 && e.sizes[names[d]] != 1 {
			t = t.Squeeze(d)
			names = slices.Delete(names, d, d+1)
		}
	}
	return t, names
}

// sumAs sums t over axes into a dtype, or returns t where there are none.
func sumAs(dtype DType, t *Tensor, axes []int) *Tensor {
	if len(axes) == 0 {
		return t
	}
	return t.SumAs(dtype, axes...)
}

// without returns the names that stand at none of the places.
func without(names []rune, places []int) []rune {
	var left []rune
	for d, c := range names {
		if !slices.Contains(places, d) {
			left = append(left, c)
		}
	}
	return left
}

// arranged returns t, whose dimensions have names, with them in the order of wanted.
func arranged(t *Tensor, names, wanted []rune) *Tensor {
	axes := make([]int, len(wanted))
	for i, c := range wanted {
		axes[i] = slices.Index(names, c)
	}
	return t.Permute(axes...)
}

// contract multiplies a and b and sums over the dimensions that are not kept.
func contract(dtype DType, a, b *Tensor, namesA, namesB []rune, keep func(rune) bool) (
	*Tensor, []rune) {
	a, namesA = alone(a, namesA, namesB, keep)
	b, namesB = alone(b, namesB, namesA, keep)
	var batch, summed, onlyA, onlyB []rune
	for _, c := range namesA {
		switch {
		case !slices.Contains(namesB, c):
			onlyA = append(onlyA, c)
		case keep(c):
			batch = append(batch, c)
		default:
			summed = append(summed, c)
		}
	}
	for _, c := range namesB {
		if !slices.Contains(namesA, c) {
			onlyB = append(onlyB, c)
		}
	}
	a = arranged(a, namesA, slices.Concat(batch, onlyA, summed))
	b = arranged(b, namesB, slices.Concat(batch, summed, onlyB))
	names := slices.Concat(batch, onlyA, onlyB)
	if len(onlyA)+len(onlyB)+len(summed) == 0 {
		w := promote(promote(a.DType(), b.DType()), dtype)
		return a.To(w).Mul(b.To(w)).To(dtype), names
	}
	at, mid := len(batch), len(batch)+len(onlyA)
	shape := slices.Concat(a.arr.Shape[:mid], b.arr.Shape[len(batch)+len(summed):])
	checkShape("einsum", shape)
	n := volume(a.arr.Shape[:at])
	k := volume(a.arr.Shape[mid:])
	a = a.Reshape(n, volume(a.arr.Shape[at:mid]), k)
	b = b.Reshape(n, k, volume(b.arr.Shape[at+len(summed):]))
	return productAs(dtype, a, b).Reshape(shape...), names
}

// alone sums t over the dimensions that neither the other tensor has nor the result keeps.
func alone(t *Tensor, names, others []rune, keep func(rune) bool) (*Tensor, []rune) {
	var gone []int
	for d, c := range names {
		if !keep(c) && !slices.Contains(others, c) {
			gone = append(gone, d)
		}
	}
	return sumAs(wide(t.DType()), t, gone), without(names, gone)
}
