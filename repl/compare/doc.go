// Compare runs folders of single-file Go programs in halfnote and says which do what Go does.
//
//	go run ./repl/compare                               # Go's own test programs
//	go run ./repl/compare -go -all repl/testdata/programs  # a folder, beside go run
//	go run ./repl/compare -run '^fixedbugs/issue4'      # only these
//	go run ./repl/compare -update                       # note anew what fails
//
// It is run at the root of the repository. Without a folder it takes those of GOROOT/test that hold
// programs. Taken are the files of package main that have no build constraint and, unless -all is
// given, begin with the line “// run”, as those of Go's tests do that are run as they are.
//
// Each program runs by itself as “halfnote run FILE” in its own folder, with nothing on its standard
// input, for at most 10 seconds and with at most 2 GiB. It passes if it exits with 0 and has
// printed, on standard output and standard error together, what the .out file beside it says; one
// of Go's tests without such a file must print nothing, as Go's own runner has it: they tell of
// faults in words. With -go a program is also compiled and run by Go: it may take ten times what it
// takes there, if that is more, and one of which nothing else is known must print and exit as it
// does there. What prints another thing each time that Go runs it is judged by its exit alone.
//
// The failures are of these kinds:
//
//	output    it printed something else: a silently wrong value, unless it speaks of the process
//	exit      it exited with another status, as a program does that finds a fault by itself
//	time      it had not ended in time
//	memory    it used too much memory
//	refused   halfnote cannot run it yet, and said so
//	internal  the process died, or spoke of code that is not the program's
//
// What is late among others is run again alone and may then wait for the processors; only their time
// counts.
//
// What is known to fail stands in failures.txt, a row each with its reason. A failure without a row
// is told, and the exit status is then 1. A row whose program passes is told too, but fails only
// with -strict, which also wants a reason in each row. A program that may take longer than it should
// on a slow machine can have a row too: it is kept while the program takes half of its time.
package main
