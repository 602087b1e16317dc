package cpu

// A sweep is one dimension of a correlation, which computes outputs from elements in fixed
// distances: output u meets element base+u for each tap. Where windows move in steps, what is read is
// cut into phases, of every split-th element each, so that this holds within a phase.
type sweep struct {
	taps        []tap // those that meet any element
	size        int   // number of outputs
	first, step int   // output u lies at first + u·step
	n           int   // elements that are read
	split       int   // number of phases
	lo, hi      int   // smallest and largest base
}

// A tap is a place of the kernel along a sweep.
type tap struct{ at, phase, base int }

// forwardSweep is a sweep of a convolution of n elements to size outputs.
func forwardSweep(n, kernel, size, stride, padding, dilation int) sweep {
	a := sweep{size: size, step: 1, n: n, split: stride}
	for k := range kernel {
		e := k*dilation - padding
		phase := (e%stride + stride) % stride
		a.add(tap{k, phase, (e - phase) / stride})
	}
	return a
}

// inputSweeps are the sweeps that compute n inputs of a convolution from size outputs: one for each
// remainder of an input's place when divided by the stride, for these meet different taps.
func inputSweeps(n, kernel, size, stride, padding, dilation int) []sweep {
	sweeps := make([]sweep, 0, stride)
	for r := range min(stride, n) { // no more remainders than inputs
		place := (r + padding) % stride
		u0 := (r + padding) / stride
		a := sweep{first: r, step: stride, n: size, split: 1, size: (n - r + stride - 1) / stride}
		for k := range kernel {
			if k*dilation%stride == place {
				a.add(tap{k, 0, u0 - (k*dilation-place)/stride})
			}
		}
		sweeps = append(sweeps, a)
	}
	return sweeps
}

func (a *sweep) add(t tap) {
	if t.base+a.size <= 0 || t.base >= a.length() {
		return
	}
	if len(a.taps) == 0 {
		a.lo, a.hi = t.base, t.base
	}
	a.lo, a.hi = min(a.lo, t.base), max(a.hi, t.base)
	a.taps = append(a.taps, t)
}

// length returns the elements of the longest phase.
func (a *sweep) length() int { return (a.n + a.split - 1) / a.split }

// phases returns those that taps read.
func (a *sweep) phases() (phases []int) {
	seen := map[int]bool{}
	for _, t := range a.taps {
		if !seen[t.phase] {
			seen[t.phase] = true
			phases = append(phases, t.phase)
		}
	}
	return phases
}
