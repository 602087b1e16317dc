// Bench measures how fast programs run in halfnote, beside compiled Go, CPython, PyTorch and yaegi
// as it is.
//
//	go run ./repl/bench                         # all of it, a minute or two
//	go run ./repl/bench -rounds 9 fib methods   # only these, with more care
//	go run ./repl/bench -torch venv/bin/python forward backward train
//	go test -run '^$' -bench Cell ./repl        # what a cell costs before it runs
//	go test -run '^$' -bench Call ./repl        # what it costs to call compiled code
//
// The programs are in testdata, each in Go and in Python. They say themselves how long their work
// took, so that starting and compiling do not count; a program that ends at once shows those. Each
// round runs a program everywhere, one after the other; the table has the best of the rounds, in
// milliseconds, and how many times as fast as its peers halfnote is.
package main
