package tensor

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// How tensors are printed, as PyTorch does: from this many elements on only the edges are shown.
const (
	summaryFrom = 1000
	edgeItems   = 3
	precision   = 4 // digits behind the point
)

// String returns the values, shortened in the middle where there are many, the shape and the
// dtype. It waits for the device.
func (t *Tensor) String() string { return t.print(precision) }

// Format prints the tensor for the verbs v, s, f, e and g; a precision sets the digits behind the
// point.
func (t *Tensor) Format(s fmt.State, verb rune) {
	digits, ok := s.Precision()
	if !ok {
		digits = precision
	}
	switch {
	case t == nil:
		fmt.Fprint(s, "<nil>")
		return
	case t.store == nil:
		fmt.Fprint(s, "tensor.Tensor{}")
		return
	case t.store.gone():
		fmt.Fprint(s, t.freedText())
		return
	}
	if !strings.ContainsRune("vsfeg", verb) {
		fmt.Fprintf(s, "%%!%c(*tensor.Tensor)", verb)
		return
	}
	printed(func() { fmt.Fprint(s, t.print(digits)) })
}

// deviceText names a device that is not the CPU.
func (t *Tensor) deviceText() string {
	if t.Device() == CPU {
		return ""
	}
	return ", device=" + t.Device().String()
}

func (t *Tensor) print(digits int) string {
	var b strings.Builder
	b.WriteString("tensor(")
	cut := t.Numel() > summaryFrom
	n := newNumbers(t, cut, digits)
	t.printPart(&b, n, cut, len("tensor("))
	fmt.Fprintf(&b, ", shape=%v, dtype=%s%s", t.arr.Shape, t.DType(), t.deviceText())
	switch {
	case t.gradNode() == nil:
	case t.gradNode().leaf != nil:
		b.WriteString(", requires_grad")
	default:
		b.WriteString(", grad of " + t.gradNode().op)
	}
	b.WriteString(")")
	return b.String()
}

// printPart prints one dimension in brackets, its parts below each other.
func (t *Tensor) printPart(b *strings.Builder, n *numbers, cut bool, indent int) {
	if t.Dim() == 0 {
		b.WriteString(n.format(t))
		return
	}
	b.WriteByte('[')
	separator := ", "
	if t.Dim() > 1 {
		separator = "," + strings.Repeat("\n", t.Dim()-1) + strings.Repeat(" ", indent+1)
	}
	for k, i := range shown(t.arr.Shape[0], edgeItems, cut) {
		if k > 0 {
			b.WriteString(separator)
		}
		if i < 0 {
			b.WriteString("...")
			continue
		}
		t.Detach().Index(i).printPart(b, n, cut, indent+1)
	}
	b.WriteByte(']')
}

// shown returns the positions to print of a dimension of size n: all, or where cut is set edge of
// them at each end, with -1 for those left out.
func shown(n, edge int, cut bool) []int {
	var at []int
	for i := 0; i < n; i++ {
		if cut && n > 2*edge && i == edge {
			at = append(at, -1)
			i = n - edge
		}
		at = append(at, i)
	}
	return at
}

// edges returns the values that are printed.
func (t *Tensor) edges(cut bool) []float64 {
	if !cut || t.Dim() == 0 {
		return t.Float64s()
	}
	var values []float64
	for _, i := range shown(t.arr.Shape[0], edgeItems, cut) {
		if i >= 0 {
			values = append(values, t.Detach().Index(i).edges(cut)...)
		}
	}
	return values
}

// numbers formats the values of one tensor alike.
type numbers struct {
	dtype      DType
	whole      bool // all values are integers
	scientific bool
	digits     int
	width      int
}

func newNumbers(t *Tensor, cut bool, digits int) *numbers {
	n := &numbers{dtype: t.DType(), whole: true, digits: digits}
	values := t.edges(cut)
	low, high := math.Inf(1), 0.0
	for _, v := range values {
		a := math.Abs(v)
		if a-a != 0 {
			continue
		}
		n.whole = n.whole && v == math.Trunc(v)
		if a > 0 {
			low, high = min(low, a), max(high, a)
		}
	}
	switch {
	case high == 0:
	case n.whole:
		n.scientific = high >= 1e8
	default:
		n.scientific = high/low > 1000 || high > 1e8 || low < 1e-4
	}
	if t.Dim() > 0 {
		for _, v := range values {
			n.width = max(n.width, len(n.text(v)))
		}
	}
	return n
}

// format returns the value of a tensor of one element.
func (n *numbers) format(t *Tensor) string {
	s := n.text(t.Item())
	if n.dtype == Int64 {
		s = strconv.FormatInt(t.Int64s()[0], 10) // all its digits
	}
	return strings.Repeat(" ", max(0, n.width-len(s))) + s
}

func (n *numbers) text(v float64) string {
	switch {
	case n.dtype == Bool:
		return strconv.FormatBool(v != 0)
	case n.dtype == Int64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case v != v:
		return "nan"
	case v-v != 0:
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
	case n.scientific:
		return strconv.FormatFloat(v, 'e', n.digits, 64)
	case n.whole:
		return strconv.FormatFloat(v, 'f', 0, 64) + "."
	}
	return strconv.FormatFloat(v, 'f', n.digits, 64)
}
