// Bench measures products, ops and training steps beside PyTorch and OpenBLAS on this machine's
// CPU, or beside PyTorch on a GPU.
//
//	go run ./amp/bench -python PYTHON                 # all of it, a quarter of an hour
//	go run ./amp/bench -python PYTHON step            # only what has step in its name
//	go run ./amp/bench -python PYTHON -threads 1 matmul/float16
//
//	go run -tags cuda ./amp/bench -python PYTHON -device cuda:0 # on a GPU, a minute
//	go run -tags cuda ./amp/bench -python PYTHON -device cuda:0 -trajectory
//
// PYTHON is one that has torch and numpy, whose float32 products are OpenBLAS's. Without it only our
// own figures are printed.
//
// Each work runs in a process of its own for each peer (testdata/peer.py), all of one group, with 1
// thread and with 2. They call it once and then measure in turn, a few rounds of a quarter of a
// second, and each round gives the median time of a call. The table has the median of the rounds,
// the rate, the median of the rounds' ratios (how many times as fast as the peer we are), and what a
// call takes in memory at most beyond what it began with.
//
// On a GPU each peer is one process, which queues calls for some milliseconds between two events, by
// which the GPU says how long they took; of small ones it is measured how long the host took to queue
// them. One of the peers is halfnote with the products of its own kernels alone, without cuBLAS. What
// goes through memory is compared with a copy, which tells how fast the GPU's memory is. Rows of graphs
// show training steps that tensor.Graph repeats, beside PyTorch's without a graph.
//
// With -trajectory the losses and scales of a float16 run with a GradScaler are compared instead: on the
// device, on the CPU and in torch.amp, from the same weights and data. They differ by roundings alone.
package main
