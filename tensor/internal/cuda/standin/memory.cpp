#include "memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <sys/mman.h>
#include <unordered_map>
#include <vector>

#include "device.h"

namespace standin {

uintptr_t memory_room;
uint8_t *shadow;

// Each allocation begins at a multiple of 256, as a driver's do, with a gap of at least as much
// behind it.
constexpr size_t Align = 256, Gap = 256;

// What is freed waits until so many bytes have been freed after it, so that its use shows.
constexpr size_t Quarantine = 64 << 20;

struct Part {
	std::map<uintptr_t, size_t> used;
	std::unordered_map<size_t, std::vector<uintptr_t>> idle; // by room
	std::deque<std::pair<uintptr_t, size_t>> waiting;
	size_t waiting_bytes = 0, next = 0, bytes = 0;
};

static Part parts[MaxDevices + 1];

static void *reserved(size_t n) {
	void *p = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) {
		perror("stand-in: no room for memory");
		abort();
	}
	return p;
}

void reserve_memory() {
	if (memory_room) return;
	shadow = static_cast<uint8_t *>(reserved(MemoryRoom / Granule));
	memory_room = reinterpret_cast<uintptr_t>(reserved(MemoryRoom));
}

// mark sets the shadow of n bytes at p: all of them in use, or none.
static void mark(uintptr_t p, size_t n, bool use) {
	uint8_t *s = shadow + (p - memory_room) / Granule;
	memset(s, use ? Granule : 0, n / Granule);
	if (n % Granule) s[n / Granule] = use ? n % Granule : 0;
}

static size_t room_for(size_t n) { return (n + Align - 1) / Align * Align + Gap; }

// recycle takes from the quarantine what has waited long enough, or all.
static void recycle(Part &part, size_t keep) {
	while (part.waiting_bytes > keep) {
		auto [at, room] = part.waiting.front();
		part.waiting.pop_front();
		part.waiting_bytes -= room;
		part.idle[room].push_back(at);
	}
}

// find returns an address with this room, or 0.
static uintptr_t find(int number, size_t room) {
	Part &part = parts[number];
	auto same = part.idle.find(room);
	if (same != part.idle.end() && !same->second.empty()) {
		uintptr_t at = same->second.back();
		same->second.pop_back();
		return at;
	}
	if (part.next + room > PartSize) return 0;
	uintptr_t at = memory_room + number * PartSize + part.next;
	part.next += room;
	return at;
}

CUresult allocate(int number, size_t n, CUdeviceptr *p) {
	Part &part = parts[number];
	if (!n) return CUDA_ERROR_INVALID_VALUE;
	if (n > memory_size() || part.bytes + n > memory_size()) return CUDA_ERROR_OUT_OF_MEMORY;
	size_t room = room_for(n);
	uintptr_t at = find(number, room);
	if (!at) {
		recycle(part, 0);
		at = find(number, room);
	}
	if (!at) return CUDA_ERROR_OUT_OF_MEMORY;
	memset(reinterpret_cast<void *>(at), 0xff, n);
	mark(at, n, true);
	part.used[at] = n;
	part.bytes += n;
	*p = at;
	return CUDA_SUCCESS;
}

CUresult release(int number, CUdeviceptr p) {
	Part &part = parts[number];
	auto i = part.used.find(p);
	if (i == part.used.end()) return CUDA_ERROR_INVALID_VALUE;
	size_t n = i->second, room = room_for(n);
	mark(p, n, false);
	memset(reinterpret_cast<void *>(p), 0xff, std::min(n, size_t(4096)));
	if (n >= 128 << 10) { // whole pages go back to the system
		uintptr_t low = (p + 8191) & ~uintptr_t(4095), high = (p + n) & ~uintptr_t(4095);
		madvise(reinterpret_cast<void *>(low), high - low, MADV_DONTNEED);
	}
	part.used.erase(i);
	part.bytes -= n;
	part.waiting.emplace_back(p, room);
	part.waiting_bytes += room;
	recycle(part, Quarantine);
	return CUDA_SUCCESS;
}

Allocation allocation_near(uintptr_t p) {
	if (p - memory_room >= MemoryRoom) return {};
	auto &used = parts[part_of(p)].used;
	auto i = used.upper_bound(p);
	if (i == used.begin()) return {};
	--i;
	return {i->first, i->second};
}

Allocation allocation_at(uintptr_t p) {
	Allocation a = allocation_near(p);
	return p - a.at < a.bytes ? a : Allocation{};
}

bool inside(uintptr_t p, size_t n) {
	Allocation a = allocation_at(p);
	return a.bytes && n <= a.bytes - (p - a.at);
}

size_t memory_used(int number) { return parts[number].bytes; }

}
