package nn_test

import (
	"fmt"
	"os"
	"path/filepath"

	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// A run is saved after each epoch. The process that resumes it makes the same parts and loads them.
func ExampleCheckpoint() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.safetensors")

	start := func() (nn.Checkpoint, func() float64) {
		model := nn.NewSequential(nn.NewLinear(4, 8), nn.NewDropout(0.2), nn.NewLinear(8, 1))
		opt := optim.NewAdam(nn.Parameters(model), optim.AdamConfig{LR: 0.01})
		epoch := 0
		step := func() float64 {
			opt.ZeroGrad()
			loss := model.Forward(tensor.Randn(16, 4)).Square().Mean()
			loss.Backward()
			opt.Step()
			epoch++
			return loss.Item()
		}
		return nn.Checkpoint{"model": model, "optimizer": opt, "epoch": &epoch,
			"generator": tensor.DefaultGenerator()}, step
	}

	run, step := start()
	step()
	if err := run.Save(path); err != nil {
		fmt.Println(err)
	}
	want := step()

	run, step = start()
	if err := run.Load(path); err != nil {
		fmt.Println(err)
	}
	fmt.Println(step() == want, *run["epoch"].(*int))
	// Output: true 2
}
