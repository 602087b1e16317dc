//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"
)

// Describe returns what is known of each GPU; the error is why there are none.
func Describe() ([]Card, error) {
	n, err := driver()
	if err != nil {
		return nil, err
	}
	cards := make([]Card, n)
	version := cu.Version()
	for i := range cards {
		c := &cards[i]
		c.Name, c.Capability = "a GPU without a name", "unknown"
		c.Driver = fmt.Sprintf("%d.%d", version/1000, version%1000/10)
		if d, err := cu.GetDevice(i); err == nil {
			if name, err := d.Name(); err == nil && name != "" {
				c.Name = name
			}
			if major, minor, err := d.ComputeCapability(); err == nil {
				c.Capability = fmt.Sprintf("%d.%d", major, minor)
			}
			c.Memory, _ = d.TotalMem()
		}
		_, c.Err = Open(i)
		c.BLAS = blasName()
	}
	return cards, nil
}
