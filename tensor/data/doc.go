// Package data brings data sets as tensors, ready for a training loop.
//
//	train, test := data.Digits()
//	for range epochs {
//		for x, y := range train.Batches(128) { // x float32 [128, 64], y int64 [128]
//			…
//		}
//	}
//
// A [Dataset] is inputs x and labels y, made by [New] from tensors or read by
//
//   - [Digits]: 8×8 handwritten digits, embedded in the binary: needs neither network nor files
//   - [MNIST]: 28×28 handwritten digits, from a folder, the module cache or the network
//   - [IDX]: other sets in MNIST's format
//   - [CSV]: tables, with numbers and names of classes
//   - [Folder]: pictures, a sub-folder for each class
//   - [Text]: a [Corpus] of characters or bytes, whose Windows are a data set
//
// Then Subset, Take, Split, Reshape and Map make other sets of it. Batches is the simple way
// through it; a [Loader] makes batches ahead on goroutines, applies a [Transform] that draws anew
// in each epoch, moves them to a dtype and device, and its place can be saved and loaded.
//
// The split of Digits and MNIST into train and test is fixed. The order of the batches is drawn
// anew for every pass, from the generator of [tensor.Seed] or, after [Dataset.Seed], from the data
// set's own; a Loader has its seed.
//
// In a notebook a set of pictures shows itself as a sheet of them, and a table as its first lines.
//
// What is wrong with a file is an [*Error] that names the file, the place and the way out; sizes in
// headers are compared with the file's length before memory is taken. All samples are kept in
// memory, a byte for each pixel that was read from a file; sets larger than that cannot be used.
package data
