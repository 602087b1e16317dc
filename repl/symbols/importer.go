package symbols

import (
	"archive/zip"
	_ "embed" // for the archives
	"fmt"
	"go/token"
	"go/types"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"

	"halfnote/repl/symbols/internal/tables"
)

//go:embed types.zip
var typesZip string

//go:embed own.zip
var ownZip string

// archives finds the export data of a package by its path; path@GOOS_GOARCH is what differs from
// linux_amd64.
var archives = sync.OnceValue(func() map[string]*zip.File {
	files := map[string]*zip.File{}
	for _, data := range []string{typesZip, ownZip} {
		r, err := zip.NewReader(strings.NewReader(data), int64(len(data)))
		if err != nil {
			panic(fmt.Sprintf("symbols: type information: %v", err))
		}
		for _, f := range r.File {
			files[f.Name] = f
		}
	}
	return files
})

// importer reads packages from the archives.
type importer struct {
	packages map[string]*types.Package
	fset     *token.FileSet
}

// NewImporter returns an importer for go/types. Packages that it returned refer to each other, so
// one session has one importer. It is not safe for concurrent use.
func NewImporter() types.Importer {
	return &importer{map[string]*types.Package{}, token.NewFileSet()}
}

// Import returns the package path.
func (i *importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := i.packages[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	f := archives()[path+"@"+runtime.GOOS+"_"+runtime.GOARCH]
	if f == nil {
		f = archives()[path]
	}
	if f == nil || strings.Contains(path, "@") {
		return nil, unknown(path)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("type information of package %s: %w", path, err)
	}
	defer r.Close()
	pkg, err := gcexportdata.Read(io.Reader(r), i.fset, i.packages, path)
	if err != nil {
		return nil, fmt.Errorf("type information of package %s: %w", path, err)
	}
	return pkg, nil
}

// missing is the error about a package that cells cannot import.
type missing struct{ text, help string }

func (m *missing) Error() string { return m.text }

// Help says what there is instead, or "".
func (m *missing) Help() string { return m.help }

// others are the packages beside the standard library.
const others = "halfnote's own (tensor, nn, optim, data, dist, amp, apex, monitor, display), and plot, " +
	"mat, stat and floats of gonum"

// unknown tells that there is no package path, and which ones there are instead.
func unknown(path string) error {
	if slices.Contains(tables.LeftOut, path) {
		return &missing{text: "package " + path +
			" is of the standard library, but not available in halfnote"}
	}
	if otherModule(path) {
		return &missing{"package " + path + " is of another module, which cells cannot import yet",
			"there are " + others}
	}
	found := similar(path)
	if len(found) == 0 {
		return &missing{"package " + path + " is not available in halfnote yet",
			"there are the standard library, " + others}
	}
	return &missing{text: fmt.Sprintf("package %s is not available in halfnote yet; available: %s",
		path, strings.Join(found, ", "))}
}

// Missing returns the error about the standard package of that name if cells cannot import it, else
// nil.
func (i *importer) Missing(name string) error {
	for _, path := range tables.LeftOut {
		if path[strings.LastIndex(path, "/")+1:] == name {
			return unknown(path)
		}
	}
	return nil
}
