//go:build !linux && !darwin && !windows

package memory

import "errors"

// Size returns the bytes of the machine's memory, which is not known here.
func Size() (uint64, error) { return 0, errors.ErrUnsupported }
