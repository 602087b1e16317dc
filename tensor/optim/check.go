package optim

import (
	"fmt"
	"math"
)

// This file implements the checks of options. NaN passes none of them.

func notNegative(name string, v float64) error {
	if v >= 0 && v <= math.MaxFloat64 {
		return nil
	}
	return fmt.Errorf("%s %v: must be finite and not negative", name, v)
}

func finite(name string, v float64) error {
	if v >= -math.MaxFloat64 && v <= math.MaxFloat64 {
		return nil
	}
	return fmt.Errorf("%s %v: must be finite", name, v)
}

// fraction checks a β: at 1 an average would never take anything in.
func fraction(name string, v float64) error {
	if v >= 0 && v < 1 {
		return nil
	}
	return fmt.Errorf("%s %v: must be at least 0 and below 1", name, v)
}

// first returns the first error that is not nil.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
