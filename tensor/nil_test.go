package tensor_test

import (
	"go/ast"
	"reflect"
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// takers are the functions of the package that take tensors or functions.
var takers = map[string]any{
	"ScaledDotProductAttention": tensor.ScaledDotProductAttention,
	"BatchNorm":                 tensor.BatchNorm,
	"Checkpoint":                tensor.Checkpoint,
	"CheckpointAll":             tensor.CheckpointAll,
	"Where":                     tensor.Where,
	"Conv1d":                    tensor.Conv1d,
	"Conv2d":                    tensor.Conv2d,
	"ConvTranspose1d":           tensor.ConvTranspose1d,
	"ConvTranspose2d":           tensor.ConvTranspose2d,
	"ZerosLike":                 tensor.ZerosLike,
	"OnesLike":                  tensor.OnesLike,
	"WithCastState":             tensor.WithCastState,
	"CDist":                     tensor.CDist,
	"Bilinear":                  tensor.Bilinear,
	"Einsum":                    tensor.Einsum,
	"Embedding":                 tensor.Embedding,
	"Draw":                      tensor.Draw,
	"Grad":                      tensor.Grad,
	"GradCheck":                 tensor.GradCheck,
	"GradGradCheck":             tensor.GradGradCheck,
	"Cat":                       tensor.Cat,
	"Stack":                     tensor.Stack,
	"Linear":                    tensor.Linear,
	"NoGrad":                    tensor.NoGrad,
	"Profile":                   func(f func()) { tensor.Profile(f) },
	"EnableGrad":                tensor.EnableGrad,
	"MSELoss":                   tensor.MSELoss,
	"L1Loss":                    tensor.L1Loss,
	"HuberLoss":                 tensor.HuberLoss,
	"SmoothL1Loss":              tensor.SmoothL1Loss,
	"CrossEntropy":              tensor.CrossEntropy,
	"NLLLoss":                   tensor.NLLLoss,
	"MultiMarginLoss":           tensor.MultiMarginLoss,
	"MultilabelMarginLoss":      tensor.MultilabelMarginLoss,
	"HingeEmbeddingLoss":        tensor.HingeEmbeddingLoss,
	"MarginRankingLoss":         tensor.MarginRankingLoss,
	"SoftMarginLoss":            tensor.SoftMarginLoss,
	"CosineEmbeddingLoss":       tensor.CosineEmbeddingLoss,
	"TripletMarginLoss":         tensor.TripletMarginLoss,
	"BCELoss":                   tensor.BCELoss,
	"BCEWithLogitsLoss":         tensor.BCEWithLogitsLoss,
	"KLDivLoss":                 tensor.KLDivLoss,
	"PoissonNLLLoss":            tensor.PoissonNLLLoss,
	"CosineSimilarity":          tensor.CosineSimilarity,
	"DetectNonFinite":           tensor.DetectNonFinite,
	"LayerNorm":                 tensor.LayerNorm,
	"RMSNorm":                   tensor.RMSNorm,
	"GroupNorm":                 tensor.GroupNorm,
	"InstanceNorm":              tensor.InstanceNorm,
	"SaveNPY":                   tensor.SaveNPY,
	"WriteNPY":                  tensor.WriteNPY,
	"SaveNPZ":                   tensor.SaveNPZ,
	"WriteNPZ":                  tensor.WriteNPZ,
	"MaxPool1d":                 tensor.MaxPool1d,
	"MaxPool2d":                 tensor.MaxPool2d,
	"MaxPool1dIndex":            tensor.MaxPool1dIndex,
	"MaxPool2dIndex":            tensor.MaxPool2dIndex,
	"AvgPool1d":                 tensor.AvgPool1d,
	"AvgPool2d":                 tensor.AvgPool2d,
	"AdaptiveAvgPool1d":         tensor.AdaptiveAvgPool1d,
	"AdaptiveAvgPool2d":         tensor.AdaptiveAvgPool2d,
	"AdaptiveMaxPool1d":         tensor.AdaptiveMaxPool1d,
	"AdaptiveMaxPool2d":         tensor.AdaptiveMaxPool2d,
	"AdaptiveMaxPool2dIndex":    tensor.AdaptiveMaxPool2dIndex,
	"MultiDot":                  tensor.MultiDot,
	"Tensordot":                 tensor.Tensordot,
	"Meshgrid":                  tensor.Meshgrid,
	"RNNTanhCell":               tensor.RNNTanhCell,
	"RNNReLUCell":               tensor.RNNReLUCell,
	"GRUCell":                   tensor.GRUCell,
	"LSTMCell":                  tensor.LSTMCell,
	"SaveSafetensors":           tensor.SaveSafetensors,
	"WriteSafetensors":          tensor.WriteSafetensors,
	"NewGraph":                  tensor.NewGraph,
	"Statistics":                tensor.Statistics,
	"NormFloat64":               tensor.NormFloat64,
	"UnscaleInPlace":            tensor.UnscaleInPlace,
}

// TestTakersIsComplete: a function that is added to the package is added to the test of nils.
func TestTakersIsComplete(t *testing.T) {
	for _, file := range parsed(t, func(name string) bool { return !strings.HasSuffix(name, "_test.go") }) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || takers[f.Name.Name] != nil {
				continue
			}
			ast.Inspect(f.Type.Params, func(n ast.Node) bool {
				_, function := n.(*ast.FuncType)
				if id, ok := n.(*ast.Ident); function || ok && id.Name == "Tensor" {
					t.Errorf("%s takes a tensor or a function and is missing", f.Name)
				}
				return true
			})
		}
	}
}

