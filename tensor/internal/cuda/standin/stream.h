// Queues of work. Nothing runs before somebody waits for it, so that a wait that is missing shows.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "device.h"

namespace standin {

typedef std::function<CUresult()> Work;

struct Graph;

// A Point in a stream is reached when so much of its work is done.
struct Point {
	std::shared_ptr<Stream> stream;
	uint64_t number;
};

struct Item {
	Work work;
	std::vector<Point> after;
};

struct Stream : std::enable_shared_from_this<Stream> {
	Context *context;
	unsigned flags;
	int priority;
	std::deque<Item> queue;
	uint64_t issued = 0, done = 0;
	std::shared_ptr<Graph> capture; // that takes what comes, instead of the queue

	// run works until so much is done, and returns the context's error.
	CUresult run(uint64_t number);
	CUresult drain() { return run(issued); }
};

// A Graph is work that was captured. What it has is in an order in which it may run.
struct Graph {
	std::vector<Work> work;
	std::vector<CUgraphNodeType> kinds;
	Stream *origin = nullptr;
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
	std::thread::id thread;
	std::set<Stream *> apart; // have joined the capture, and were not waited for
	bool broken = false;
};

// stream_of returns the stream with this handle, or null.
std::shared_ptr<Stream> stream_of(CUstream);

// enqueue puts work into a stream or the graph that captures it.
CUresult enqueue(CUstream, CUgraphNodeType, Work);

// everything is the end of all streams of all contexts that have work.
std::vector<Point> everything();

// drain_all works until the context has nothing left.
CUresult drain_all(Context *);

// forbidden reports whether a capture is under way that calls like those for memory would break, and
// breaks it.
bool forbidden();

// captures are the graphs that take work now.
extern std::vector<std::shared_ptr<Graph>> captures;

}
