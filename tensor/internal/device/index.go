package device

// Indexings read and write elements at positions that another array holds. Index arrays hold
// int64 positions that lie in range; a stride of zero in them makes one vector of positions serve
// whole rows.
type Indexings interface {
	// Gather computes out[i, j] = x[index[i, j], j] for axis 0, and so on for the others.
	Gather(out, x, index *Array, axis int)
	// Scatter computes out[index[i, j], j] = op(out[index[i, j], j], src[i, j]) for axis 0, and so
	// on for the others, in the order in which the elements lie along axis. src and index have one
	// shape.
	Scatter(op ScatterOp, out, index, src *Array, axis int)
	// Check writes the positions in x to out: those that skip, of at most MaxSkip, has as −1, and
	// mistakes, which are those outside of 0 … n−1, as 0. sums, two float64, become the sum of
	// weight[x] over the others, or their number where weight is nil, and the number of mistakes. x and
	// out are int64 in row-major order, and weight has one dimension.
	Check(out, sums, x, weight *Array, skip []int64, n int)
}

// MaxSkip is how many positions Check can skip.
const MaxSkip = 8

// ScatterOp names what Scatter does with an element and what is there already.
type ScatterOp uint8

// The ways to scatter. NaN wins in ScatterMax and ScatterMin.
const (
	ScatterPut ScatterOp = iota // the last one stays
	ScatterAdd
	ScatterMul
	ScatterMax
	ScatterMin
)
