package cpu

// Work is shared out in pieces of so many elements at least. Handing a loop out takes about 1.5 µs
// (package pool's BenchmarkRun), more where the workers sleep, so that a piece should take twice that.
// On one core of a Zen 4, whose arrays lay in the second-level cache, the least pieces took:
// grainCheap 2.3 µs for ReLU and 3.5 µs for Add; grainCurve 3 µs for Exp, 6.6 µs for Tanh, 7.5 µs for
// Softmax and 4.8 µs for Normalize; ops that call package math take 10 ns and more for an element,
// 40 µs for grainMath. From where on two cores are faster was not measured: no machine had two to
// spare.
const (
	grainCheap = 1 << 15
	grainCurve = 1 << 14
	grainMath  = 1 << 12
)

// pieceSize returns the size of the pieces that total elements are shared out in, at least grain:
// few pieces and long ones, since package simd stores long rows past the caches.
func pieceSize(total, grain int) int { return max(grain, total/16&^63) }
