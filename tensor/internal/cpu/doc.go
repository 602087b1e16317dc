// Package cpu computes the primitive ops of package device in plain Go on all cores.
//
// An op walks its arrays in rows of elements that lie at equal distances (loop.go). Rows that are
// dense and already of the type computed in are used in place; the others, and all 16-bit floats,
// go through small buffers of that type (elem.go). So every op is one plain loop over slices.
// Large arrays are cut into pieces that the worker pool shares out (parallel.go); the pieces do not
// depend on the number of workers, so results repeat bit for bit.
//
// What is declared in a file of package device is computed in files of like names here, and tested
// through package tensor.
package cpu
