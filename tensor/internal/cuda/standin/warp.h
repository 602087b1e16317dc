// What the 32 threads of a warp do together. Lanes that a mask names and that have not ended must all
// come to the same call with the same mask.
#pragma once

namespace standin {

int lane() __attribute__((const));

// shuffle gives value to the others, and returns the value of lane from: all ones if that takes no part.
uint64_t shuffle(unsigned mask, uint64_t value, int from, const char *file, int line);

// ballot returns the lanes whose vote is not 0, and those that take part.
struct Ballot {
	unsigned yes, all;
};
Ballot ballot(unsigned mask, bool vote, const char *file, int line);

// match returns the lanes that have this value.
unsigned match(unsigned mask, uint64_t value, const char *file, int line);

void sync_warp(unsigned mask, const char *file, int line);
unsigned active();

// sync_lanes waits for all 32 lanes, and orders nothing that they read and write.
void sync_lanes(const char *file, int line);

// meet waits for all 32 lanes, of which the last one calls all with what each gave.
void meet(void (*all)(void **), void *mine, const char *what, const char *file, int line);

template <class T> inline T shuffled(unsigned mask, T v, int from, const char *file, int line) {
	static_assert(sizeof(T) <= 8, "shuffles move 8 bytes at most");
	uint64_t bits = 0;
	__builtin_memcpy(&bits, &v, sizeof v);
	bits = shuffle(mask, bits, from, file, line);
	__builtin_memcpy(&v, &bits, sizeof v);
	return v;
}

}

// The lanes of a warp fall into groups of width, beyond which no value is taken: the lane gets its own.
template <class T> inline T __shfl_sync(unsigned mask, T v, int from, int width = 32, STANDIN_SITE) {
	int group = standin::lane() & -width;
	return standin::shuffled(mask, v, group + (from & (width - 1)), file, line);
}
template <class T> inline T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32, STANDIN_SITE) {
	int lane = standin::lane(), from = lane - static_cast<int>(by);
	return standin::shuffled(mask, v, from < (lane & -width) ? lane : from, file, line);
}
template <class T> inline T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32, STANDIN_SITE) {
	int lane = standin::lane(), from = lane + static_cast<int>(by);
	return standin::shuffled(mask, v, from >= (lane & -width) + width ? lane : from, file, line);
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32, STANDIN_SITE) {
	int lane = standin::lane(), from = lane ^ bits;
	return standin::shuffled(mask, v, from >= (lane & -width) + width ? lane : from, file, line);
}

inline unsigned __ballot_sync(unsigned mask, int vote, STANDIN_SITE) {
	return standin::ballot(mask, vote, file, line).yes;
}
inline int __any_sync(unsigned mask, int vote, STANDIN_SITE) {
	return standin::ballot(mask, vote, file, line).yes != 0;
}
inline int __all_sync(unsigned mask, int vote, STANDIN_SITE) {
	standin::Ballot b = standin::ballot(mask, vote, file, line);
	return b.yes == b.all;
}
inline unsigned __activemask() { return standin::active(); }
inline void __syncwarp(unsigned mask = ~0u, STANDIN_SITE) { standin::sync_warp(mask, file, line); }

template <class T> inline unsigned __match_any_sync(unsigned mask, T v, STANDIN_SITE) {
	uint64_t bits = 0;
	__builtin_memcpy(&bits, &v, sizeof v);
	return standin::match(mask, bits, file, line);
}
