//go:build ignore

// This program writes what the source of this module's packages says about what they export.
package main

import (
	"log"
	"os"
	"path/filepath"
	"strings"

	"halfnote/repl/docs"
	"halfnote/repl/symbols"
)

func main() {
	log.SetFlags(0)
	packages := docs.Packages{}
	for _, path := range symbols.Paths() {
		if dir, ok := strings.CutPrefix(path, "halfnote/"); ok {
			entries, err := docs.Read(filepath.Join("..", "..", dir))
			if err != nil {
				log.Fatal(err)
			}
			packages[path] = entries
		}
	}
	data, err := packages.Encode()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("own.json.gz", data, 0o644); err != nil {
		log.Fatal(err)
	}
}
