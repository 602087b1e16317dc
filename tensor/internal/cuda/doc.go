// Package cuda computes tensors on NVIDIA's GPUs. It implements the groups of ops of package device
// with compiled kernels, one file of Go and one or a few of CUDA C++ for each group, and knows their
// memory.
//
// It is built with the tag cuda, after install/cuda.sh has compiled the kernels and the library that
// finds the driver when the program runs. Without the tag, [Open] and [Error] say so.
//
//	bash install/cuda.sh standin
//	eval "$(bash install/cuda.sh env)"
//	go test -tags cuda ./tensor/internal/cuda
//
// A kernel takes one struct by value, which a struct of the same fields mirrors in Go. The fatbins of
// all files in kernels/ are packed into build/kernels.zip and embedded; one is loaded when its first
// kernel is launched. What each kernel takes of registers and shared memory stands in
// build/kernels/report.txt.
//
// # Tests
//
// The twin of each kernel is the op in package cpu: tests compute both on the same elements, in every
// dtype and layout. They need no GPU: standin/ is a driver whose kernels are the same files, compiled
// for the processor, a fiber for each thread. It runs streams as late as it may, and its threads in
// any order, so that a missing barrier or wait shows. HALFNOTE_TEST_GPU=1 tests on a GPU instead, as
// install/gpu-check.sh does, which compares it with the stand-in too: -record FILE writes what kernels
// gave, and -recorded FILE compares, bit for bit where they neither call CUDA's functions, such as exp,
// nor multiply on tensor cores. HALFNOTE_SEED=N has all compute with other random numbers.
//
// # Environment
//
//	HALFNOTE_LIBCUDA       the driver's library instead of libcuda.so.1
//	HALFNOTE_CUDA_SYNC=1   waits for each kernel, so that its errors, and positions out of range, are
//	                       told at their op
//	HALFNOTE_CUDA_CACHE=0  gives each tensor memory of its own, for compute-sanitizer
//	HALFNOTE_CUBLAS        0 turns cuBLAS off, a path names its library
//	HALFNOTE_POISON        fills memory that is not cleared, to find what is read before it is written
//	HALFNOTE_STANDIN_…     what the stand-in claims to be: see standin/device.cpp
//
// Package tensor reads HALFNOTE_DEVICE, where tensors are made.
package cuda
