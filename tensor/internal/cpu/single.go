package cpu

import (
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file says which kernels of package simd compute the ops on rows of float32.

// singleBinaries has the kernels of each op that has some.
var singleBinaries = [...]binaryKernels[float32]{
	device.Add:         {simd.Add, simd.AddScalar, simd.AddScalar},
	device.Sub:         {simd.Sub, minus(simd.AddScalar), simd.ScalarSub},
	device.Mul:         {simd.Mul, simd.MulScalar, simd.MulScalar},
	device.Div:         {simd.Div, simd.DivScalar, simd.ScalarDiv},
	device.Maximum:     {simd.Max, simd.MaxScalar, simd.MaxScalar},
	device.Minimum:     {simd.Min, simd.MinScalar, simd.MinScalar},
	device.ReLUGrad:    {rows: simd.ReLUGrad},
	device.TanhGrad:    {rows: simd.TanhGrad},
	device.SigmoidGrad: {rows: simd.SigmoidGrad},
}

// binarySingle computes a row of out = op(a, b), and reports false where there is no kernel.
func binarySingle(op device.BinaryOp, out, a, b []float32) bool {
	if int(op) >= len(singleBinaries) || singleBinaries[op].rows == nil {
		return false
	}
	singleBinaries[op].rows(out, a, b)
	return true
}

// unarySingle computes a row of out = op(x), and reports false where there is no kernel.
func unarySingle(op device.UnaryOp, out, x []float32, p float64) bool {
	c := float32(p)
	switch {
	case op == device.Neg:
		simd.Neg(out, x)
	case op == device.Abs:
		simd.Abs(out, x)
	case op == device.ReLU:
		simd.MaxScalar(out, x, 0)
	case op == device.AddP:
		simd.AddScalar(out, x, c)
	case op == device.MulP:
		simd.MulScalar(out, x, c)
	case op == device.DivP:
		simd.DivScalar(out, x, c)
	case op == device.MaxP:
		simd.MaxScalar(out, x, c)
	case op == device.MinP:
		simd.MinScalar(out, x, c)
	case op == device.Sqrt, op == device.PowP && p == 0.5:
		simd.Sqrt(out, x)
	case op == device.Rsqrt:
		simd.Rsqrt(out, x)
	case op == device.Reciprocal:
		simd.ScalarDiv(out, x, 1)
	case op == device.PowP && p == 2:
		simd.Mul(out, x, x)
	case op == device.Exp:
		simd.Exp(out, x)
	case op == device.Log:
		simd.Log(out, x)
	case op == device.Tanh:
		simd.Tanh(out, x)
	case op == device.Sigmoid:
		simd.Sigmoid(out, x)
	case op == device.Erf:
		simd.Erf(out, x)
	default:
		return false
	}
	return true
}

// compareSingle writes a row of out = op(a, b), and reports false where there is no kernel.
func compareSingle(op device.BinaryOp, out []bool, a, b []float32) bool {
	switch op {
	case device.Eq:
		simd.Equal(out, a, b)
	case device.Ne:
		simd.NotEqual(out, a, b)
	case device.Lt:
		simd.Less(out, a, b)
	case device.Le:
		simd.LessEqual(out, a, b)
	case device.Gt:
		simd.Less(out, b, a)
	case device.Ge:
		simd.LessEqual(out, b, a)
	default:
		return false
	}
	return true
}

// testSingle writes a row of what op asks of x, and reports false where there is no kernel.
func testSingle(op device.UnaryOp, out []bool, x []float32, c float32) bool {
	switch op {
	case device.IsFinite:
		simd.IsFinite(out, x)
	case device.IsNaN:
		simd.NotEqual(out, x, x)
	case device.Not:
		simd.EqualScalar(out, x, 0)
	case device.EqP:
		simd.EqualScalar(out, x, c)
	case device.NeP:
		simd.NotEqualScalar(out, x, c)
	case device.LtP:
		simd.LessScalar(out, x, c)
	case device.LeP:
		simd.LessEqualScalar(out, x, c)
	case device.GtP:
		simd.GreaterScalar(out, x, c)
	case device.GeP:
		simd.GreaterEqualScalar(out, x, c)
	default:
		return false
	}
	return true
}

// activateSingle computes a row of out = f(x), or g·f′(x), and reports false where there is no
// kernel.
func activateSingle(f device.Activation, order int, out, x, g []float32, p float64) bool {
	switch {
	case f == device.GELU && order == 0:
		simd.GELU(out, x)
	case f == device.GELU && order == 1:
		simd.GELUGrad(out, x, g)
	case f == device.SiLU && order == 0:
		simd.SiLU(out, x)
	case f == device.SiLU && order == 1:
		simd.SiLUGrad(out, x, g)
	case f == device.LeakyReLU && order == 0:
		simd.LeakyReLU(out, x, x, float32(p))
	case f == device.LeakyReLU && order == 1:
		simd.LeakyReLU(out, x, g, float32(p))
	default:
		return false
	}
	return true
}
