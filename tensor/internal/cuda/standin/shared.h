// Shared memory: which variables kernels have, what blocks have written there, and who raced for it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace standin {

// A Cell is what is known of two bytes of shared memory. What an earlier block left there is as good
// as not known.
struct Cell {
	uint32_t epoch;             // of the last access
	uint32_t wrote, read;       // the warp's epochs of the last write and read
	uint16_t writer, reader;    // thread numbers + 1; reader may be SameWarp with a warp, or SeveralWarps
};

constexpr size_t CellBytes = 2;
constexpr uint32_t NoVariable = UINT32_MAX; // an epoch: here lies no variable
constexpr uint16_t SameWarp = 0x4000, SeveralWarps = 0x8000;

// An Area is a piece of memory with its cells.
struct Area {
	uintptr_t low;
	size_t bytes;
	Cell *cells;
};

extern Area static_shared;  // of the kernels' __shared__ variables
extern Area dynamic_shared_area; // bytes is what the launch asked for
extern Area library;        // code and constants; it has no cells

// find_shared looks through this library's symbols, once.
void find_shared();

// shared_name returns what lies at p, and how far from its first byte.
const char *shared_name(uintptr_t p, size_t *offset);

}
