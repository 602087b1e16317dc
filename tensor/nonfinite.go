package tensor

import "fmt"

// This file implements the search for the op that made the first infinity or NaN.

// DetectNonFinite calls f and looks, on this goroutine, at the results of all floating point ops
// in it and at the gradients that Backward and Grad compute in it. The first result or gradient
// that holds an infinity or a NaN, while all that it was computed of was finite, panics with an
// *Error, which names the op, whether it happened forward or backward, how many elements there
// are, and the tensors by their names. Each op waits for the device, so this is for finding a
// fault. It is PyTorch's detect_anomaly, which looks at gradients and for NaN only.
//
// What a program sets itself, as the -inf of a mask, is not meant: masked_fill, fill and pad pass.
// In-place ops are named by the op that is not in place.
func DetectNonFinite(f func()) {
	checkFunction("detect_non_finite", f != nil)
	l, saved := enter()
	defer l.restore(&saved)
	l.detect = true
	f()
}

// detecting reports whether the goroutine is inside of DetectNonFinite.
func detecting() bool {
	l := current()
	return l != nil && l.detect
}

// setsValues are the ops whose results hold numbers that the caller has chosen.
var setsValues = map[string]bool{
	"masked_fill": true, "index_fill": true, "fill": true, "pad": true, "constant_pad_nd": true,
}

// watch panics where out is not finite and inputs, of which some may be nil, are.
func watch(op string, out *Tensor, inputs []*Tensor) {
	if !out.DType().IsFloat() || setsValues[op] || out.AllFinite() {
		return
	}
	for _, x := range inputs {
		if x != nil && x.DType().IsFloat() && !x.AllFinite() {
			return
		}
	}
	fail(op, "forward: the %s, computed of %s, which %s finite", nonFinite("result", out),
		tensorList(inputs), isOrAre(len(inputs)))
}

// nonFinite describes how t is not finite.
func nonFinite(what string, t *Tensor) string {
	s := t.stats()
	return fmt.Sprintf("%s of shape %v (%s) has %d inf and %d NaN", what, t.arr.Shape, t.DType(),
		s.Infs, s.NaNs)
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// tensorList names tensors: those that have a name by it.
func tensorList(ts []*Tensor) string {
	text := ""
	for _, t := range ts {
		switch {
		case t == nil:
			continue
		case text != "":
			text += ", "
		}
		text += t.called()
	}
	return text
}

// called returns t's name, or what else is known of it.
func (t *Tensor) called() string {
	if name := t.Name(); name != "" {
		return name
	}
	n := t.gradNode()
	if n == nil {
		return fmt.Sprintf("a tensor of shape %v", t.arr.Shape)
	}
	return n.called()
}

// called says which tensor n belongs to.
func (n *node) called() string {
	switch {
	case n.leaf != nil && n.leaf.Name() != "":
		return n.leaf.Name()
	case n.leaf != nil:
		return fmt.Sprintf("a leaf of shape %v", n.shape)
	}
	return fmt.Sprintf("a result of %s of shape %v", n.op, n.shape)
}

// check panics where part, the gradient of n's input i, is not finite and what it was computed of
// was. The dtype that it is about to have counts.
func (b *backward) check(n *node, i int, part *Tensor, finite bool) {
	if !finite {
		return
	}
	in := n.inputs[i]
	if part.DType() != in.dtype {
		part = part.To(in.dtype)
	}
	if !part.AllFinite() {
		fail(n.op, "backward: the %s, computed of gradients that are finite: it is that of %s",
			nonFinite("gradient", part), in.called())
	}
}

// checkSum panics where the sum of gradients that come to n is not finite and its parts were.
func (b *backward) checkSum(n *node, sum *Tensor, finite bool) {
	if finite && !sum.AllFinite() {
		fail("backward", "the %s, added up of gradients that are finite: it is that of %s",
			nonFinite("gradient", sum), n.called())
	}
}
