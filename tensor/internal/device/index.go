package device

// Indexings read and write elements at positions that another array holds. Index arrays hold
// int64 positions that lie in range, or on a GPU are negative for mistakes that nobody has looked at
// yet: for these 0 is gathered, and nothing scattered. A stride of zero in them makes one vector of
// positions serve whole rows.
type Indexings interface {
	// Gather computes out[i, j] = x[index[i, j], j] for axis 0, and so on for the others.
	Gather(out, x, index *Array, axis int)
	// Scatter computes out[index[i, j], j] = op(out[index[i, j], j], src[i, j]) for axis 0, and so
	// on for the others, in the order in which the elements lie along axis. src and index have one
	// shape.
	Scatter(op ScatterOp, out, index, src *Array, axis int)
	// Check writes the positions in x to out: 0 … n−1 as they are, those that skip has, of at most
	// MaxSkip, as −1, those in −n … −1, where back is set, counted from the end, and others, which are
	// mistakes, as −1. The CPU leaves out what is nil. found, FoundLen int64s that are 0, becomes the
	// number of mistakes, the place of the first, and what stands there. total, which may be nil, is
	// one float64: the sum of the weight of those in range, or their number where weight is nil. x and
	// out are int64 in row-major order, and weight has one dimension.
	Check(out, found, total, x, weight *Array, skip []int64, n int, back bool)
}

// FoundLen is how many numbers Check finds; the last is the device's own.
const FoundLen = 4

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
