package tensor_test

import (
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestMistakesTold: a position out of range fails at the op on the CPU. A GPU is not waited for there:
// the next read of the goroutine fails, once and with the same text.
func TestMistakesTold(t *testing.T) {
	x := tensor.Arange(6.0).Reshape(2, 3)
	const want = "index_select: position 9 is outside of dimension 0 of shape [2 3]"
	pick := func(index *T) { x.IndexSelect(0, index) }
	read := func() { x.Sum().Item() }
	for name, test := range map[string]struct {
		op    func(index *T) // makes the mistake
		after func(index *T) // on a GPU, between the op and the read
		read  func()
	}{
		"a value":               {pick, nil, read},
		"a wait":                {pick, nil, func() { tensor.Synchronize() }},
		"the index has changed": {pick, func(index *T) { index.FillInPlace(0) }, read},
		"the index is freed":    {pick, (*T).Free, read},
		"another goroutine": {pick, func(*T) {
			on(func() {
				if got := told(read); got != "" {
					t.Errorf("another goroutine is told %q", got)
				}
			})
		}, read},
		"a goroutine that inherits": {func(index *T) {
			with := tensor.Inherit()
			var failed any
			on(func() {
				defer func() { failed = recover() }()
				with(func() { pick(index) })
			})
			if failed != nil {
				panic(failed)
			}
		}, nil, read},
		"no read": {pick, nil, func() {
			for range 1000 { // more than are kept
				x.IndexSelect(0, tensor.Zeros(1).To(tensor.Int64))
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			index := tensor.New([]int64{1, 9})
			got := told(func() { test.op(index) })
			if !reference.OnCPU() {
				if got != "" {
					t.Errorf("the op fails: %q", got)
				}
				if test.after != nil {
					test.after(index)
				}
				got = told(test.read)
			}
			if got != want {
				t.Errorf("told %q, want %q", got, want)
			}
			if again := told(read); again != "" {
				t.Errorf("told again: %q", again)
			}
		})
	}
}

// told returns the text of the *tensor.Error that f panics with, or nothing.
func told(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			e := *p.(*tensor.Error)
			if e.Late == reference.OnCPU() {
				panic(p)
			}
			e.Late = false
			text = e.Error()
		}
	}()
	f()
	return ""
}
