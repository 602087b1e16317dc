package repl

import (
	"runtime/debug"
	"testing"
)

func TestPercentFor(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 800}, {4 << 20, 800}, {16 << 20, 200}, {32 << 20, 100}, {10 << 30, 100},
	} {
		if got := percentFor(c.live); got != c.want {
			t.Errorf("percentFor(%d) = %d, want %d", c.live, got, c.want)
		}
	}
}

// TestPacerGivesWay checks that a percentage that somebody else has set stays.
func TestPacerGivesWay(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	p := &pacer{percent: 100}
	p.collected()
	if got := debug.SetGCPercent(77); got != 77 || p.percent != 100 {
		t.Errorf("the percentage is %d, the pacer's %d", got, p.percent)
	}
}
