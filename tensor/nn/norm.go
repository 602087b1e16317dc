package nn

import (
	"fmt"
	"slices"
	"strings"

	"halfnote/tensor"
)

// A NormConfig holds the options of the normalisations of single samples.
type NormConfig struct {
	Shape    []int   // LayerNorm, RMSNorm: several last dimensions, in place of the argument
	Eps      float64 // added to the variance; 0 means 1e-5, and for RMSNorm 2⁻²³, or 2⁻⁵² in Float64
	NoAffine bool    // without weight and bias
	NoBias   bool    // LayerNorm: a weight only
}

// given returns the eps for the functions of package tensor.
func (c *NormConfig) given() []float64 {
	if c.Eps == 0 {
		return nil
	}
	return []float64{c.Eps}
}

// lastShape returns the sizes of the dimensions that are normalised over.
func (c *NormConfig) lastShape(op string, size int) []int {
	shape := []int{size}
	if len(c.Shape) > 0 {
		shape = slices.Clone(c.Shape)
	}
	if slices.Min(shape) < 1 {
		fail(op, "shape %v: sizes must be at least 1", shape)
	}
	return shape
}

// LayerNorm normalises x [..., size] over its last dimension, or several last ones; see
// [tensor.LayerNorm]. Under autocast it computes in float32.
type LayerNorm struct {
	Weight *tensor.Tensor `nn:"weight"` // [size], or nil
	Bias   *tensor.Tensor `nn:"bias"`   // [size], or nil

	shape  []int
	config NormConfig
}

// NewLayerNorm returns a layer for that size in float32, with weight 1 and bias 0. It panics with a
// [*tensor.Error] if a size is less than 1.
func NewLayerNorm(size int, config ...NormConfig) *LayerNorm {
	c := option("layer_norm", config)
	l := &LayerNorm{shape: c.lastShape("layer_norm", size), config: c}
	if !c.NoAffine {
		l.Weight, l.Bias = affine(l.shape...)
	}
	if c.NoBias {
		l.Bias = nil
	}
	return l
}

// Forward normalises x.
func (l *LayerNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(l, tensor.LayerNorm(x, l.shape, l.Weight, l.Bias, l.config.given()...))
}

// String names the layer and its size.
func (l *LayerNorm) String() string {
	return normText("LayerNorm", sizesList(l.shape), &l.config)
}

// RMSNorm divides x [..., size] by its root mean square over the last dimension, or several last
// ones; see [tensor.RMSNorm]. Under autocast it computes in float32.
type RMSNorm struct {
	Weight *tensor.Tensor `nn:"weight"` // [size], or nil

	shape  []int
	config NormConfig
}

// NewRMSNorm returns a layer for that size in float32, with weight 1. It panics with a
// [*tensor.Error] if a size is less than 1.
func NewRMSNorm(size int, config ...NormConfig) *RMSNorm {
	c := option("rms_norm", config)
	l := &RMSNorm{shape: c.lastShape("rms_norm", size), config: c}
	if !c.NoAffine {
		l.Weight, _ = affine(l.shape...)
	}
	return l
}

// Forward divides x by its root mean square.
func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(l, tensor.RMSNorm(x, l.shape, l.Weight, l.config.given()...))
}

// String names the layer and its size.
func (l *RMSNorm) String() string { return normText("RMSNorm", sizesList(l.shape), &l.config) }

// GroupNorm normalises x [N, C, ...] over groups of channels; see [tensor.GroupNorm]. Under
// autocast it computes in float32.
type GroupNorm struct {
	Weight *tensor.Tensor `nn:"weight"` // [C], or nil
	Bias   *tensor.Tensor `nn:"bias"`   // [C], or nil

	groups, channels int
	config           NormConfig
}

// NewGroupNorm returns a layer for that many channels in groups in float32, with weight 1 and bias
// 0. It panics with a [*tensor.Error] if the groups do not divide the channels.
func NewGroupNorm(groups, channels int, config ...NormConfig) *GroupNorm {
	c := option("group_norm", config)
	if groups < 1 || channels < 1 || channels%groups != 0 {
		fail("group_norm", "%d channels: must divide into %d groups", channels, groups)
	}
	l := &GroupNorm{groups: groups, channels: channels, config: c}
	if !c.NoAffine {
		l.Weight, l.Bias = affine(channels)
	}
	return l
}

// Forward normalises x.
func (l *GroupNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	given("group_norm", x)
	if x.Dim() > 1 && x.Size(1) != l.channels {
		fail("group_norm", "input of shape %v has %d channels, and the layer %d",
			x.Shape(), x.Size(1), l.channels)
	}
	return ran(l, tensor.GroupNorm(x, l.groups, l.Weight, l.Bias, l.config.given()...))
}

// String names the layer, its groups and channels.
func (l *GroupNorm) String() string {
	return normText("GroupNorm", fmt.Sprintf("%d, %d", l.groups, l.channels), &l.config)
}

func normText(name, sizes string, c *NormConfig) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(%s", name, sizes)
	switch {
	case c.NoAffine:
		b.WriteString(", no affine")
	case c.NoBias:
		b.WriteString(", no bias")
	}
	writeEps(&b, c.Eps)
	return b.String() + ")"
}

// sizesList returns one size as a number, and several as a list.
func sizesList(sizes []int) string {
	if len(sizes) == 1 {
		return fmt.Sprint(sizes[0])
	}
	return fmt.Sprint(sizes)
}
