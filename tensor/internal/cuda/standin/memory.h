// The memory of the devices, and pinned memory of the host.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace standin {

constexpr int MaxDevices = 8, Pinned = MaxDevices; // the last part of the room is the host's

// All memory lies in one room, of which each device has a part. For each 16 bytes a byte of shadow
// tells how many of them, from the first on, belong to an allocation.
constexpr size_t PartSize = size_t(16) << 30, Granule = 16;
constexpr size_t MemoryRoom = PartSize * (MaxDevices + 1);

extern uintptr_t memory_room;
extern uint8_t *shadow;

inline int part_of(uintptr_t p) { return int((p - memory_room) / PartSize); }

// reserve_memory makes the room, which takes no memory before it is used.
void reserve_memory();

// allocate finds n bytes in a part, and fills them with 0xFF: NaNs.
CUresult allocate(int part, size_t n, CUdeviceptr *p);

// release takes back what begins at p. It is not given out again soon.
CUresult release(int part, CUdeviceptr p);

// An Allocation is memory that is in use.
struct Allocation {
	uintptr_t at;
	size_t bytes;
};

// allocation_at returns the one that p lies in. Its bytes are 0 where there is none.
Allocation allocation_at(uintptr_t p);

// allocation_near returns the last one that begins at or before p in the same part.
Allocation allocation_near(uintptr_t p);

// inside reports whether n bytes at p belong to one allocation.
bool inside(uintptr_t p, size_t n);

size_t memory_size(), memory_used(int part);

}
