package cpu

import (
	"sync/atomic"
	"testing"
)

// TestParallelNests: a piece may call parallel itself, with all workers busy in such pieces.
func TestParallelNests(t *testing.T) {
	var done atomic.Int64
	parallel(16, func(int) {
		parallel(16, func(int) {
			parallel(16, func(int) { done.Add(1) })
		})
	})
	if got := done.Load(); got != 16*16*16 {
		t.Errorf("%d pieces done, want %d", got, 16*16*16)
	}
}

// TestParallelPanics: the panic of a piece reaches the caller, and the others are still done.
func TestParallelPanics(t *testing.T) {
	var done atomic.Int64
	defer func() {
		if p := recover(); p != "piece 3" {
			t.Errorf("recovered %v, want the panic of piece 3", p)
		}
		if got := done.Load(); got != 9 {
			t.Errorf("%d pieces done, want 9", got)
		}
	}()
	parallel(10, func(piece int) {
		if piece == 3 {
			panic("piece 3")
		}
		done.Add(1)
	})
}
