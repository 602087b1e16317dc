package tensor_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// parsed returns the files of the folder whose names pass.
func parsed(t *testing.T, pass func(name string) bool) (files []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || !pass(e.Name()) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// notOps are the exported functions and methods of tensors that are no rows of the table of ops.
var notOps = map[string]string{
	"device":           "BestDevice CPUPath CUDA CUDAAvailable CUDADevices CUDAError DefaultDevice Device",
	"kinds of numbers": "FromBFloat FromBool FromFloat32 FromHalf ToBFloat ToHalf",
	"facts and elements": `AllClose Bools Dim Format HTML Halves Int64s IsContiguous IsFrozen IsView Item Name
		SetName Strides WrittenBy`,
	"random or constant": `BernoulliInPlace DefaultGenerator Draw Eye NormalInPlace Randint Randperm
		UniformInPlace`,
	"the tape": `Checkpoint CheckpointAll CurrentCastState EnableGrad GradEnabled
		Inherit NoteWrite RecordedFrom RegisterHook RegisterPostAccumulateGradHook RetainGrad SetData
		SetGrad WithCastState`,
	"memory and time": `CurrentStream EmptyCache Free MemoryStats NewEvent NewGraph NewStream Profile
		ResetPeakMemoryStats Synchronize`,
	"files": `LoadNPY LoadNPZ LoadSafetensors ReadNPY ReadNPZ ReadSafetensors SaveNPY SaveNPZ
		SaveSafetensors WriteNPY WriteNPZ WriteSafetensors`,
	"lists of gradients, with tests of their own":  "NormFloat64 Statistics UnscaleInPlace",
	"steps of optimizers, tested in package optim": "AdagradInPlace AdamInPlace RMSpropInPlace SGDInPlace",
}

// TestOpsCovered: each exported function and method of a tensor is used by a row of the table of
// ops, or of in-place forms, or is one of notOps.
func TestOpsCovered(t *testing.T) {
	used := map[string]bool{}
	for _, f := range parsed(t, func(name string) bool {
		return strings.HasSuffix(name, "_ops_test.go") ||
			strings.HasPrefix(name, "inplace") && strings.HasSuffix(name, "_test.go")
	}) {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				used[s.Sel.Name] = true
			}
			return true
		})
	}
	for _, names := range notOps {
		for _, name := range strings.Fields(names) {
			if used[name] {
				t.Errorf("%s is in a table and need not be listed here", name)
			}
			used[name] = true
		}
	}
	for _, f := range parsed(t, func(name string) bool { return !strings.HasSuffix(name, "_test.go") }) {
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || !d.Name.IsExported() || used[d.Name.Name] || !onTensor(d) {
				continue
			}
			t.Errorf("%s is in no table of ops: add a row", d.Name.Name)
		}
	}
}

// onTensor reports whether d is a function, or a method of *Tensor.
func onTensor(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	star, ok := d.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	name, ok := star.X.(*ast.Ident)
	return ok && name.Name == "Tensor"
}
