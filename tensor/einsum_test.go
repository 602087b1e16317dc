package tensor_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// sumOfProducts computes an equation of letters by its definition. Sizes of 1 are broadcast.
func sumOfProducts(terms []string, out string, ts []*T) []float64 {
	sizes := map[byte]int{}
	for i, term := range terms {
		for d := range term {
			sizes[term[d]] = max(sizes[term[d]], ts[i].Size(d))
		}
	}
	letters := []byte(out)
	for _, term := range terms {
		for _, c := range []byte(term) {
			if !slices.Contains(letters, c) {
				letters = append(letters, c)
			}
		}
	}
	n := 1
	for _, c := range []byte(out) {
		n *= sizes[c]
	}
	sums := make([]float64, n)
	at := map[byte]int{}
	var visit func(k, to int)
	visit = func(k, to int) {
		if k < len(letters) {
			for i := range sizes[letters[k]] {
				at[letters[k]] = i
				next := to
				if k < len(out) {
					next = to*sizes[letters[k]] + i
				}
				visit(k+1, next)
			}
			return
		}
		product := 1.0
		for i, term := range terms {
			x := ts[i]
			for _, c := range []byte(term) {
				x = x.Index(min(at[c], x.Size(0)-1))
			}
			product *= x.Item()
		}
		sums[to] += product
	}
	visit(0, 0)
	return sums
}

// TestEinsumRandom compares random equations with their definition.
func TestEinsumRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var terms []string
		var ts []*T
		used := map[byte]bool{}
		for range 1 + r.IntN(3) {
			term := make([]byte, r.IntN(4))
			shape := make([]int, len(term))
			for d := range term {
				term[d] = byte('a' + r.IntN(4))
				used[term[d]] = true
				shape[d] = int(term[d]-'a')%3 + 1
			}
			for d := range term { // broadcast a letter that stands here once
				if r.IntN(6) == 0 && strings.Count(string(term), string(term[d])) == 1 {
					shape[d] = 1
				}
			}
			terms = append(terms, string(term))
			ts = append(ts, tensor.Randn(shape...).To(tensor.Float64))
		}
		var out []byte
		for c := range used {
			if r.IntN(2) == 0 {
				out = append(out, c)
			}
		}
		slices.Sort(out)
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		equation := strings.Join(terms, ",") + "->" + string(out)
		got := tensor.Einsum(equation, ts...)
		want := sumOfProducts(terms, string(out), ts)
		near(t, equation, got.Float64s(), want, tensor.Float64, 100)
	}
}

// TestEinsumRounding: halves are rounded once, at the end.
func TestEinsumRounding(t *testing.T) {
	x := tensor.Full(256, 4, 4).To(tensor.Float16)
	small := tensor.Full(0x1p-10, 4).To(tensor.Float16)
	got := tensor.Einsum("ij,kl,k->i", x, x, small) // 1024·1024·4 sums overflow on the way
	equal(t, "dtype", got.DType(), tensor.Float16)
	equal(t, "value", got.Index(0).Item(), 1024.0*1024*4*0x1p-10)
}

func TestEinsumMistakes(t *testing.T) {
	m := tensor.Ones(2, 3)
	for want, f := range map[string]func(){
		`einsum: equation "ij,jk->ik" names 2 tensors, and 1 are given`: func() {
			tensor.Einsum("ij,jk->ik", m)
		},
		`einsum: equation "ij,jk->ik", position 3: j stands for sizes 3 and 2`: func() {
			tensor.Einsum("ij,jk->ik", m, m)
		},
		`einsum: equation "ijk->i", position 0: "ijk" has 3 letters for shape [2 3]`: func() {
			tensor.Einsum("ijk->i", m)
		},
		`einsum: equation "i1->i", position 1: '1' is neither a letter nor part of ...`: func() {
			tensor.Einsum("i1->i", m)
		},
		`einsum: equation "i..->i", position 1: a lone dot; an ellipsis has three`: func() {
			tensor.Einsum("i..->i", m)
		},
		`einsum: equation "...i...->i", position 4: a second ellipsis in a term`: func() {
			tensor.Einsum("...i...->i", m)
		},
		`einsum: equation "ij->ik", position 5: k stands behind -> and in no tensor`: func() {
			tensor.Einsum("ij->ik", m)
		},
		`einsum: equation "ij->ii", position 5: i stands twice behind ->`: func() {
			tensor.Einsum("ij->ii", m)
		},
		`einsum: equation "ij->i>", position 5: '>' is neither a letter nor part of the one ...`: func() {
			tensor.Einsum("ij->i>", m)
		},
		`einsum: equation "ii", position 1: i stands for sizes 2 and 3 of shape [2 3]`: func() {
			tensor.Einsum("ii", m)
		},
		`einsum: equation "...,...i", position 4: ... stands for sizes 3 and 2`: func() {
			tensor.Einsum("...,...i", m, m)
		},
		`einsum: no tensors given for ""`: func() { tensor.Einsum("") },
		"einsum: dtypes float32 and float64 differ; convert one with To": func() {
			tensor.Einsum("ij,ij", m, m.To(tensor.Float64))
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}

func ExampleEinsum() {
	a := tensor.New([][]float64{{1, 2}, {3, 4}})
	fmt.Println(tensor.Einsum("ii", a).Item(), tensor.Einsum("ij->j", a).Float64s())
	// Output: 5 [4 6]
}
