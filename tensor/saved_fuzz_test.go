package tensor_test

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"testing"

	"halfnote/tensor"
)

// These tests feed the readers with anything. They must return an error or tensors that can be
// saved and read again, never panic, and take no memory beyond what the bytes they were given hold.

// modest calls read and fails where it took more memory than n bytes explain.
func modest(t *testing.T, n int, read func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(1<<22+1000*n) {
		t.Fatalf("%d bytes of memory were taken for %d", took, n)
	}
}

func addFile(f *testing.F, name string) {
	b, err := os.ReadFile(saved(name))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
}

func FuzzSafetensors(f *testing.F) {
	addFile(f, "python.safetensors")
	for _, c := range badSafetensors {
		f.Add(safetensorsFile(c.header, c.data))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var got, again map[string]*T
		var metadata map[string]string
		var err error
		modest(t, len(b), func() {
			got, metadata, err = tensor.ReadSafetensors(bytes.NewReader(b))
		})
		modest(t, len(b), func() { again, _, _ = tensor.ReadSafetensors(stream(b)) })
		if err != nil {
			if again != nil {
				t.Fatalf("a stream is read, and bytes are not: %v", err)
			}
			return
		}
		sameTensors(t, "stream", again, got)
		var out bytes.Buffer
		if err := tensor.WriteSafetensors(&out, got, metadata); err != nil {
			t.Fatal(err)
		}
		if again, _, err = tensor.ReadSafetensors(&out); err != nil {
			t.Fatal(err)
		}
		sameTensors(t, "written", again, got)
	})
}

func FuzzNPY(f *testing.F) {
	for _, name := range []string{"fortran.npy", "big.npy", "version2.npy", "structured.npy",
		"object.npy", "complex.npy", "bfloat16.npy"} {
		addFile(f, name)
	}
	for _, c := range badNPY {
		f.Add(npyFile(c.header, c.data))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var got, again *T
		var err error
		modest(t, len(b), func() { got, err = tensor.ReadNPY(bytes.NewReader(b)) })
		modest(t, len(b), func() { again, _ = tensor.ReadNPY(stream(b)) })
		if err != nil {
			if again != nil {
				t.Fatalf("a stream is read, and bytes are not: %v", err)
			}
			return
		}
		checkNPY(t, again, got)
		var out bytes.Buffer
		if err := tensor.WriteNPY(&out, got); err != nil {
			t.Fatal(err)
		}
		if again, err = tensor.ReadNPY(&out); err != nil {
			t.Fatal(err)
		}
		checkNPY(t, again, got)
	})
}

func checkNPY(t *testing.T, got, want *T) {
	t.Helper()
	sameTensors(t, "again", map[string]*T{"": got}, map[string]*T{"": want})
}

func FuzzNPZ(f *testing.F) {
	addFile(f, "stored.npz")
	addFile(f, "deflated.npz")
	f.Add(zipOf(f, "a.txt", "no array"))
	f.Add(zipOf(f, "a.npy", "", "a.npy", ""))
	f.Fuzz(func(t *testing.T, b []byte) {
		var got map[string]*T
		var err error
		modest(t, len(b), func() { got, err = tensor.ReadNPZ(bytes.NewReader(b), int64(len(b))) })
		if err != nil {
			return
		}
		// A name that is not UTF-8 can be read, and not written.
		if err := tensor.WriteNPZ(io.Discard, got); err != nil {
			return
		}
		var out bytes.Buffer
		if err := tensor.WriteNPZ(&out, got); err != nil {
			t.Fatal(err)
		}
		again, err := tensor.ReadNPZ(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		sameTensors(t, "written", again, got)
	})
}
