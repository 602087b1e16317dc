// Package memory knows how much memory the machine has.
//
//	size, err := memory.Size() // in bytes
//
// What asks for more is refused before Go does, which would end the process.
package memory
