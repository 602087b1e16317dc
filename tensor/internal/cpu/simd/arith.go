package simd

import "math"

// This file has the arithmetic of rows in plain Go. The generated files have the functions that
// choose between it and the assembly, and say what is computed.

func addGo(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] + b[i]
	}
}

func subGo(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] - b[i]
	}
}

func mulGo(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] * b[i]
	}
}

func divGo(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] / b[i]
	}
}

func maxGo(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = max(a[i], b[i])
	}
}

func minGo(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = min(a[i], b[i])
	}
}

func addScalarGo(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v + c
	}
}

func subTwiceGo(out, x []float32, c, d float32) {
	for i, v := range x[:len(out)] {
		out[i] = v - c - d
	}
}

func scalarSubGo(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = c - v
	}
}

func scalarDivGo(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = c / v
	}
}

func mulScalarGo(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v * c
	}
}

func divScalarGo(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v / c
	}
}

func maxScalarGo(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = max(v, c)
	}
}

func minScalarGo(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = min(v, c)
	}
}

func fillGo(out []float32, c float32) {
	for i := range out {
		out[i] = c
	}
}

func reLUGradGo(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		v := math.Float32bits(b[i])
		if a[i] <= 0 {
			v = 0
		}
		out[i] = math.Float32frombits(v)
	}
}

// leakyReLUGo selects bits, which takes no branch: which elements are positive cannot be predicted.
func leakyReLUGo(out, x, y []float32, slope float32) {
	x, y = x[:len(out)], y[:len(out)]
	for i, v := range y {
		kept, small := math.Float32bits(v), math.Float32bits(v*slope)
		if x[i] > 0 {
			small = kept
		}
		out[i] = math.Float32frombits(small)
	}
}

func tanhGradGo(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = b[i] * (1 - float32(a[i]*a[i]))
	}
}

func sigmoidGradGo(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = b[i] * (1 - a[i]) * a[i]
	}
}

func axpyGo(out, a, x []float32, p float32) {
	a, x = a[:len(out)], x[:len(out)]
	for i := range out {
		out[i] = a[i] + float32(p*x[i])
	}
}

func addcmulGo(out, a, b, c []float32, p float32) {
	a, b, c = a[:len(out)], b[:len(out)], c[:len(out)]
	for i := range out {
		out[i] = a[i] + float32(float32(p*b[i])*c[i])
	}
}

func addcdivGo(out, a, b, c []float32, p float32) {
	a, b, c = a[:len(out)], b[:len(out)], c[:len(out)]
	for i := range out {
		out[i] = a[i] + float32(p*b[i])/c[i]
	}
}

func adamGo(theta, mean, square, grad []float32, way, keep, add, root, eps, rate float32) {
	for i, g := range grad[:len(theta)] {
		m := mean[i] + float32((g-mean[i])*way)
		v := float32(square[i]*keep) + float32(float32(g*add)*g)
		theta[i] += float32(m*rate) / (float32(math.Sqrt(float64(v)))/root + eps)
		mean[i], square[i] = m, v
	}
}

func rootStepGo(theta, square, grad []float32, keep, add, eps, rate float32) {
	for i, g := range grad[:len(theta)] {
		v := float32(square[i]*keep) + float32(float32(g*add)*g)
		theta[i] += float32(g*rate) / (float32(math.Sqrt(float64(v))) + eps)
		square[i] = v
	}
}

func negGo(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = -v
	}
}

func absGo(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = math.Float32frombits(math.Float32bits(v) &^ (1 << 31))
	}
}

func sqrtGo(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = float32(math.Sqrt(float64(v)))
	}
}

func rsqrtGo(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = float32(1 / math.Sqrt(float64(v)))
	}
}
