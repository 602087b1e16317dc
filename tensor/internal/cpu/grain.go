package cpu

// Elementwise work is shared out from these sizes on: below, calling the workers costs more
// than it saves, above all where they sleep already. Ops that call the math package are about ten times dearer per element.
const (
	grainCheap = 1 << 15
	grainCurve = 1 << 14
	grainMath  = 1 << 12
)

// pieceSize returns the size of the pieces that total elements are shared out in, at least grain:
// few pieces and long ones, since package simd stores long rows past the caches.
func pieceSize(total, grain int) int { return max(grain, total/16&^63) }
