package std

import (
	"embed"
	"io/fs"
	"path"
	"slices"
)

//go:embed cmp crypto database errors hash iter maps math reflect runtime slices sync unique weak
var tree embed.FS

// Source returns the Go files of the package with an import path, by name. It reports false if
// std has no such package.
func Source(importPath string) (files map[string]string, ok bool) {
	entries, err := tree.ReadDir(importPath)
	if err != nil {
		return nil, false
	}
	files = map[string]string{}
	for _, e := range entries {
		if !e.IsDir() {
			src, err := tree.ReadFile(path.Join(importPath, e.Name()))
			if err != nil {
				return nil, false
			}
			files[e.Name()] = string(src)
		}
	}
	if len(files) == 0 {
		return nil, false
	}
	return files, true
}

// Paths returns the import paths that Source knows, in order.
func Paths() []string {
	var paths []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path.Dir(name))
		}
		return err
	})
	if err != nil {
		panic(err) // an embedded tree can be read
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
