package amp

import (
	"halfnote/internal/many"
	"halfnote/internal/own"
	"halfnote/tensor"
)

// checks are the counts of infs and NaNs in an optimizer's gradients: one entry for each device
// that holds some, in the order in which the devices come, and none when nothing was checked. What
// was found is combined over devices only when it is read.
type checks []deviceCheck

type deviceCheck struct {
	device tensor.Device
	params []*tensor.Tensor
	places []int          // of the params in the optimizer's list
	counts *tensor.Tensor // [len(params), 2] on the device: infs and NaNs
	found  *tensor.Tensor // float32 without dimensions, there too: 1 where there are some; or nil
}

// add notes that parameter p, at that place of the optimizer's list, has a gradient to check.
func (c *checks) add(place int, p *tensor.Tensor) {
	for i := range *c {
		if d := &(*c)[i]; d.device == p.Device() {
			d.params, d.places = append(d.params, p), append(d.places, place)
			return
		}
	}
	*c = append(*c, deviceCheck{device: p.Device(), params: []*tensor.Tensor{p},
		places: []int{place}})
}

// count multiplies the gradients by inv in place, or where by is given by its inverse, and counts what
// is not finite.
func (c checks) count(inv float32, by *tensor.Tensor) {
	for i := range c {
		d := &c[i]
		var grads []*tensor.Tensor
		for _, p := range d.params {
			grads = append(grads, own.Grad(p))
		}
		if by == nil {
			d.counts = tensor.UnscaleInPlace(grads, inv)
			continue
		}
		quietly(func() { by = by.To(d.device) })
		counts, found := many.Unscale(grads, by)
		d.counts, d.found = counts.(*tensor.Tensor), found.(*tensor.Tensor)
	}
}

// foundInf reports whether any device found an inf or NaN; it reads the devices.
func (c checks) foundInf() bool {
	for _, d := range c {
		if d.found == nil {
			return c.total(0)+c.total(1) > 0
		}
		if d.found.Item() != 0 {
			return true
		}
	}
	return false
}

// total returns the number of infs (kind 0) or NaNs (kind 1).
func (c checks) total(kind int) (n int) {
	for _, d := range c {
		for i, v := range d.counts.Int64s() {
			if i%2 == kind {
				n += int(v)
			}
		}
	}
	return n
}

// first returns the first parameter with an inf or NaN and its place, or nil.
func (c checks) first() (p *tensor.Tensor, place int) {
	for _, d := range c {
		counts := d.counts.Int64s()
		for i, at := range d.places {
			if counts[2*i]+counts[2*i+1] > 0 && (p == nil || at < place) {
				p, place = d.params[i], at
			}
		}
	}
	return p, place
}

// flag returns more than 0 if any device found an inf or NaN and else 0, as a float32 tensor without
// dimensions on the first device. It waits for no device, but where there are several.
func (c checks) flag() (found *tensor.Tensor) {
	quietly(func() {
		for _, d := range c {
			here := d.found
			if here == nil {
				here = d.counts.SumAs(tensor.Int64).Gt(0).To(tensor.Float32)
			}
			if here = here.To(c[0].device); found != nil {
				here = here.Maximum(found)
			}
			found = here
		}
	})
	return found
}
