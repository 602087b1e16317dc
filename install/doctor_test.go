package install

import (
	"errors"
	"testing"
)

// TestNoGPU: what mends it depends on what is there.
func TestNoGPU(t *testing.T) {
	for _, c := range []struct {
		why, driver string
		want        Finding
	}{
		{"cuda: built without tag cuda", "", Finding{Name: "gpu",
			Text: "none, no NVIDIA driver (cuda: built without tag cuda)"}},
		{"cuda: no NVIDIA driver: libcuda.so.1: not found", "", Finding{Name: "gpu",
			Text: "none (cuda: no NVIDIA driver: libcuda.so.1: not found)"}},
		{"cuda: built without tag cuda", "580.1", Finding{State: Note, Name: "gpu",
			Text: "NVIDIA driver 580.1, not used: cuda: built without tag cuda",
			Fix:  "bash install/cuda.sh, in halfnote's sources, builds halfnote-cuda, which uses it"}},
		{"cuda: no NVIDIA driver: libcuda.so.1: not found", "580.1", Finding{State: Note, Name: "gpu",
			Text: "NVIDIA driver 580.1, not used: cuda: no NVIDIA driver: libcuda.so.1: not found",
			Fix:  "its library libcuda.so.1 is not to be found; a container gets it by --gpus all"}},
		{"cuda: the NVIDIA driver does not start", "580.1", Finding{State: Note, Name: "gpu",
			Text: "NVIDIA driver 580.1, not used: cuda: the NVIDIA driver does not start",
			Fix:  "nvidia-smi may tell more"}},
	} {
		if got := noGPU(errors.New(c.why), c.driver); got != c.want {
			t.Errorf("%s with driver %q:\n got %+v\nwant %+v", c.why, c.driver, got, c.want)
		}
	}
}
