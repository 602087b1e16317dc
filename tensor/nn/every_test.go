package nn

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// everyLayer returns one of each layer. TestEveryLayer finds those that are missing.
func everyLayer() []Module {
	return []Module{
		NewReLU(), NewSigmoid(), NewTanh(), NewGELU(), NewSiLU(), NewMish(), NewLeakyReLU(), NewELU(),
		NewSoftplus(), NewHardtanh(), NewPReLU(), NewSoftmax(1), NewLogSoftmax(1), NewIdentity(),
		NewMultiheadAttention(4, 2), NewBatchNorm2d(2), NewBatchNorm1d(2), NewConv2d(1, 2, 3),
		NewConv1d(1, 2, 3), NewConvTranspose2d(1, 2, 3), NewConvTranspose1d(1, 2, 3), NewDropout(0.5),
		NewDropout2d(0.5), NewEmbedding(3, 2), NewLinear(2, 3), NewLayerNorm(3), NewRMSNorm(3),
		NewGroupNorm(1, 2), NewMaxPool2d(2), NewMaxPool1d(2), NewAvgPool2d(2), NewAvgPool1d(2),
		NewAdaptiveAvgPool2d(1), NewAdaptiveAvgPool1d(1), NewAdaptiveMaxPool2d(1), NewAdaptiveMaxPool1d(1),
		NewSinusoidalPositions(4, 4), NewLearnedPositions(4, 4), NewRNNCell(2, 3), NewGRUCell(2, 3),
		NewLSTMCell(2, 3), NewSequential(NewLinear(2, 3)), NewFlatten(), NewTransformerEncoderLayer(4, 2),
		NewTransformerEncoder(1, 4, 2),
	}
}

// TestEveryLayer: everyLayer has each type of the package with a method Forward, and the memory of
// values between layers ends early in each, but in those whose states are the program's.
func TestEveryLayer(t *testing.T) {
	lasting := map[string]bool{"*nn.RNNCell": true, "*nn.GRUCell": true, "*nn.LSTMCell": true}
	missing := modules(t)
	for _, m := range everyLayer() {
		name := fmt.Sprintf("%T", m)
		delete(missing, name)
		if keepsNothing(m) == lasting[name] {
			t.Errorf("%s: keepsNothing is %v", name, keepsNothing(m))
		}
	}
	for name := range missing {
		t.Errorf("everyLayer lacks %s", name)
	}
}

// modules returns the names of the types in the package's files that have a method Forward.
func modules(t *testing.T) map[string]bool {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	found := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Recv == nil || d.Name.Name != "Forward" {
				continue
			}
			if star, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
				found["*nn."+star.X.(*ast.Ident).Name] = true
			}
		}
	}
	return found
}
