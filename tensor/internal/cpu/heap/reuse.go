//go:build !race

package heap

// reuse says that blocks are used again.
const reuse = true
