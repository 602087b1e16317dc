// Asynchronous copies (pipeline.h).
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

#include "block.h"
#include "check.h"
#include "thread.h"
#include "pipeline.h"

namespace standin {

void copy_later(void *to, const void *from, size_t bytes, size_t zeros, const char *file, int line) {
	if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes)
		fail(CUDA_ERROR_LAUNCH_FAILED, "%s:%d: an asynchronous copy of %zu bytes, %zu of them zeros: a GPU has those of 4, 8 and 16",
			file, line, bytes, zeros);
	if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % bytes)
		fail(CUDA_ERROR_MISALIGNED_ADDRESS, "%s:%d: an asynchronous copy of %zu bytes from %p to %p, which are no multiples of that",
			file, line, bytes, from, to);
	check(from, bytes - zeros, false);
	check(to, bytes, true);
	memset(to, 0xff, bytes);
	if (!now->stage) now->stage = 1; // of the block's first copies: 0 is a thread without any
	now->copies.push_back({static_cast<char *>(to), static_cast<const char *>(from), bytes, zeros, now->stage, file, line});
}

void copies_commit() {
	now->stage += now->stage ? 1 : 2;
}

void copies_wait(size_t but) {
	auto &copies = now->copies;
	size_t done = 0;
	for (; done < copies.size() && copies[done].stage + but < now->stage; done++) {
		const Copy &c = copies[done];
		check(c.to, c.bytes, true);
		memcpy(c.to, c.from, c.bytes - c.zeros);
		memset(c.to + c.bytes - c.zeros, 0, c.zeros);
	}
	copies.erase(copies.begin(), copies.begin() + done);
}

}
