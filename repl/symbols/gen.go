//go:build ignore

// This program writes the generated files of package symbols. With -own it writes only those of
// this module's packages, which is quick.
package main

import (
	"flag"
	"log"
	"maps"
	"os"
	"path/filepath"

	"halfnote/repl/symbols/internal/gen"
)

func main() {
	log.SetFlags(0)
	onlyOwn := flag.Bool("own", false, "write only what belongs to this module's packages")
	flag.Parse()
	files, _, err := gen.Own(".")
	if err != nil {
		log.Fatal(err)
	}
	if !*onlyOwn {
		others, err := gen.Others(".")
		if err != nil {
			log.Fatal(err)
		}
		maps.Copy(files, others)
	}
	paths, err := gen.Paths(".")
	if err != nil {
		log.Fatal(err)
	}
	files[filepath.Join("internal", "tables", "all.go")] = gen.Index(paths)
	for _, name := range files.Names() {
		if err := os.WriteFile(name, files[name], 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
