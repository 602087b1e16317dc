// Package docs finds what the source of a package says about the names that it exports:
//
//	var lib docs.Library
//	entry, ok := lib.Find("strings", "Builder.WriteString") // entry.Doc is its comment
//	doc, ok := lib.Package("halfnote/amp")                  // the comment of the package
//
// The comments and declarations of this module's packages are part of the program. Those of the
// standard library are read from an installed Go, those of other modules from Go's module cache,
// when they are asked for; where neither is there, nothing is found. No Go code is compiled or run
// for it.
//
// After a change of a comment, or of what is exported, in one of this module's packages run
//
//	go generate ./repl/docs
package docs

//go:generate go run gen.go
