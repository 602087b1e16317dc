package steps_test

import (
	"testing"

	"halfnote/amp/bench/steps"
)

// TestNew: each network does a step in each dtype, and one that does not exist is refused.
func TestNew(t *testing.T) {
	for _, name := range steps.Networks {
		for _, d := range steps.DTypes {
			steps.New(name, d)()
			steps.NewTiny(name, d)()
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a network that does not exist was made")
		}
	}()
	steps.New("mpl", steps.DTypes[0])
}
