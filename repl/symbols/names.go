package symbols

import (
	"cmp"
	"slices"
	"strings"

	"halfnote/repl/symbols/internal/tables"
)

// preferred decides between standard packages of the same name: the one that a notebook is more
// likely to mean comes first. An automatic import takes the first that has all that the cell names:
// rand is math/rand/v2, but crypto/rand for rand.Read and math/rand for rand.Intn.
var preferred = []string{
	"math/rand/v2", "crypto/rand", "math/rand", "text/template", "text/scanner",
}

// ByName lists the packages with the given name, the most likely one first: halfnote's own, then
// the standard library, then others.
func ByName(name string) []string {
	var paths []string
	for _, t := range tables.All {
		if t.Name == name {
			paths = append(paths, t.Path)
		}
	}
	slices.SortStableFunc(paths, compare)
	return paths
}

// Names yields the name of each package with the path of the one that is most likely meant by it,
// in no order.
func Names(yield func(name, path string) bool) {
	best := map[string]string{}
	for _, t := range tables.All {
		if old, ok := best[t.Name]; !ok || compare(t.Path, old) < 0 {
			best[t.Name] = t.Path
		}
	}
	for name, path := range best {
		if !yield(name, path) {
			return
		}
	}
}

// compare puts the path that is more likely meant first.
func compare(a, b string) int {
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a), len(b)))
}

func rank(path string) int {
	first, _, _ := strings.Cut(path, "/")
	switch i := slices.Index(preferred, path); {
	case first == "halfnote":
		return -1
	case i >= 0:
		return i
	case !strings.Contains(first, "."):
		return len(preferred)
	}
	return len(preferred) + 1
}

// similar lists a few import paths that a person who wrote path may have meant: those with the
// same last element, then those in the same folder.
func similar(path string) []string {
	const few = 4
	last := path[strings.LastIndex(path, "/")+1:]
	var found []string
	for _, t := range tables.All {
		if t.Name == last || commonElements(t.Path, path) > 0 {
			found = append(found, t.Path)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int {
		sameName := func(p string) int {
			if p == last || strings.HasSuffix(p, "/"+last) {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(sameName(a), sameName(b)),
			cmp.Compare(commonElements(b, path), commonElements(a, path)))
	})
	return found[:min(len(found), few)]
}

// otherModule reports whether path is of a module of which cells can import nothing.
func otherModule(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	near := func(t *tables.Table) bool { return commonElements(t.Path, path) > 0 }
	return strings.Contains(first, ".") && !slices.ContainsFunc(tables.All, near)
}

// commonElements counts the elements that both paths begin with.
func commonElements(a, b string) int {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < min(len(as), len(bs)) && as[n] == bs[n] {
		n++
	}
	return n
}
