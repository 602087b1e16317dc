package gen

// This file lists the packages that cells can import.

// own lists the packages of this module that cells can import.
var own = []string{
	"halfnote/amp",
	"halfnote/amp/apex",
	"halfnote/amp/monitor",
	"halfnote/repl/display",
	"halfnote/tensor",
	"halfnote/tensor/data",
	"halfnote/tensor/dist",
	"halfnote/tensor/nn",
	"halfnote/tensor/optim",
}

// libraries lists packages of other modules.
var libraries = []string{
	"gonum.org/v1/gonum/floats",
	"gonum.org/v1/gonum/mat",
	"gonum.org/v1/gonum/stat",
	"gonum.org/v1/plot",
	"gonum.org/v1/plot/font",
	"gonum.org/v1/plot/palette",
	"gonum.org/v1/plot/palette/moreland",
	"gonum.org/v1/plot/plotter",
	"gonum.org/v1/plot/plotutil",
	"gonum.org/v1/plot/text",
	"gonum.org/v1/plot/vg",
	"gonum.org/v1/plot/vg/draw",
	"gonum.org/v1/plot/vg/vgimg",
	"gonum.org/v1/plot/vg/vgsvg",
}

// leftOut gives the public standard packages that have no table, each with the reason.
var leftOut = map[string]string{
	"expvar":                 "its import adds a handler to http.DefaultServeMux",
	"log/syslog":             "exists on Unix only",
	"net/http/pprof":         "its import opens profiles on http.DefaultServeMux",
	"plugin":                 "loads compiled code",
	"runtime/cgo":            "needs cgo",
	"runtime/race":           "needs the race detector",
	"testing/cryptotest":     "helps tests of compiled code only",
	"time/tzdata":            "only adds data to the binary",
	"unsafe":                 "known to the compiler",
	"crypto/mlkem/mlkemtest": "helps tests of package mlkem only",
	"runtime/coverage":       "needs an instrumented binary",
}

// noSymbol lists functions that cells cannot call, each package with the reason.
var noSymbol = map[string]struct {
	why   string
	names []string
}{
	"testing": {"a test binary's main function calls them, and they end the process",
		[]string{"Main", "MainStart", "RunBenchmarks", "RunExamples", "RunTests"}},
	"testing/synctest": {"they need the *testing.T of a running test",
		[]string{"Test"}},
}

// targets are the systems that halfnote is built for. The first gives the type information, the
// others what differs from it.
var targets = []target{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
	{"js", "wasm"},
}

// extraFuncs lists, by package, instances of generic functions that halfnote's own source of them is
// written with, named as reflect names instances.
var extraFuncs = map[string][]string{
	"hash/maphash": {"Comparable[interface {}]", "WriteComparable[interface {}]"},
	"runtime":      {"AddCleanup[uint8,func()]"},
	"unique":       {"Make[interface {}]"},
	"weak":         {"Make[uint8]"},
}

// extraTypes lists instances of generic types in the same way, as Go spells them.
var extraTypes = map[string][]string{
	"database/sql": {
		"Null[[]byte]", "Null[bool]", "Null[string]", "Null[float32]", "Null[float64]",
		"Null[int]", "Null[int8]", "Null[int16]", "Null[int32]", "Null[int64]",
		"Null[uint]", "Null[uint8]", "Null[uint16]", "Null[uint32]", "Null[uint64]",
	},
	"unique": {"Handle[any]"},
	"weak":   {"Pointer[uint8]"},
}
