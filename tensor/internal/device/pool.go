package device

// A Span is what one place of a pooled dimension looks at: the elements From, From+Step, … below
// To, of which there is at least one. Count is the dimension's part of an average's divisor.
type Span struct{ From, To, Step, Count int }

// Poolings are maxima and averages over windows of planes: x is [N, H, W], and y is
// [N, len(rows), len(cols)], where the window of y[n, i, j] is rows[i] × cols[j]. One description
// so serves windows of one size and those of adaptive pooling.
type Poolings interface {
	// MaxPool computes the largest element of each window, and its position i·W + j in the plane as
	// Int64. NaN is larger than any number; of equal elements the first counts.
	MaxPool(y, index, x *Array, rows, cols []Span)
	// MaxPoolGrad computes x, zeros to which y is added at the positions in index, which lie in the
	// windows.
	MaxPoolGrad(x, y, index *Array, rows, cols []Span)
	// AvgPool computes the sum of each window divided by the product of the two counts.
	AvgPool(y, x *Array, rows, cols []Span)
	// AvgPoolGrad computes x, zeros to which each y, divided by its counts, is added in its window.
	AvgPoolGrad(x, y *Array, rows, cols []Span)
}
