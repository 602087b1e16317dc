//go:build race

package heap

// reuse says that blocks are not used again: the race detector does not know that the collector
// stands between the last use of a block and its next.
const reuse = false
