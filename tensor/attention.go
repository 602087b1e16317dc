package tensor

import (
	"math"
	"slices"

	"halfnote/tensor/internal/device"
)

// An AttentionConfig changes how ScaledDotProductAttention works.
type AttentionConfig struct {
	Mask    *Tensor // Bool, true where attention is allowed, or floats that are added to the scores
	Causal  bool    // query i attends to the keys 0 … i only
	Dropout float64 // the share of the weights that are set to zero; the others grow by as much
	Scale   float64 // of the scores; 0 means 1/√D
}

// ScaledDotProductAttention returns softmax(q·kᵀ·scale + mask)·v for queries q of shape […, T, D],
// keys k of shape […, S, D] and values v of shape […, S, E]. Leading dimensions are broadcast; k
// and v may have fewer heads (the dimension before the last two) than q, if their number divides
// q's: neighbouring queries then share one (PyTorch's enable_gqa). The mask broadcasts to
// […, T, S]; unlike PyTorch, it goes together with Causal.
//
// Scores and weights of 16-bit floats are kept in float32. They are computed in blocks of rows, and
// anew for the gradient, so that long sequences need no memory of T·S elements, unless there is
// dropout, a mask with a gradient, or CreateGraph. A query that may attend to nothing gives zeros.
// Dropout draws from the default generator.
func ScaledDotProductAttention(q, k, v *Tensor, config ...AttentionConfig) *Tensor {
	const op = "scaled_dot_product_attention"
	c := one(op, config)
	before := [...]*Tensor{q, k, v, c.Mask}
	args := castAll(op, 3, before[:])
	q, k, v, c.Mask = args[0], args[1], args[2], args[3]
	c.check(op, q, k, v)
	out := composed(func() *Tensor {
		heads := groups(op, q, k, v)
		if heads == 0 {
			return attend(q, k, v, c)
		}
		shape := q.Shape()
		at := len(shape) - 3
		q, k, v = q.grouped(heads), k.Unsqueeze(-3), v.Unsqueeze(-3)
		if m := c.Mask; m != nil && m.Dim() > 2 {
			if m.Size(-3) == 1 {
				c.Mask = m.Unsqueeze(-3)
			} else {
				c.Mask = m.grouped(heads)
			}
		}
		out := attend(q, k, v, c)
		shape = slices.Concat(out.arr.Shape[:at], shape[at:at+2], out.arr.Shape[at+3:])
		return out.Reshape(shape...)
	})
	dropCasts(before[:], args)
	return out
}

func (c *AttentionConfig) check(op string, q, k, v *Tensor) {
	for _, t := range []*Tensor{q, k, v} {
		if t.Dim() < 2 {
			fail(op, "shapes %v, %v and %v; each is […, length, size]", q.arr.Shape, k.arr.Shape,
				v.arr.Shape)
		}
		sameDType(op, q, t)
	}
	if !q.DType().IsFloat() {
		fail(op, "queries of %s; floating point is needed", q.DType())
	}
	if x, y := q.Size(-1), k.Size(-1); x != y {
		fail(op, "queries of shape %v and keys of shape %v: sizes %d and %d differ", q.arr.Shape,
			k.arr.Shape, x, y)
	}
	if x, y := k.Size(-2), v.Size(-2); x != y {
		fail(op, "keys of shape %v and values of shape %v: %d and %d of them", k.arr.Shape,
			v.arr.Shape, x, y)
	}
	if m := c.Mask; m != nil {
		sameDevice(op, q, m)
		if m.DType() == Int64 {
			fail(op, "mask of %s; it is bool, or floating point to be added", m.DType())
		}
	}
	if !(c.Dropout >= 0 && c.Dropout <= 1) {
		fail(op, "dropout of %v; it is a share from 0 to 1", c.Dropout)
	}
	if c.Scale == 0 {
		c.Scale = 1 / math.Sqrt(float64(max(1, q.Size(-1))))
	}
}

// groups returns the number of heads of k and v where several heads of q share one, else 0.
func groups(op string, q, k, v *Tensor) int {
	if q.Dim() < 3 || k.Dim() < 3 || v.Dim() < 3 {
		return 0
	}
	n, heads, other := q.Size(-3), k.Size(-3), v.Size(-3)
	if n == heads || n == 1 || heads <= 1 || heads != other {
		return 0
	}
	if n%heads != 0 {
		fail(op, "%d heads of queries cannot share %d of keys: shapes %v and %v", n, heads,
			q.arr.Shape, k.arr.Shape)
	}
	return heads
}

// grouped cuts the dimension before the last two in groups, heads in number.
func (t *Tensor) grouped(heads int) *Tensor {
	at := t.Dim() - 3
	n := t.arr.Shape[at]
	if n%heads != 0 {
		fail("scaled_dot_product_attention", "mask of shape %v for groups of %d heads",
			t.arr.Shape, heads)
	}
	shape := slices.Concat(t.arr.Shape[:at], []int{heads, n / heads}, t.arr.Shape[at+1:])
	return t.Reshape(shape...)
}

// attention is one entry of the tape.
type attention struct {
	AttentionConfig         // its mask is the tape's
	keep            *Tensor // dropout's bools, or nil
}

