// Package memory knows how much memory the machine has, and how much the process may have.
//
//	size, err := memory.Size() // in bytes
//
// What asks for more is refused before Go does, which would end the process. [EachCollection] tells
// when garbage was collected.
package memory
