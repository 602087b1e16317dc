package tensor_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestString(t *testing.T) {
	x := tensor.New([][]float64{{1, -0.5}, {math.Inf(1), math.NaN()}})
	for _, c := range []struct {
		value any
		want  string
	}{
		{x, "tensor([[ 1.0000, -0.5000],\n        [    inf,     nan]], " +
			"shape=[2 2], dtype=float64)"},
		{fmt.Sprintf("%.1f", x),
			"tensor([[ 1.0, -0.5],\n        [ inf,  nan]], shape=[2 2], dtype=float64)"},
		{tensor.New([]float32{1, 2}, tensor.Float16),
			"tensor([1., 2.], shape=[2], dtype=float16)"},
		{tensor.New([]int{1, -2}), "tensor([ 1, -2], shape=[2], dtype=int64)"},
		{tensor.New([]float64{1e-6, 1}),
			"tensor([1.0000e-06, 1.0000e+00], shape=[2], dtype=float64)"},
		{tensor.New(1<<60 + 1), "tensor(1152921504606846977, shape=[], dtype=int64)"},
		{tensor.New(true), "tensor(true, shape=[], dtype=bool)"},
		{tensor.Zeros(0), "tensor([], shape=[0], dtype=float32)"},
		{leaf(2), "tensor([2.], shape=[1], dtype=float32, requires_grad)"},
		{leaf(2).Mul(2), "tensor([4.], shape=[1], dtype=float32, grad of mul)"},
		{(*T)(nil), "<nil>"},
		{tensor.Arange(2001), "tensor([   0.,    1.,    2., ..., 1998., 1999., 2000.], " +
			"shape=[2001], dtype=float32)"},
	} {
		equal(t, "text", withoutDevice(fmt.Sprint(c.value)), c.want)
	}
	equal(t, "verb", fmt.Sprintf("%d", x), "%!d(*tensor.Tensor)")
	lines := strings.Count(tensor.Zeros(2, 100, 100).String(), "\n")
	equal(t, "lines of a large tensor", lines, 14)
}

func TestHTML(t *testing.T) {
	x := tensor.Arange(6).Reshape(2, 3).SetRequiresGrad(true).SetName(`<w>`)
	got := x.HTML()
	parts := []string{
		"<table", ">5.</td>", "&lt;w&gt;", reference.Here("shape [2 3] · float32 · cpu · requires_grad"),
	}
	if reference.OnCPU() {
		parts = append(parts, "min 0 · mean 2.5 · max 5")
	}
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %s", part, got)
		}
	}
	equal(t, "rows", strings.Count(got, "<tr>"), 2)
	for _, shape := range [][]int{{1000}, {20, 50}, {2, 3, 4, 5}, {300, 1, 3}} {
		x := tensor.Zeros(shape...)
		equal(t, "cells of what the text shows whole", strings.Count(x.HTML(), "<td"), x.Numel())
	}
	inf := math.Inf(1)
	trained := leaf(2, 3)
	trained.Sum().Backward()
	large := tensor.Randn(500, 500).HTML()
	equal(t, "rows of a large tensor", strings.Count(large, "<tr>"), 11)
	equal(t, "cells of a large tensor", strings.Count(large, "<td"), 121)
	for _, test := range []struct {
		x    *tensor.Tensor
		want string
	}{
		{tensor.Zeros(2, 30, 20), "values at [0, …] · shape [2 30 20]"},
		{tensor.Arange(12).Reshape(3, 2, 2).Slice(0, 1, 3), ">4.</td>"},
		{tensor.Arange(12).Reshape(3, 2, 2).Slice(0, 1, 3), ">[1]</div>"},
		{tensor.Arange(12).Reshape(3, 2, 2).Slice(0, 1, 3), ">11.</td>"},
		{tensor.Arange(16).Reshape(2, 2, 2, 2), ">[1, 0]</div>"},
		{tensor.Arange(1000).Reshape(2, 5, 100), ">999.</td>"},
		{tensor.Arange(400).Reshape(20, 20), ">200.</td>"},
		{tensor.Arange(25), ">[20]</th>"},
		{tensor.Zeros(3, 0), `0">shape [3 0] · float32 · cpu</div>`},
		{leaf(2, 3).Mul(2), "cpu · grad of mul · min 4 ·"},
		{trained, "cpu · requires_grad, has a gradient · min 2"},
		{tensor.New([]bool{true, false, true}), "cpu · 2 of 3 true<"},
		{tensor.New([]float64{inf, 1, math.NaN(), -inf, 3}),
			"min 1 · mean 2 · max 3 · 2 inf · 1 nan<"},
		{tensor.New([]float64{inf, inf}), "cpu · 2 inf<"},
		{tensor.Arange(300_000).Reshape(3, 100, 1000).Transpose(0, 2),
			"min 0 · mean 1.5e+05 · max 3e+05<"},
	} {
		want := reference.Here(test.want)
		if !reference.OnCPU() { // there are no statistics
			want, _, _ = strings.Cut(want, " · min")
			want, _, _ = strings.Cut(want, "min")
			want, _, _ = strings.Cut(want, " · 2 ")
		}
		if got := test.x.HTML(); !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if strings.Contains(got, "var(") {
		t.Error("the table leans on the page's variables")
	}
}

// TestFormatDeclared: a tensor that was only declared shows itself as one.
func TestFormatDeclared(t *testing.T) {
	var x tensor.Tensor
	equal(t, "text", fmt.Sprint(&x), "tensor.Tensor{}")
	equal(t, "page", x.HTML(), "tensor.Tensor{}")
}
