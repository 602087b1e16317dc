// The driver's functions for memory: allocation, copies, and filling.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "memory.h"
#include "stream.h"

using namespace standin;

static void *host(CUdeviceptr p) { return reinterpret_cast<void *>(p); }

static bool pinned(const void *p) {
	uintptr_t u = reinterpret_cast<uintptr_t>(p);
	return u - memory_room < MemoryRoom && part_of(u) == Pinned;
}

// A Freed allocation goes back when all is done that was in a stream before.
struct Freed {
	int part;
	CUdeviceptr p;
	std::vector<Point> after;
};

static std::vector<Freed> freed;

// settle gives back what waits no longer, once there is twice as much as was left the last time.
static void settle(bool now = false) {
	static size_t enough;
	if (!now && freed.size() < enough) return;
	size_t left = 0;
	for (Freed &f : freed) {
		bool busy = false;
		for (Point &p : f.after) busy |= p.stream->done < p.number && !p.stream->queue.empty();
		if (busy)
			std::swap(freed[left++], f);
		else
			release(f.part, f.p);
	}
	freed.resize(left);
	enough = 2 * left + 16;
}

// freed_bytes is how much of a part is as good as free.
static size_t freed_bytes(int part) {
	size_t n = 0;
	for (Freed &f : freed)
		if (f.part == part) n += allocation_at(f.p).bytes;
	return n;
}

// obtain allocates, and waits for what is freed where that is needed.
static CUresult obtain(int part, size_t n, CUdeviceptr *p) {
	settle();
	CUresult r = allocate(part, n, p);
	if (r != CUDA_ERROR_OUT_OF_MEMORY || freed.empty()) return r;
	for (int i = 0; i < device_count(); i++) drain_all(context_of(i));
	settle(true);
	return allocate(part, n, p);
}

// A driver waits for the device when memory is freed, but no program may count on that: here the
// memory waits.
static CUresult let_go(int part, CUdeviceptr p) {
	Allocation a = allocation_at(p);
	if (!a.bytes || a.at != p) return CUDA_ERROR_INVALID_VALUE;
	for (Freed &f : freed)
		if (f.p == p) return CUDA_ERROR_INVALID_VALUE;
	std::vector<Point> after = everything();
	if (after.empty()) return release(part, p);
	freed.push_back({part, p, std::move(after)});
	settle();
	return CUDA_SUCCESS;
}

API cuMemAlloc(CUdeviceptr *p, size_t n) {
	ENTER;
	if (forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	return obtain(current->device, n, p);
}

API cuMemFree(CUdeviceptr p) {
	ENTER;
	if (!p) return CUDA_SUCCESS;
	if (forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (p - memory_room >= MemoryRoom) return CUDA_ERROR_INVALID_VALUE;
	int part = part_of(p);
	return part == Pinned ? CUDA_ERROR_INVALID_VALUE : let_go(part, p);
}

API cuMemAllocAsync(CUdeviceptr *p, size_t n, CUstream s) {
	ENTER;
	if (!stream_of(s)) return CUDA_ERROR_INVALID_HANDLE;
	return obtain(current->device, n, p);
}

API cuMemFreeAsync(CUdeviceptr p, CUstream s) {
	ENTER;
	if (!inside(p, 1)) return CUDA_ERROR_INVALID_VALUE;
	int part = part_of(p);
	return enqueue(s, CU_GRAPH_NODE_TYPE_MEM_FREE, [=] { return release(part, p); });
}

API cuMemGetInfo(size_t *idle, size_t *all) {
	ENTER;
	*all = memory_size();
	*idle = *all - memory_used(current->device) + freed_bytes(current->device);
	return CUDA_SUCCESS;
}

API cuMemGetAddressRange(CUdeviceptr *from, size_t *n, CUdeviceptr p) {
	ENTER;
	Allocation a = allocation_at(p);
	if (!a.bytes) return CUDA_ERROR_NOT_FOUND;
	if (from) *from = a.at;
	if (n) *n = a.bytes;
	return CUDA_SUCCESS;
}

API cuMemHostAlloc(void **p, size_t n, unsigned) {
	ENTER;
	CUdeviceptr d;
	CUresult r = obtain(Pinned, n, &d);
	if (!r) *p = host(d);
	return r;
}

API cuMemAllocHost(void **p, size_t n) { return cuMemHostAlloc(p, n, 0); }

API cuMemFreeHost(void *p) {
	ENTER;
	return let_go(Pinned, reinterpret_cast<CUdeviceptr>(p));
}

// A Span is memory that a copy reads or writes. That of the host may be anything.
struct Span {
	uintptr_t at;
	bool device;

	Span(CUdeviceptr p) : at(p), device(true) {}
	Span(const void *p) : at(reinterpret_cast<uintptr_t>(p)), device(pinned(p)) {}
	bool has(size_t n) const { return !device || inside(at, n); }
};

// copied copies when the work runs. Memory of the host that is not pinned is read when the call is
// made, as drivers do, but for calls that are captured; and memory of the host that is written holds
// 0xFF until the copy is done.
static CUresult copied(Span to, Span from, size_t n, CUstream s) {
	if (!n) return CUDA_SUCCESS;
	if (!to.has(n) || !from.has(n)) return CUDA_ERROR_INVALID_VALUE;
	auto stream = stream_of(s);
	if (!stream) return CUDA_ERROR_INVALID_HANDLE;
	auto *d = reinterpret_cast<char *>(to.at);
	auto *f = reinterpret_cast<const char *>(from.at);
	if (from.device || stream->capture) {
		bool outside = !to.device || part_of(to.at) == Pinned;
		if (outside && from.device && !stream->capture) memset(d, 0xff, n);
		return enqueue(s, CU_GRAPH_NODE_TYPE_MEMCPY, [=] {
			if (!to.has(n) || !from.has(n)) return CUDA_ERROR_ILLEGAL_ADDRESS; // freed since
			memmove(d, f, n);
			return CUDA_SUCCESS;
		});
	}
	auto staged = std::make_shared<std::string>(f, n);
	return enqueue(s, CU_GRAPH_NODE_TYPE_MEMCPY, [=] {
		if (!to.has(n)) return CUDA_ERROR_ILLEGAL_ADDRESS;
		memcpy(d, staged->data(), n);
		return CUDA_SUCCESS;
	});
}

static CUresult waited(CUresult r) {
	if (r) return r;
	if (forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	return current->legacy->drain();
}

API cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t n, CUstream s) {
	ENTER;
	return copied(to, from, n, s);
}
API cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t n, CUstream s) {
	ENTER;
	return copied(to, from, n, s);
}
API cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
	ENTER;
	return copied(to, from, n, s);
}

