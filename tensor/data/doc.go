// Package data brings data sets as tensors, ready for a training loop.
//
//	train, test := data.Digits()
//	for range epochs {
//		for x, y := range train.Batches(128) { // x float32 [128, 64], y int64 [128]
//			…
//		}
//	}
//
// [Digits] is embedded in the binary, so it needs neither network nor files. Its split into train
// and test is fixed; the order of the batches is drawn anew for every pass, from the generator of
// [tensor.Seed] or, after [Dataset.Seed], from the data set's own. A [Dataset] shows itself as a
// sheet of pictures in a notebook.
//
// Batches are made on the CPU; move them with To. Only pictures of digits are here yet.
package data
