// In which order blocks, warps and threads run: HALFNOTE_STANDIN_ORDER is forward, reverse, or a number
// from which random orders follow.
#pragma once

#include <cstdint>

namespace standin {

// A Round goes through the numbers below n, each once.
class Round {
	long n, left, at, step;

public:
	explicit Round(long n = 0);

	// next returns the next number, or -1 when all have been; peek leaves it there.
	long peek() const { return left ? at : -1; }
	long next() {
		if (!left) return -1;
		long i = at;
		left--;
		at += step;
		if (at >= n) at -= n;
		return i;
	}
};

// rounds_of_warp is how often a warp's threads may run before another warp's.
int rounds_of_warp();

}
