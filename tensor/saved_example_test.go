package tensor_test

import (
	"fmt"
	"os"
	"path/filepath"

	"halfnote/tensor"
)

// A generator draws the same after the same seed, and can be saved anywhere in between.
func ExampleGenerator() {
	g := tensor.NewGenerator(7)
	fmt.Println(g.Rand(2, 2))
	fmt.Println(g)

	state := g.StateDict()
	fmt.Println(g.Randint(0, 100, 5), g.Perm(5))
	if err := g.LoadStateDict(state); err != nil {
		fmt.Println(err)
	}
	fmt.Println(g.Randint(0, 100, 5), g.Perm(5))

	x := tensor.Ones(8).To(tensor.Float16)
	fmt.Println(x.Dropout(0.5, g))
	// Output:
	// tensor([[0.9546, 0.7502],
	//         [0.1142, 0.0857]], shape=[2 2], dtype=float32)
	// Generator(seed 7, offset 1)
	// tensor([79, 95,  0, 84, 25], shape=[5], dtype=int64) [0 2 4 1 3]
	// tensor([79, 95,  0, 84, 25], shape=[5], dtype=int64) [0 2 4 1 3]
	// tensor([2., 2., 0., 0., 2., 0., 2., 2.], shape=[8], dtype=float16)
}

// Tensors of all dtypes go into one file, which Python reads with
// safetensors.numpy.load_file.
func ExampleSaveSafetensors() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "weights.safetensors")

	err = tensor.SaveSafetensors(path, map[string]*tensor.Tensor{
		"weight": tensor.New([][]float32{{1, 2}, {3, 4}}).To(tensor.BFloat16),
		"steps":  tensor.New(300),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	loaded, err := tensor.LoadSafetensors(path)
	fmt.Println(loaded["weight"], loaded["steps"], err)
	// Output:
	// tensor([[1., 2.],
	//         [3., 4.]], shape=[2 2], dtype=bfloat16) tensor(300, shape=[], dtype=int64) <nil>
}
