package cpu

import "sync"

// This file implements GELU and its derivative in float32: between the points of a table by cubic
// polynomials. The plain forms in gelu take five times as long and serve float64 and the tails.

// The table goes from −geluEnd to geluEnd in steps of 1/geluDensity. Within them the polynomials
// are wrong by less than 1e-8 of the value, float32 by 6e-8.
const (
	geluEnd     = 5
	geluDensity = 128
)

// A knot is a value at a point of the table and the slope there, for a step of one point.
type knot struct{ value, slope float64 }

// geluKnots returns the points of GELU's factor Φ, and of its derivative.
var geluKnots = sync.OnceValue(func() *[2][2*geluEnd*geluDensity + 1]knot {
	var knots [2][2*geluEnd*geluDensity + 1]knot
	for i := range knots[0] {
		x := float64(i)/geluDensity - geluEnd
		knots[0][i] = knot{distribution(x), density(x) / geluDensity}
		knots[1][i] = knot{gelu[1](x), gelu[2](x) / geluDensity}
	}
	return &knots
})

// geluRow computes GELU, or its gradient where g is not nil.
func geluRow(out, x, g []float32) {
	order := 0
	if g != nil {
		order = 1
	}
	knots := &geluKnots()[order]
	for i, v := range x {
		y := geluAt(knots[:], order, float64(v))
		if order > 0 {
			y *= float64(g[i])
		}
		out[i] = float32(y)
	}
}

func geluAt(knots []knot, order int, x float64) float64 {
	if !(x > -geluEnd && x < geluEnd) {
		return gelu[order](x)
	}
	u := (x + geluEnd) * geluDensity
	i := int(u)
	t := u - float64(i)
	a, b := knots[i], knots[i+1]
	rise := b.value - a.value
	y := a.value + t*(a.slope+t*(3*rise-2*a.slope-b.slope+t*(a.slope+b.slope-2*rise)))
	if order == 0 {
		y *= x
	}
	return y
}
