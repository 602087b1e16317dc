package device

// Reductions fold dimensions, or go along one of them in order. Sums, products and powers are kept
// in float64, or int64 for integers.
type Reductions interface {
	// Reduce folds the dimensions of x in which out has size 1; both have the same rank. p is the
	// parameter of the folds that have one.
	Reduce(op ReduceOp, out, x *Array, p float64)
	// Scan goes along axis and carries a number s, which begins as c.Start. At each element it
	// computes out = a·s + b, and s becomes out; or, where c.Lag is set, out = s + b, and s becomes
	// a·out. A nil a stands for ones, a nil b for zeros. a and b have out's shape.
	Scan(out, a, b *Array, axis int, c ScanConfig)
	// Argsort writes the positions of x's elements along axis in their order, as int64. Equal
	// elements keep their order, and NaN is the largest. out has x's shape.
	Argsort(out, x *Array, axis int, descending bool)
}

// ReduceOp names a fold over dimensions.
type ReduceOp uint8

// The folds. NaN wins in Max and Min; the first of equal elements wins in ArgMax and ArgMin. The
// last three are of floats only.
const (
	Sum ReduceOp = iota
	Mean
	Prod
	Any // whether one element is not zero
	All // whether no element is zero
	Max
	Min
	ArgMax
	ArgMin
	Var       // Σ(x − mean)² ÷ max(0, n − p)
	PNorm     // (Σ|x|ᵖ)^(1/p); p may be 0 or infinite
	LogSumExp // log Σeˣ
)

// ScanConfig changes how a scan goes.
type ScanConfig struct {
	Start   float64
	Reverse bool // from the end to the beginning
	Lag     bool
}