// TestNilArguments: no op that gets a nil for a tensor or a function ends in Go's own nil
// dereference. What the other arguments are does not matter: those that do not fit are a mistake
// that the op reports, too.
func TestNilArguments(t *testing.T) {
	all := map[string]reflect.Value{}
	for name, f := range takers {
		all[name] = reflect.ValueOf(f)
	}
	one := reflect.TypeFor[*T]()
	for i := range one.NumMethod() {
		m := one.Method(i)
		all["(*Tensor)."+m.Name] = m.Func
	}
	for name, f := range all {
		method := strings.HasPrefix(name, "(")
		for _, x := range []*T{tensor.Ones(2, 3), tensor.Ones(2, 2), tensor.Ones(3),
			tensor.New([]int{1, 0}), tensor.Ones(), tensor.Ones(1, 2, 3, 3), tensor.Ones(2).Gt(0)} {
			for i := range f.Type().NumIn() {
				if i == 0 && method {
					continue
				}
				checkNil(t, name, f, i, x)
			}
		}
	}
}

// checkNil calls f with nil for argument i, which it may refuse with an *Error only.
func checkNil(t *testing.T, name string, f reflect.Value, i int, x *T) {
	t.Helper()
	var args []reflect.Value
	for j := range f.Type().NumIn() {
		in := f.Type().In(j)
		if f.Type().IsVariadic() && j == f.Type().NumIn()-1 {
			if i != j {
				continue
			}
			in = in.Elem()
		}
		arg := dummy(in, x)
		switch {
		case i != j:
		case in == reflect.TypeFor[[]*T]():
			arg = reflect.ValueOf([]*T{x, nil})
		case in == reflect.TypeFor[*T](), in.Kind() == reflect.Func:
			arg = reflect.Zero(in)
		case in == reflect.TypeFor[any]():
			arg = reflect.ValueOf((*T)(nil))
		default:
			return
		}
		args = append(args, arg)
	}
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s of %v with argument %d nil: %v", name, x.Shape(), i+1, p)
		}
	}()
	reference.Mistake(func() { f.Call(args) })
}

// dummy returns an argument of the type, with x for tensors.
func dummy(in reflect.Type, x *T) reflect.Value {
	switch {
	case in == reflect.TypeFor[*T]():
		return reflect.ValueOf(x)
	case in == reflect.TypeFor[[]*T]():
		return reflect.ValueOf([]*T{x, x})
	case in == reflect.TypeFor[tensor.DType]():
		return reflect.ValueOf(tensor.Float32)
	case in.Kind() == reflect.Int:
		return reflect.ValueOf(1).Convert(in)
	case in.Kind() == reflect.Float64:
		return reflect.ValueOf(0.5)
	case in == reflect.TypeFor[any]():
		return reflect.ValueOf(x)
	case in.Kind() == reflect.Func:
		return reflect.MakeFunc(in, func([]reflect.Value) []reflect.Value {
			outs := make([]reflect.Value, in.NumOut())
			for i := range outs {
				outs[i] = dummy(in.Out(i), x)
			}
			return outs
		})
	}
	return reflect.Zero(in)
}

// TestNilMessages: the error says which argument is nil. A method's receiver is the first.
func TestNilMessages(t *testing.T) {
	var none *T
	x, w := tensor.Ones(2, 3), tensor.Ones(3).SetRequiresGrad(true)
	for want, f := range map[string]func(){
		"matmul: argument 2 is nil":        func() { x.MatMul(nil) },
		"relu: argument 1 is nil":          func() { none.ReLU() },
		"add: argument 2 is nil":           func() { x.Add(none) },
		"sub: argument 1 is nil":           func() { none.Sub(x) },
		"cross_entropy: argument 2 is nil": func() { tensor.CrossEntropy(x, nil) },
		"cross_entropy: argument 1 is nil": func() { tensor.CrossEntropy(nil, x) },
		"mse_loss: argument 2 is nil":      func() { tensor.MSELoss(x, nil) },
		"cat: argument 2 is nil":           func() { tensor.Cat([]*T{x, nil}, 0) },
		"stack: argument 1 is nil":         func() { tensor.Stack([]*T{nil, x}, 0) },
		"where: argument 3 is nil":         func() { tensor.Where(x.Gt(0), x, nil) },
		"einsum: argument 2 is nil":        func() { tensor.Einsum("ij,jk->ik", x, nil) },
		"linear: argument 2 is nil":        func() { tensor.Linear(x, nil, nil) },
		"lstm_cell: argument 3 is nil":     func() { tensor.LSTMCell(x, x, nil, x, x, nil, nil) },
		"logical_and: argument 2 is nil":   func() { x.And(nil) },
		"AddcmulInPlace: argument 3 is nil": func() {
			tensor.Ones(3).AddcmulInPlace(w.Detach(), nil, 1)
		},
		"CopyFrom: argument 2 is nil":        func() { x.CopyFrom(nil) },
		"no_grad: the function is nil":       func() { tensor.NoGrad(nil) },
		"register_hook: the function is nil": func() { w.RegisterHook(nil) },
		"checkpoint: the function is nil":    func() { tensor.Checkpoint(nil, x) },
		"checkpoint: result 1 of the function is nil": func() {
			tensor.Checkpoint(func(...*T) *T { return nil }, x)
		},
		"checkpoint: result 2 of the function is nil": func() {
			tensor.NoGrad(func() {
				tensor.CheckpointAll(func(...*T) []*T { return []*T{x, nil} }, x)
			})
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}
