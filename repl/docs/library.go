package docs

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A Library finds the comments of all packages. Its zero value is ready. It remembers what it has
// read, and is safe for concurrent use.
type Library struct {
	// GOROOT and ModCache are the folders of an installed Go and of its module cache; where they
	// are empty they are looked for when a package of theirs is asked for.
	GOROOT, ModCache string

	mu    sync.Mutex
	roots sync.Once
	read  map[string]*source // by import path
}

// A source is a package whose folder was found.
type source struct {
	files   []string // "" where one was parsed
	entries map[string]Entry
	doc     string
	hasDoc  bool // doc was read
}

// Package returns the comment of the package path.
func (l *Library) Package(path string) (doc string, ok bool) {
	if names, ok := own()[path]; ok {
		return names[""].Doc, names[""].Doc != ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.source(path)
	if !s.hasDoc {
		s.hasDoc = true
		files, _ := sourceFiles(l.dir(path))
		s.doc, _ = packageDoc(files) // what cannot be read says nothing
	}
	return s.doc, s.doc != ""
}

// Find returns what is known about a name of the package path: an exported object, or a field or
// method as in "Builder.WriteString".
func (l *Library) Find(path, name string) (Entry, bool) {
	if names, ok := own()[path]; ok {
		e, ok := names[name]
		return e, ok
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.source(path)
	if e, ok := s.entries[name]; ok {
		return e, true
	}
	pattern := declares(name)
	for i, file := range s.files {
		if file == "" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil || !pattern.Match(text) {
			continue
		}
		s.files[i] = ""
		entries, err := entriesOf(file, text)
		if err != nil {
			continue // what does not parse says nothing
		}
		maps.Copy(s.entries, entries)
		if e, ok := entries[name]; ok {
			return e, true
		}
	}
	return Entry{}, false
}

// source returns the source of a package; it has no files if there is none.
func (l *Library) source(path string) *source {
	if s := l.read[path]; s != nil {
		return s
	}
	if l.read == nil {
		l.read = map[string]*source{}
	}
	s := &source{entries: map[string]Entry{}}
	if dir := l.dir(path); dir != "" {
		s.files, _ = sourceFiles(dir) // what cannot be read says nothing
	}
	l.read[path] = s
	return s
}

// dir returns the folder of a package, or "".
func (l *Library) dir(path string) string {
	l.roots.Do(func() {
		if l.GOROOT == "" {
			l.GOROOT = findGo()
		}
		if l.ModCache == "" {
			l.ModCache = findModCache()
		}
	})
	first, _, _ := strings.Cut(path, "/")
	if strings.Contains(first, ".") {
		return moduleDir(l.ModCache, path)
	}
	if l.GOROOT == "" {
		return ""
	}
	return filepath.Join(l.GOROOT, "src", filepath.FromSlash(path))
}
