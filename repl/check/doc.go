// Package check parses a cell and type-checks it with go/types against everything that earlier
// cells defined:
//
//	c := check.New(fset, symbols.NewImporter(), symbols.ByName)
//	cell, diagnostics := c.Cell("cell 1", "x := 6\nfmt.Println(x)\nx * 7")
//	// lower and run cell.Chunks, show cell.Result
//	c.Commit(cell) // now x is known to later cells
//
// A cell mixes declarations and statements. Statements run in source order; variables that they
// declare at the outermost level, by var or :=, live on. Constants, types and functions are
// declarations: they may stand anywhere in the cell, since one that is needed earlier moves
// forward to where it is needed. A var statement that needs later ones is initialised with them,
// in the order of their dependencies, as in a package.
//
// So a cell becomes a list of chunks, each either declarations or a run of statements, and each is
// checked as a package of its own in whose scope the names defined so far are inserted. Objects
// keep their identity: code of an earlier cell stays written against the variable or function that
// a name meant, and lowering lets a new one of the same type take its place.
//
// Packages that a cell names without importing them are imported automatically, and its last
// statement may be a plain expression, whose value is shown.
//
// Within a run of statements Go's own rules hold, := included. A method for a type of an earlier
// cell defines that type anew, with the methods it had. Functions and types of earlier cells that
// mention a type follow it when it is defined anew, if they fit; values made before keep the earlier
// type. An init function runs when the variables declared around it have their values. A cell that
// defines function main and has no statements of its own, such as a program that was pasted, runs
// it. A lone _ that is read is the last result.
//
// A [Sketcher] checks cells that are still being written, for completion and help: it mends what
// does not parse, and changes nothing.
package check
