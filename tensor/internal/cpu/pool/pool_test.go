package pool

import (
	"sync/atomic"
	"testing"
)

// TestRunNests: a piece may call Run itself, with all workers busy in such pieces.
func TestRunNests(t *testing.T) {
	var done atomic.Int64
	Run(16, func(int) {
		Run(16, func(int) {
			Run(16, func(int) { done.Add(1) })
		})
	})
	if got := done.Load(); got != 16*16*16 {
		t.Errorf("%d pieces done, want %d", got, 16*16*16)
	}
}

// TestRunPanics: the panic of a piece reaches the caller, and the others are still done.
func TestRunPanics(t *testing.T) {
	var done atomic.Int64
	defer func() {
		if p := recover(); p != "piece 3" {
			t.Errorf("recovered %v, want the panic of piece 3", p)
		}
		if got := done.Load(); got != 9 {
			t.Errorf("%d pieces done, want 9", got)
		}
	}()
	Run(10, func(piece int) {
		if piece == 3 {
			panic("piece 3")
		}
		done.Add(1)
	})
}