// either is memory of a device where an allocation lies, and of the host elsewhere.
static Span either(CUdeviceptr p) { return p - memory_room < MemoryRoom ? Span(p) : Span(host(p)); }

API cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
	ENTER;
	return copied(either(to), either(from), n, s);
}
API cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t n, CUstream s) {
	ENTER;
	return copied(to, from, n, s);
}
API cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t n) {
	ENTER;
	return waited(copied(to, from, n, nullptr));
}
API cuMemcpyDtoH(void *to, CUdeviceptr from, size_t n) {
	ENTER;
	return waited(copied(to, from, n, nullptr));
}
API cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t n) {
	ENTER;
	return copied(to, from, n, nullptr);
}
API cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n) {
	ENTER;
	return waited(copied(either(to), either(from), n, nullptr));
}
API cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t n) {
	ENTER;
	return waited(copied(to, from, n, nullptr));
}

template <class T> static CUresult filled(CUdeviceptr p, T v, size_t n, CUstream s) {
	if (p % sizeof(T)) return CUDA_ERROR_INVALID_VALUE;
	if (!n) return CUDA_SUCCESS;
	if (!inside(p, n * sizeof v)) return CUDA_ERROR_INVALID_VALUE;
	return enqueue(s, CU_GRAPH_NODE_TYPE_MEMSET, [=] {
		if (!inside(p, n * sizeof v)) return CUDA_ERROR_ILLEGAL_ADDRESS;
		T *at = static_cast<T *>(host(p));
		for (size_t i = 0; i < n; i++) at[i] = v;
		return CUDA_SUCCESS;
	});
}

#define FILL(bits, T) \
	API cuMemsetD##bits##Async(CUdeviceptr p, T v, size_t n, CUstream s) { \
		ENTER; \
		return filled<T>(p, v, n, s); \
	}
#define FILL_NOW(name, T) \
	API name(CUdeviceptr p, T v, size_t n) { \
		ENTER; \
		return filled<T>(p, v, n, nullptr); \
	}
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)
FILL_NOW(cuMemsetD8, unsigned char)
FILL_NOW(cuMemsetD16, unsigned short)
FILL_NOW(cuMemsetD32, unsigned)

API cuPointerGetAttribute(void *v, CUpointer_attribute a, CUdeviceptr p) {
	ENTER;
	if (p - memory_room >= MemoryRoom) return CUDA_ERROR_INVALID_VALUE;
	bool on_host = part_of(p) == Pinned;
	switch (a) {
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*static_cast<unsigned *>(v) = on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*static_cast<int *>(v) = on_host ? 0 : part_of(p);
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}
