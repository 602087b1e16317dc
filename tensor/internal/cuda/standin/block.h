// The running block: its threads, which are fibers, and what they wait for.
#pragma once

#include <cuda.h>
#include <vector_types.h>

#include <cstdint>
#include <vector>

#include "fiber.h"
#include "thread.h"

namespace standin {

constexpr int MaxThreads = 1024, WarpSize = 32, MaxShared = 232448;

enum class State : uint8_t { Fresh, Ready, AtBarrier, Meeting, Done };

// A Copy is one that a thread has begun and not waited for.
struct Copy {
	char *to;
	const char *from;
	size_t bytes, zeros, stage;
	const char *file;
	int line;
};

struct Warp;

// A Thread is one of CUDA's.
struct Thread {
	State state;
	bool vote;
	int number, lane; // in the block, in the warp
	uint3 index;
	Warp *warp;
	Stack *stack;

	// Where it waits, and with whom.
	const char *file, *what;
	int line;
	unsigned mask;
	void (*all)(void **);
	void *mine;

	// Its asynchronous copies, the oldest first, and how often it has committed some.
	std::vector<Copy> copies;
	size_t stage;
};

struct Warp {
	int count; // of its threads
	unsigned alive, meeting; // lanes
	uint32_t epoch; // counts __syncwarp
	Thread *threads;
};

// A Launch is a kernel with its grid and argument.
struct Launch {
	const Entry *entry;
	dim3 grid, block;
	unsigned shared;
	std::vector<char> argument;
	int device;
};

// What runs.
extern Thread *now;        // null between kernels
extern const Launch *launch;
extern uint3 block_number;
extern uint32_t epoch, block_epoch; // count barriers; the first of this block
extern char *dynamic;      // shared memory that the launch asks for
extern Thread threads[MaxThreads];

// meet_lanes waits for the lanes that mask names and that have not ended. The last one that comes calls
// all with what each lane gave, and null for those that take no part.
void meet_lanes(unsigned mask, void (*all)(void **), void *mine, const char *what, const char *file, int line);

// run runs a launch, and returns what a real driver would say of it.
CUresult run(const Launch &);

// fail ends the running launch with an error, after a line on stderr that says where the thread is.
[[noreturn]] void fail(CUresult, const char *format, ...) __attribute__((format(printf, 2, 3)));

}
