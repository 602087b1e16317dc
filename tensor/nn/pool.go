package nn

import (
	"fmt"
	"slices"
	"strings"

	"halfnote/tensor"
)

// A PoolConfig holds the options of the pooling layers. Its Kernel, if given, replaces the size
// that the constructor takes.
type PoolConfig = tensor.PoolConfig

// MaxPool2d takes the largest element of each window of x [N, C, H, W] or [C, H, W].
type MaxPool2d struct{ config PoolConfig }

// MaxPool1d takes the largest element of each window of x [N, C, L] or [C, L].
type MaxPool1d struct{ config PoolConfig }

// AvgPool2d takes the mean of each window of x [N, C, H, W] or [C, H, W].
type AvgPool2d struct{ config PoolConfig }

// AvgPool1d takes the mean of each window of x [N, C, L] or [C, L].
type AvgPool1d struct{ config PoolConfig }

// NewMaxPool2d returns a layer with windows of kernel × kernel, side by side unless the config has
// a stride. It panics with a [*tensor.Error] if a size is less than 1.
func NewMaxPool2d(kernel int, config ...PoolConfig) *MaxPool2d {
	return &MaxPool2d{poolConfig("max_pool2d", 2, kernel, config)}
}

// NewMaxPool1d returns a layer with windows of that size; see [NewMaxPool2d].
func NewMaxPool1d(kernel int, config ...PoolConfig) *MaxPool1d {
	return &MaxPool1d{poolConfig("max_pool1d", 1, kernel, config)}
}

// NewAvgPool2d returns a layer with windows of kernel × kernel; see [NewMaxPool2d].
func NewAvgPool2d(kernel int, config ...PoolConfig) *AvgPool2d {
	return &AvgPool2d{poolConfig("avg_pool2d", 2, kernel, config)}
}

// NewAvgPool1d returns a layer with windows of that size; see [NewMaxPool2d].
func NewAvgPool1d(kernel int, config ...PoolConfig) *AvgPool1d {
	return &AvgPool1d{poolConfig("avg_pool1d", 1, kernel, config)}
}

func poolConfig(op string, dims, kernel int, config []PoolConfig) PoolConfig {
	c := option(op, config)
	c.Kernel = kernelSizes(op, dims, kernel, c.Kernel)
	return c
}

// Forward returns the largest elements; see [tensor.MaxPool2d].
func (p *MaxPool2d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(p, tensor.MaxPool2d(x, p.config))
}

// Forward returns the largest elements; see [tensor.MaxPool1d].
func (p *MaxPool1d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(p, tensor.MaxPool1d(x, p.config))
}

// Forward returns the means; see [tensor.AvgPool2d].
func (p *AvgPool2d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(p, tensor.AvgPool2d(x, p.config))
}

// Forward returns the means; see [tensor.AvgPool1d].
func (p *AvgPool1d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(p, tensor.AvgPool1d(x, p.config))
}

// String names the layer, its windows and what differs from the usual.
func (p *MaxPool2d) String() string { return poolText("MaxPool2d", &p.config) }

// String names the layer, its windows and what differs from the usual.
func (p *MaxPool1d) String() string { return poolText("MaxPool1d", &p.config) }

// String names the layer, its windows and what differs from the usual.
func (p *AvgPool2d) String() string { return poolText("AvgPool2d", &p.config) }

// String names the layer, its windows and what differs from the usual.
func (p *AvgPool1d) String() string { return poolText("AvgPool1d", &p.config) }

func poolText(name string, c *PoolConfig) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(%s", name, sizesText(c.Kernel))
	writeSizes(&b, "stride", c.Stride)
	writeSizes(&b, "padding", c.Padding)
	writeSizes(&b, "dilation", c.Dilation)
	if c.Ceil {
		b.WriteString(", ceil")
	}
	if c.ExcludePadding {
		b.WriteString(", padding excluded")
	}
	if c.Divisor != 0 {
		fmt.Fprintf(&b, ", divisor %d", c.Divisor)
	}
	return b.String() + ")"
}

// AdaptiveAvgPool2d cuts planes into a fixed number of parts, and takes the mean of each.
type AdaptiveAvgPool2d struct{ size []int }

// AdaptiveAvgPool1d cuts lines into a fixed number of parts, and takes the mean of each.
type AdaptiveAvgPool1d struct{ size int }

// AdaptiveMaxPool2d cuts planes into a fixed number of parts, and takes the largest element of
// each.
type AdaptiveMaxPool2d struct{ size []int }

// AdaptiveMaxPool1d cuts lines into a fixed number of parts, and takes the largest element of each.
type AdaptiveMaxPool1d struct{ size int }

// NewAdaptiveAvgPool2d returns a layer whose output has size rows and columns, or size[0] rows and
// size[1] columns: 1 is the mean of the whole plane. See [tensor.AdaptiveAvgPool2d].
func NewAdaptiveAvgPool2d(size ...int) *AdaptiveAvgPool2d {
	return &AdaptiveAvgPool2d{adaptiveSize("adaptive_avg_pool2d", size)}
}

// NewAdaptiveAvgPool1d returns a layer whose output has that size.
func NewAdaptiveAvgPool1d(size int) *AdaptiveAvgPool1d { return &AdaptiveAvgPool1d{size} }

// NewAdaptiveMaxPool2d is [NewAdaptiveAvgPool2d] with the largest element in place of the mean.
func NewAdaptiveMaxPool2d(size ...int) *AdaptiveMaxPool2d {
	return &AdaptiveMaxPool2d{adaptiveSize("adaptive_max_pool2d", size)}
}

// NewAdaptiveMaxPool1d returns a layer whose output has that size.
func NewAdaptiveMaxPool1d(size int) *AdaptiveMaxPool1d { return &AdaptiveMaxPool1d{size} }

func adaptiveSize(op string, size []int) []int {
	if len(size) != 1 && len(size) != 2 {
		fail(op, "output size %v: must be one number, or rows and columns", size)
	}
	return slices.Clone(size)
}

// Forward returns the means of the parts.
func (p *AdaptiveAvgPool2d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(p, tensor.AdaptiveAvgPool2d(x, p.size...))
}

// Forward returns the means of the parts.
func (p *AdaptiveAvgPool1d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(p, tensor.AdaptiveAvgPool1d(x, p.size))
}

// Forward returns the largest elements of the parts.
func (p *AdaptiveMaxPool2d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(p, tensor.AdaptiveMaxPool2d(x, p.size...))
}

// Forward returns the largest elements of the parts.
func (p *AdaptiveMaxPool1d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(p, tensor.AdaptiveMaxPool1d(x, p.size))
}

// String names the layer and the size of its output.
func (p *AdaptiveAvgPool2d) String() string {
	return fmt.Sprintf("AdaptiveAvgPool2d(%s)", sizesText(p.size))
}

// String names the layer and the size of its output.
func (p *AdaptiveAvgPool1d) String() string { return fmt.Sprintf("AdaptiveAvgPool1d(%d)", p.size) }

// String names the layer and the size of its output.
func (p *AdaptiveMaxPool2d) String() string {
	return fmt.Sprintf("AdaptiveMaxPool2d(%s)", sizesText(p.size))
}

// String names the layer and the size of its output.
func (p *AdaptiveMaxPool1d) String() string { return fmt.Sprintf("AdaptiveMaxPool1d(%d)", p.size) }