func attend(q, k, v *Tensor, c AttentionConfig) *Tensor {
	const op = "scaled_dot_product_attention"
	lead := broadcastBut(op, 2, nil, q.arr.Shape, k.arr.Shape)
	lead = broadcastBut(op, 2, nil, append(lead, 1, 1), v.arr.Shape)
	scores := slices.Concat(lead, []int{q.Size(-2), k.Size(-2)})
	if m := c.Mask; m != nil && !equalInts(broadcast(op, nil, m.arr.Shape, scores), scores) {
		fail(op, "mask of shape %v does not broadcast to %v, the shape of the scores",
			m.arr.Shape, scores)
	}
	a := &attention{AttentionConfig: c}
	a.Mask = nil
	if c.Dropout > 0 {
		a.keep = keepMask(op, q.Device(), c.Dropout, scores, generator)
	}
	out := empty(op, q.Device(), q.DType(), slices.Concat(lead, []int{q.Size(-2), v.Size(-1)}))
	lse := empty(op, q.Device(), wide(q.DType()), out.arr.Shape[:len(out.arr.Shape)-1])
	q.backend(op).Attend(&out.arr, &lse.arr, &q.arr, &k.arr, &v.arr, a.device(c.Mask))
	mask := c.Mask
	if mask != nil && !mask.DType().IsFloat() {
		mask = nil
	}
	if n := recordJoint(op, []*Tensor{out}, a.rule, q, k, v, mask); n != nil {
		n.keep(q, k, v, lse, c.Mask)
		n.joint.fresh = true
	}
	lse.drop()
	return out
}

// device describes the attention to the device. mask may be nil.
func (a *attention) device(mask *Tensor) *device.Attention {
	out := &device.Attention{Scale: a.Scale, Causal: a.Causal, Mask: mask.array()}
	if a.keep != nil {
		out.Keep, out.Kept = &a.keep.arr, a.factor()
	}
	return out
}

// factor is what dropout multiplies the weights that stay by.
func (a *attention) factor() float64 {
	if a.Dropout == 1 {
		return 0
	}
	return 1 / (1 - a.Dropout)
}

// rule computes all gradients together, since they share most of the work.
func (a *attention) rule(n *node, gs []*Tensor) []*Tensor {
	var grads [4]*Tensor
	if GradEnabled() {
		grads = a.recorded(n, gs[0])
	} else {
		grads = a.computed(n, gs[0])
	}
	return grads[:]
}

// computed computes the gradients that are needed on the device, block by block.
func (a *attention) computed(n *node, g *Tensor) (grads [4]*Tensor) {
	const op = "scaled_dot_product_attention_backward"
	q, k, v, lse := n.get(0), n.get(1), n.get(2), n.get(3)
	mask := n.getOrNil(4)
	lead := g.arr.Shape[:g.Dim()-2]
	shapes := [4][]int{q.arr.Shape[q.Dim()-2:], k.arr.Shape[k.Dim()-2:], v.arr.Shape[v.Dim()-2:],
		{q.Size(-2), k.Size(-2)}}
	var arrays [4]*device.Array
	for i, s := range shapes {
		if n.inputs[i] == nil {
			continue
		}
		shape, dtype := slices.Concat(lead, s), n.inputs[i].dtype
		if !equalInts(shape, n.inputs[i].shape) {
			dtype = wide(dtype) // the engine still has to sum
		}
		grads[i] = zeros(op, g.Device(), dtype, shape)
		arrays[i] = &grads[i].arr
	}
	g.backend(op).AttendGrad(arrays[0], arrays[1], arrays[2], arrays[3], &g.arr, &lse.arr, &q.arr,
		&k.arr, &v.arr, a.device(mask))
	return grads
}

// recorded computes the gradients with ops that are recorded themselves.
func (a *attention) recorded(n *node, g *Tensor) (grads [4]*Tensor) {
	w := wide(g.DType())
	q, k, v, g := n.get(0).To(w), n.get(1).To(w), n.get(2).To(w), g.To(w)
	weights := a.weights(q, k, n.getOrNil(4))
	slopes := a.dropped(matmul(g, v.T()))
	mean := weights.Mul(slopes).Sum(-1).Unsqueeze(-1)
	slopes = weights.Mul(slopes.Sub(mean))
	scaled := slopes.Mul(a.Scale)
	all := [4]func() *Tensor{
		func() *Tensor { return matmul(scaled, k) },
		func() *Tensor { return matmul(scaled.T(), q) },
		func() *Tensor { return matmul(a.dropped(weights).T(), g) },
		func() *Tensor { return slopes },
	}
	for i, in := range n.inputs {
		if in != nil {
			grads[i] = all[i]()
		}
	}
	return grads
}

// weights returns all weights, before dropout. The mask may be nil.
func (a *attention) weights(q, k, mask *Tensor) *Tensor {
	scores := matmul(q, k.T()).Mul(a.Scale)
	closed := math.Inf(-1)
	switch {
	case mask == nil:
	case mask.DType() == Bool:
		scores = scores.MaskedFill(mask.Not(), closed)
	default:
		scores = scores.Add(mask.To(q.DType()))
	}
	if a.Causal {
		below := OnesLike(scores.Detach()).Tril().Eq(0)
		scores = scores.MaskedFill(below, closed)
	}
	if scores.Numel() == 0 {
		return scores
	}
	shut := scores.Detach().Max(-1).Eq(closed).Unsqueeze(-1) // nothing may be attended to
	return scores.MaskedFill(shut, 0).Softmax(-1).MaskedFill(shut, 0)
}

// dropped applies dropout to weights or their gradients.
func (a *attention) dropped(t *Tensor) *Tensor {
	if a.keep == nil {
		return t
	}
	return t.MaskedFill(a.keep.Not(), 0).Mul(a.factor())
}
