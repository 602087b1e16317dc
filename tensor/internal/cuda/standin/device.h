// The devices that the stand-in has, their contexts, and what every function of the driver begins with.
//
//	HALFNOTE_STANDIN_DEVICES=2     how many (1)
//	HALFNOTE_STANDIN_CC=75         their compute capability (90)
//	HALFNOTE_STANDIN_VERSION=12040 the CUDA version that the driver is for (13000)
//	HALFNOTE_STANDIN_MEMORY=65536  bytes of memory that each has (2 GiB)
//	HALFNOTE_STANDIN_ORDER=7       see order.h
#pragma once

#include <cuda.h>

#include <memory>
#include <mutex>

namespace standin {

struct Stream;

// A Context is a device's only one. An error that a kernel leaves behind stays in it.
struct Context {
	int device;
	CUresult error;
	std::shared_ptr<Stream> legacy;
	unsigned peers; // devices whose memory kernels may reach
};

extern bool started;
extern std::recursive_mutex mutex;
extern thread_local Context *current;

int device_count(), capability(), driver_version();

// most_shared is how much shared memory a block may ask for.
int most_shared();
Context *context_of(int device);
bool may_reach(int device, int part);

}

// API begins a function of the driver's.
#define API extern "C" __attribute__((visibility("default"))) CUresult

// ENTER takes the lock, and returns unless a context is current that has no error.
#define LOCKED std::lock_guard<std::recursive_mutex> standin_lock(standin::mutex)
#define ENTER \
	LOCKED; \
	if (!standin::started) return CUDA_ERROR_NOT_INITIALIZED; \
	if (!standin::current) return CUDA_ERROR_INVALID_CONTEXT; \
	if (standin::current->error) return standin::current->error
