package device

// RandomNumbers are drawn so that they can be repeated. Every element of a result depends on
// the draw's seed and counter and on the element's place alone, so that all devices, and any
// number of threads, give the same numbers.
//
// The numbers are the words of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", 2011, https://doi.org/10.1145/2063384.2063405). The seed is the
// key, low half first. The counter's first two words are Draw.Counter plus the block's number, low
// half first, its third one is the attempt of Integers, and its last one is 0. A block is four
// words of 32 bits: element i has word i mod 4 of block i/4, or where it needs 64 bits the words
// 2·(i mod 2), which is its low half, and the next one of block i/2. Elements are counted in
// row-major order, whatever the strides.
type RandomNumbers interface {
	// Random fills out with the numbers of d.
	Random(out *Array, d Draw)
	// Dropout computes out = x·scale where the element of d, which is of kind Bernoulli, is 1, and
	// x·0 elsewhere.
	Dropout(out, x *Array, d Draw, scale float64)
}

// A Draw describes random numbers.
type Draw struct {
	Kind          DrawKind
	Seed, Counter uint64
	From          *Array  // two Int64s of a GPU that a draw in a graph reads: its seed, and what is added to Counter
	A, B          float64 // parameters of the distribution
	Low           int64   // of Integers
	N             uint64  // of Integers; 0 means 2⁶⁴
}

// DrawKind names a distribution.
type DrawKind uint8

// The distributions.
const (
	// Uniform is A + u·(B − A), where u is a word's upper 24 bits as a fraction, for a Float64
	// result the upper 53 bits of 64. After rounding to the dtype it is still at least A and less
	// than B, where the dtype has such a number.
	Uniform DrawKind = iota
	// Normal has mean A and deviation B, by the method of Box and Muller in float64: a pair of
	// elements is A + B·√(−2 ln v)·cos 2πu and the same with sin, where v in (0, 1] comes from the
	// word (or for a Float64 result the upper 53 bits) of the first plus 1, and u from the second.
	Normal
	// Bernoulli is 1 where the word is less than A·2³², and 0 elsewhere.
	Bernoulli
	// Integers is Low plus an integer below N: the upper half of N times 64 bits. A product whose
	// lower half is less than 2⁶⁴ mod N is drawn again, with the next attempt in the counter, which
	// makes all integers equally likely (Lemire, https://arxiv.org/abs/1805.10941).
	Integers
)

// Blocks returns how many blocks n elements of a draw take when they are stored as dtype.
func (k DrawKind) Blocks(dtype DType, n int) uint64 {
	per := uint64(4)
	if k == Integers || dtype == Float64 && k != Bernoulli {
		per = 2
	}
	return (uint64(n) + per - 1) / per
}
