package tensor_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"halfnote/tensor"
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
		equal(t, "text", fmt.Sprint(c.value), c.want)
	}
	equal(t, "verb", fmt.Sprintf("%d", x), "%!d(*tensor.Tensor)")
	lines := strings.Count(tensor.Zeros(2, 100, 100).String(), "\n")
	equal(t, "lines of a large tensor", lines, 14)
}

func TestHTML(t *testing.T) {
	x := tensor.Arange(6).Reshape(2, 3).SetRequiresGrad(true).SetName(`<w>`)
	got := x.HTML()
	for _, part := range []string{
		"<table", ">5.</td>", "&lt;w&gt;", "shape [2 3] · float32 · cpu · requires_grad",
		"min 0 · mean 2.5 · max 5",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %s", part, got)
		}
	}
	equal(t, "rows", strings.Count(got, "<tr>"), 2)
	large := tensor.Randn(500, 500).HTML()
	equal(t, "rows of a large tensor", strings.Count(large, "<tr>"), 11)
	equal(t, "cells of a large tensor", strings.Count(large, "<td"), 121)
	if strings.Contains(tensor.Ones(2, 2, 2).HTML(), "<table") {
		t.Error("three dimensions as a table")
	}
	if strings.Contains(got, "var(") {
		t.Error("the table leans on the page's variables")
	}
}
