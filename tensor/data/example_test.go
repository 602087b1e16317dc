package data_test

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"halfnote/tensor"
	"halfnote/tensor/data"
)

func Example() {
	train, test := data.Digits()
	samples := 0
	for x, y := range train.Batches(128) {
		samples += x.Shape()[0]
		if samples == 128 {
			fmt.Println(x.Shape(), x.DType(), y.Shape(), y.DType())
		}
	}
	fmt.Println(samples)
	fmt.Println(test)
	// Output:
	// [128 64] float32 [128] int64
	// 1437
	// digits (test): 360 samples, x float32 [360 64], y int64 [360]
}

func ExampleNew() {
	x := tensor.New([][]float32{{0, 0}, {0, 1}, {1, 0}, {1, 1}})
	y := tensor.New([]int64{0, 1, 1, 0})
	xor := data.New(x, y).Named("xor", "same", "different")
	fmt.Println(xor, xor.Classes())
	// Output: xor: 4 samples, x float32 [4 2], y int64 [4] [same different]
}

func ExampleDataset_Split() {
	train, _ := data.Digits()
	train, valid := train.Split(0.9, 1)
	fmt.Println(train.Len(), valid.Len())
	// Output: 1293 144
}

// Pictures for a convolution, normalized with the numbers of the training set.
func ExampleDataset_Map() {
	train, test := data.Digits()
	mean, std := train.MeanStd()
	pictures := data.Compose(data.Normalize(mean, std), data.Reshape(1, 8, 8))
	train, test = train.Map(pictures), test.Map(pictures)
	_, std = train.MeanStd()
	fmt.Printf("%v\n%v\nnow of deviation %.3f\n", train, test, std)
	// Output:
	// digits (train): 1437 samples, x float32 [1437 1 8 8], y int64 [1437]
	// digits (test): 360 samples, x float32 [360 1 8 8], y int64 [360]
	// now of deviation 1.000
}

// A training loop whose pictures are shifted and mirrored anew in every epoch, on two goroutines
// that work while the loop does.
func ExampleLoader() {
	train, _ := data.Digits()
	loader := data.NewLoader(train.Reshape(1, 8, 8), data.LoaderConfig{
		BatchSize: 256, Shuffle: true, Seed: 1, DropLast: true, Workers: 2,
		Transform: data.Compose(data.RandomShift(1), data.RandomFlip(0.5)),
		DType:     tensor.Float16,
	})
	for range 2 {
		for x, y := range loader.Batches() {
			if y.Size(0) != 256 || x.DType() != tensor.Float16 {
				log.Fatal(x, y)
			}
		}
		fmt.Println("epoch", loader.Epoch(), "of", loader.Len(), "batches comes next")
	}
	state := loader.StateDict() // goes into a checkpoint
	fmt.Println(state["seed"].Item(), state["epoch"].Item(), state["batch"].Item())
	// Output:
	// epoch 1 of 5 batches comes next
	// epoch 2 of 5 batches comes next
	// 1 2 0
}

// A transform of one's own is a function.
func ExampleTransform() {
	brighter := func(x, y *tensor.Tensor, r *rand.Rand) (*tensor.Tensor, *tensor.Tensor) {
		return x.Mul(2).Clamp(0, 1), y
	}
	x := tensor.New([][]float32{{0, 0.25, 0.75}})
	x, _ = data.New(x, tensor.Zeros(1)).Map(brighter).Tensors()
	fmt.Println(x.Float32s())
	// Output: [0 0.5 1]
}

// The files are looked for in HALFNOTE_DATA and in the module cache before they are fetched.
func ExampleMNIST() {
	train, test, err := data.MNIST()
	if err != nil {
		log.Fatal(err)
	}
	train, test = train.Reshape(1, 28, 28), test.Reshape(1, 28, 28)
	for x, y := range train.Batches(64) {
		_, _ = x, y // float32 [64, 1, 28, 28] and int64 [64]
	}
	fmt.Println(test)
}

func ExampleIDX() {
	dir := temporary()
	defer os.RemoveAll(dir)
	images := write(dir, "toy-images-idx3-ubyte",
		"\x00\x00\x08\x03"+"\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x02"+
			"\x00\x33\x66\x99\xcc\xff\x00\xff")
	labels := write(dir, "toy-labels-idx1-ubyte", "\x00\x00\x08\x01"+"\x00\x00\x00\x02"+"\x07\x01")
	toys, err := data.IDX(images, labels)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(toys)
	x, y := toys.At(1)
	fmt.Println(x.Float32s(), y.Int64s())
	// Output:
	// toy-images-idx3-ubyte: 2 samples, x float32 [2 4], y int64 [2]
	// [0.8 1 0 1] [1]
}

func ExampleCSV() {
	dir := temporary()
	defer os.RemoveAll(dir)
	path := write(dir, "iris.csv", `sepal,petal,species
5.1,1.4,setosa
7.0,4.7,versicolor
6.3,6.0,virginica
`)
	iris, err := data.CSV(path, data.CSVConfig{Label: "species"})
	if err != nil {
		log.Fatal(err)
	}
	_, y := iris.Tensors()
	fmt.Println(iris)
	fmt.Println(iris.Features(), iris.Classes(), y.Int64s())
	// Output:
	// iris: 3 samples, x float32 [3 2], y int64 [3]
	// [sepal petal] [setosa versicolor virginica] [0 1 2]
}

// Errors say where and what.
func ExampleReadCSV() {
	_, err := data.ReadCSV(strings.NewReader("a,b,y\n1,2,0\n3,,1\n"), data.CSVConfig{})
	fmt.Println(err)
	// Output: csv: line 3, column 2: "b": no value; complete the table or leave the line out
}

func ExampleFolder() {
	dir := temporary()
	defer os.RemoveAll(dir)
	for _, name := range []string{"circle/1.png", "circle/2.png", "square/1.png"} {
		var file strings.Builder
		img := image.NewGray(image.Rect(0, 0, 20, 10))
		img.Set(5, 5, color.White)
		if err := png.Encode(&file, img); err != nil {
			log.Fatal(err)
		}
		write(dir, name, file.String())
	}
	shapes, err := data.Folder(dir, data.FolderConfig{Height: 16, Width: 16, Grey: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(shapes.Named("shapes"), shapes.Classes())
	// Output: shapes: 3 samples, x float32 [3 1 16 16], y int64 [3] [circle square]
}

func ExampleText() {
	dir := temporary()
	defer os.RemoveAll(dir)
	corpus, err := data.Text(write(dir, "poem.txt", "to be or not to be"), data.TextConfig{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(corpus)
	x, y := corpus.Windows(5, 5).At(1)
	fmt.Printf("%q is followed by %q\n", corpus.Decode(x.Int64s()), corpus.Decode(y.Int64s()))
	// Output:
	// poem.txt: 18 characters, 7 different
	// " or n" is followed by "or no"
}

// temporary makes a folder for an example.
func temporary() string {
	dir, err := os.MkdirTemp("", "halfnote-")
	if err != nil {
		log.Fatal(err)
	}
	return dir
}

// write writes a file and returns its path.
func write(dir, name, content string) string {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		log.Fatal(err)
	}
	return path
}
