package tensor_test

import (
	"fmt"
	"slices"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// A layout is a view by its definition: for each element, in row-major order, which element of the
// tensor it is that all began with.
type layout struct {
	shape []int
	at    []int
}

// filled returns the layout of a shape whose element at index i is that at from(i) of l.
func (l layout) filled(shape []int, from func(i []int) []int) layout {
	out := layout{shape: slices.Clone(shape)}
	for n := range count(shape) {
		i := make([]int, len(shape))
		for d := len(shape) - 1; d >= 0; d-- {
			i[d] = n % shape[d]
			n /= shape[d]
		}
		flat := 0
		for d, k := range from(i) {
			flat = flat*l.shape[d] + k
		}
		out.at = append(out.at, l.at[flat])
	}
	return out
}

func count(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// A script hands out small numbers; they are zero once it has come to its end.
type script []byte

func (p *script) next(n int) int {
	if len(*p) == 0 || n <= 0 {
		return 0
	}
	v := int((*p)[0]) % n
	*p = (*p)[1:]
	return v
}

// between is from low up to high.
func (p *script) between(low, high int) int { return low + p.next(high-low+1) }

// A step is an op on a tensor and what it does to a layout: nil where it must be refused.
type step struct {
	name string
	op   func(x *T) *T
	want func(l layout) *layout
}

const mostElements = 2000

// steps are the ops, each with the arguments that it reads from the script.
var steps = []func(p *script, shape []int) step{
	sliceStep, transposeStep, permuteStep, expandStep, reshapeStep, unfoldStep, flipStep,
	squeezeStep, diagonalStep, repeatStep,
}

func sliceStep(p *script, shape []int) step {
	axis := p.between(-1, 3)
	from, to, by := p.between(-5, 6), p.between(-5, 6), p.between(0, 3)
	return step{fmt.Sprintf("Slice(%d, %d, %d, %d)", axis, from, to, by),
		func(x *T) *T { return x.Slice(axis, from, to, by) },
		func(l layout) *layout {
			d, ok := dim(axis, l.shape)
			if !ok || by < 1 {
				return nil
			}
			n := l.shape[d]
			low, high := cut(from, n), cut(to, n)
			shape := slices.Clone(l.shape)
			shape[d] = max(0, (high-low+by-1)/by)
			if high < low {
				shape[d] = 0
			}
			out := l.filled(shape, func(i []int) []int {
				i[d] = low + i[d]*by
				return i
			})
			return &out
		}}
}

// element reports whether l is an element without dimensions, of which axes name its only place.
func (l layout) element(axes ...int) bool {
	return len(l.shape) == 0 && slices.Min(axes) >= -1 && slices.Max(axes) <= 0
}

func dim(axis int, shape []int) (int, bool) {
	if axis < 0 {
		axis += len(shape)
	}
	return axis, axis >= 0 && axis < len(shape)
}

// cut is a bound of a Python slice.
func cut(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

func transposeStep(p *script, shape []int) step {
	a, b := p.between(-2, 3), p.between(-2, 3)
	return step{fmt.Sprintf("Transpose(%d, %d)", a, b),
		func(x *T) *T { return x.Transpose(a, b) },
		func(l layout) *layout {
			if l.element(a, b) {
				return &l
			}
			i, ok := dim(a, l.shape)
			j, ok2 := dim(b, l.shape)
			if !ok || !ok2 {
				return nil
			}
			return permuted(l, func(axes []int) { axes[i], axes[j] = axes[j], axes[i] })
		}}
}

// permuted is l with its dimensions in the order to which f brings 0, 1, 2, …
func permuted(l layout, f func(axes []int)) *layout {
	axes, shape := make([]int, len(l.shape)), make([]int, len(l.shape))
	for d := range axes {
		axes[d] = d
	}
	f(axes)
	for d, a := range axes {
		shape[d] = l.shape[a]
	}
	out := l.filled(shape, func(i []int) []int {
		back := make([]int, len(i))
		for d, a := range axes {
			back[a] = i[d]
		}
		return back
	})
	return &out
}

func permuteStep(p *script, shape []int) step {
	axes := make([]int, len(shape))
	for d := range axes {
		axes[d] = d
	}
	for d := range axes {
		e := p.next(len(axes))
		axes[d], axes[e] = axes[e], axes[d]
	}
	return step{fmt.Sprintf("Permute(%v)", axes),
		func(x *T) *T { return x.Permute(axes...) },
		func(l layout) *layout { return permuted(l, func(to []int) { copy(to, axes) }) }}
}

func expandStep(p *script, shape []int) step {
	extra := p.next(3)
	want := make([]int, 0, extra+len(shape))
	for range extra {
		want = append(want, p.next(3))
	}
	for _, s := range shape {
		switch p.next(4) {
		case 0:
			want = append(want, -1)
		case 1:
			want = append(want, p.next(4))
		default:
			want = append(want, s)
		}
	}
	return step{fmt.Sprintf("Expand(%v)", want),
		func(x *T) *T { return x.Expand(want...) },
		func(l layout) *layout {
			shape := slices.Clone(want)
			for d, s := range l.shape {
				if shape[extra+d] == -1 {
					shape[extra+d] = s
				}
				if s != 1 && shape[extra+d] != s {
					return nil
				}
			}
			if len(shape) > 8 {
				return nil
			}
			out := l.filled(shape, func(i []int) []int {
				for d, s := range l.shape {
					if s == 1 {
						i[extra+d] = 0
					}
				}
				return i[extra:]
			})
			return &out
		}}
}

func reshapeStep(p *script, shape []int) step {
	n := count(shape)
	var want []int
	for left := n; len(want) < 5; {
		s := p.between(1, 4)
		if left%s == 0 {
			want = append(want, s)
			left /= s
		}
		if p.next(3) == 0 {
			want = append(want, left)
			break
		}
	}
	if len(want) > 0 && p.next(3) == 0 {
		want[p.next(len(want))] = -1
	}
	return step{fmt.Sprintf("Reshape(%v)", want),
		func(x *T) *T { return x.Reshape(want...) },
		func(l layout) *layout {
			shape := slices.Clone(want)
			if hole := slices.Index(shape, -1); hole >= 0 {
				shape[hole] = 1
				rest := count(shape)
				if rest == 0 || n%rest != 0 {
					return nil
				}
				shape[hole] = n / rest
			}
			if count(shape) != n {
				return nil
			}
			return &layout{shape, l.at}
		}}
}

func unfoldStep(p *script, shape []int) step {
	axis, size, by := p.between(-1, 2), p.between(-1, 4), p.between(0, 3)
	return step{fmt.Sprintf("Unfold(%d, %d, %d)", axis, size, by),
		func(x *T) *T { return x.Unfold(axis, size, by) },
		func(l layout) *layout {
			if l.element(axis) && by > 0 && (size == 0 || size == 1) {
				return &layout{[]int{size}, l.at[:size]}
			}
			d, ok := dim(axis, l.shape)
			if !ok || size < 0 || by < 1 || size > l.shape[d] || len(l.shape) == 8 {
				return nil
			}
			shape := append(slices.Clone(l.shape), size)
			shape[d] = (l.shape[d]-size)/by + 1
			out := l.filled(shape, func(i []int) []int {
				i[d] = i[d]*by + i[len(i)-1]
				return i[:len(i)-1]
			})
			return &out
		}}
}

func flipStep(p *script, shape []int) step {
	axis, shift := p.between(-1, 3), p.between(-4, 4)
	return step{fmt.Sprintf("Roll(%d, %d).Flip(%[2]d)", shift, axis),
		func(x *T) *T { return x.Roll(shift, axis).Flip(axis) },
		func(l layout) *layout {
			d, ok := dim(axis, l.shape)
			if !ok {
				return nil
			}
			n := l.shape[d]
			out := l.filled(l.shape, func(i []int) []int {
				i[d] = ((n-1-i[d]-shift)%n + n) % n
				return i
			})
			return &out
		}}
}

func squeezeStep(p *script, shape []int) step {
	axis, in := p.between(-2, 3), p.next(2) == 0
	if in {
		return step{fmt.Sprintf("Unsqueeze(%d)", axis),
			func(x *T) *T { return x.Unsqueeze(axis) },
			func(l layout) *layout {
				d, ok := dim(axis, append(slices.Clone(l.shape), 0))
				if !ok || len(l.shape) == 8 {
					return nil
				}
				return &layout{slices.Insert(slices.Clone(l.shape), d, 1), l.at}
			}}
	}
	return step{fmt.Sprintf("Squeeze(%d)", axis),
		func(x *T) *T { return x.Squeeze(axis) },
		func(l layout) *layout {
			d, ok := dim(axis, l.shape)
			switch {
			case l.element(axis):
				return &l
			case !ok:
				return nil
			case l.shape[d] != 1:
				return &l
			}
			return &layout{slices.Delete(slices.Clone(l.shape), d, d+1), l.at}
		}}
}

func diagonalStep(p *script, shape []int) step {
	c := tensor.DiagonalConfig{Offset: p.between(-3, 3),
		Axes: []int{p.between(-1, 2), p.between(-1, 2)}}
	return step{fmt.Sprintf("Diagonal(%+v)", c),
		func(x *T) *T { return x.Diagonal(c) },
		func(l layout) *layout {
			a, ok := dim(c.Axes[0], l.shape)
			b, ok2 := dim(c.Axes[1], l.shape)
			if !ok || !ok2 || a == b {
				return nil
			}
			var rest []int
			for d := range l.shape {
				if d != a && d != b {
					rest = append(rest, d)
				}
			}
			down, right := max(0, -c.Offset), max(0, c.Offset)
			shape := make([]int, 0, len(l.shape))
			for _, d := range rest {
				shape = append(shape, l.shape[d])
			}
			shape = append(shape, max(0, min(l.shape[a]-down, l.shape[b]-right)))
			out := l.filled(shape, func(i []int) []int {
				from := make([]int, len(l.shape))
				for k, d := range rest {
					from[d] = i[k]
				}
				k := i[len(i)-1]
				from[a], from[b] = k+down, k+right
				return from
			})
			return &out
		}}
}

func repeatStep(p *script, shape []int) step {
	counts := make([]int, len(shape))
	for d := range counts {
		counts[d] = p.next(3)
	}
	return step{fmt.Sprintf("Repeat(%v)", counts),
		func(x *T) *T { return x.Repeat(counts...) },
		func(l layout) *layout {
			shape := slices.Clone(l.shape)
			for d := range shape {
				shape[d] *= counts[d]
			}
			out := l.filled(shape, func(i []int) []int {
				for d := range i {
					i[d] %= l.shape[d]
				}
				return i
			})
			return &out
		}}
}

// FuzzStrides takes a tensor through a random chain of views, and compares elements and gradients
// with plain index arithmetic.
func FuzzStrides(f *testing.F) {
	f.Add([]byte{2, 3, 4, 1, 0, 1, 4, 2, 3, 1, 5, 2, 2, 1})
	f.Add([]byte{3, 2, 1, 3, 3, 1, 2, 0, 2, 1, 3, 2, 5, 1, 2, 3, 8, 3, 1, 2, 6, 2, 1})
	f.Add([]byte{1, 0, 4, 3, 2, 9, 2, 7, 1, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		p := script(data)
		shape := make([]int, p.next(5))
		for d := range shape {
			shape[d] = p.next(5)
		}
		n := count(shape)
		l := layout{shape: shape}
		for i := range n {
			l.at = append(l.at, i)
		}
		base := tensor.Arange(float64(n)).To(tensor.Float64).SetRequiresGrad(true)
		x, chain := base.Reshape(shape...), fmt.Sprint(shape)
		for range 8 {
			if len(p) == 0 {
				break
			}
			s := steps[p.next(len(steps))](&p, l.shape)
			chain += "." + s.name
			want := s.want(l)
			var y *T
			mistake := reference.Mistake(func() { y = s.op(x) })
			if mistake == "no panic" {
				mistake = ""
			}
			if refused := mistake != ""; refused != (want == nil) {
				t.Fatalf("%s: %q, and the model refuses it: %v", chain, mistake, want == nil)
			}
			if want == nil || len(want.at) > mostElements {
				continue
			}
			x, l = y, *want
			compareLayout(t, chain, x, l)
		}
		x.Sum().Backward()
		times := make([]float64, n)
		for _, i := range l.at {
			times[i]++
		}
		equal(t, chain+": gradient", base.Grad().Float64s(), times)
	})
}

func compareLayout(t *testing.T, chain string, x *T, l layout) {
	t.Helper()
	if !slices.Equal(x.Shape(), l.shape) {
		t.Fatalf("%s: shape %v, want %v", chain, x.Shape(), l.shape)
	}
	want, sum := make([]int64, len(l.at)), 0.0
	for i, v := range l.at {
		want[i] = int64(v)
		sum += float64(v)
	}
	if got := x.Int64s(); !slices.Equal(got, want) {
		t.Fatalf("%s: %v, want %v", chain, got, want)
	}
	if got := x.Detach().Sum().Item(); got != sum {
		t.Fatalf("%s: sum %v, want %v", chain, got, sum)
	}
}
