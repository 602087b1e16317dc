// Bench measures products, ops and training steps beside PyTorch and OpenBLAS on this machine's
// CPU.
//
//	go run ./amp/bench -python PYTHON                 # all of it, a quarter of an hour
//	go run ./amp/bench -python PYTHON step            # only what has step in its name
//	go run ./amp/bench -python PYTHON -threads 1 matmul/float16
//
// PYTHON is one that has torch and numpy, whose float32 products are OpenBLAS's. Without it only our
// own figures are printed.
//
// Each work runs in a process of its own for each peer (testdata/peer.py), all of one group, with 1
// thread and with 2. They call it once and then measure in turn, a few rounds of a quarter of a
// second, and each round gives the median time of a call. The table has the median of the rounds,
// the rate, the median of the rounds' ratios (how many times as fast as the peer we are), and what a
// call takes in memory at most beyond what it began with.
package main
