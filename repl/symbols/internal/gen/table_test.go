package gen

import (
	"go/types"
	"testing"

	"halfnote/repl/symbols"
)

// TestStorage: a wrapper asks a cell's method for what the interpreter made of it, which has no
// instances of generic types.
func TestStorage(t *testing.T) {
	pkg, err := symbols.NewImporter().Import("halfnote/tensor/nn")
	if err != nil {
		t.Fatal(err)
	}
	samples := pkg.Scope().Lookup("Samples").Type().Underlying().(*types.Interface)
	got := types.TypeString(storage(samples.Method(0).Signature()), (*types.Package).Name)
	want := "func(n int) func(yield func(*tensor.Tensor, *tensor.Tensor) bool)"
	if got != want {
		t.Errorf("Batches is %s, want %s", got, want)
	}
}
