// Package gen writes what package symbols knows of the world: for each package that cells can
// import, a Go file in internal/tables that names its functions, variables and types, and its
// type information in an archive.
//
// [Own] does it for this module's packages, [Others] for all others, [Index] lists the tables; they
// are called by go generate ./repl/symbols. Everything is read from source with go list and
// go/types, so that the result depends on nothing but the sources and the Go release.
package gen
