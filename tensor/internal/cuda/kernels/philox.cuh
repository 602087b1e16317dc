// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011,
// https://doi.org/10.1145/2063384.2063405), laid out as device/random.go says: the seed is the key, and
// the counter and the block's number, the attempt and 0 are what is encrypted.
#pragma once

#include "common.cuh"

// A Block is four random words.
struct Block {
	uint32_t w0, w1, w2, w3;

	// word is word 0, 1, 2 or 3.
	__device__ __forceinline__ uint32_t word(int i) const { return i & 2 ? i & 1 ? w3 : w2 : i & 1 ? w1 : w0; }

	// word64 is word 0 or 1 of 64 bits.
	__device__ __forceinline__ uint64_t word64(int i) const {
		return i & 1 ? w2 | static_cast<uint64_t>(w3) << 32 : w0 | static_cast<uint64_t>(w1) << 32;
	}
};

__device__ __forceinline__ Block philox(uint64_t seed, uint64_t counter, uint32_t attempt = 0) {
	uint32_t c0 = static_cast<uint32_t>(counter), c1 = static_cast<uint32_t>(counter >> 32), c2 = attempt, c3 = 0;
	uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
#pragma unroll
	for (int round = 0; round < 10; round++) {
		uint64_t a = static_cast<uint64_t>(0xD2511F53u) * c0, b = static_cast<uint64_t>(0xCD9E8D57u) * c2;
		c0 = static_cast<uint32_t>(b >> 32) ^ c1 ^ key0;
		c2 = static_cast<uint32_t>(a >> 32) ^ c3 ^ key1;
		c1 = static_cast<uint32_t>(b);
		c3 = static_cast<uint32_t>(a);
		key0 += 0x9E3779B9u; // the fractions of (√5−1)/2 and √3−1
		key1 += 0xBB67AE85u;
	}
	return {c0, c1, c2, c3};
}
