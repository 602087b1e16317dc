package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCurrent finds outputs that were not generated again after a change.
func TestCurrent(t *testing.T) {
	for name, content := range outputs() {
		have, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || !bytes.Equal(have, content) {
			t.Errorf("%s is not what gen writes: run go generate ./tensor/internal/cpu/simd", name)
		}
	}
}
