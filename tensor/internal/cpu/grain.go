package cpu

// Elementwise work is shared out from these sizes on: below, waking a worker (about 5 µs) costs
// more than it saves. Ops that call the math package are about ten times dearer per element.
const (
	grainCheap = 1 << 15
	grainMath  = 1 << 12
)
