// What lanes of a warp do together (warp.h, wmma.h).
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <ctime>

#include "block.h"
#include "check.h"
#include "warp.h"

namespace standin {

int lane() { return now->lane; }
unsigned active() { return 1u << now->lane; }

namespace {

struct Shuffle {
	uint64_t value, got;
	int from;

	static void all(void **lanes) {
		for (int i = 0; i < WarpSize; i++) {
			auto *s = static_cast<Shuffle *>(lanes[i]);
			if (!s) continue;
			auto *from = s->from >= 0 && s->from < WarpSize ? static_cast<Shuffle *>(lanes[s->from]) : nullptr;
			s->got = from ? from->value : ~uint64_t(0);
		}
	}
};

struct Vote {
	bool vote;
	Ballot result;

	static void all(void **lanes) {
		Ballot b = {0, 0};
		for (int i = 0; i < WarpSize; i++)
			if (auto *v = static_cast<Vote *>(lanes[i])) b.all |= 1u << i, b.yes |= unsigned(v->vote) << i;
		for (int i = 0; i < WarpSize; i++)
			if (auto *v = static_cast<Vote *>(lanes[i])) v->result = b;
	}
};

struct Match {
	uint64_t value;
	unsigned same;

	static void all(void **lanes) {
		for (int i = 0; i < WarpSize; i++) {
			auto *m = static_cast<Match *>(lanes[i]);
			if (!m) continue;
			m->same = 0;
			for (int k = 0; k < WarpSize; k++)
				if (auto *o = static_cast<Match *>(lanes[k])) m->same |= unsigned(o->value == m->value) << k;
		}
	}
};

void order_memory(void **lanes) {
	for (int i = 0; i < WarpSize; i++)
		if (lanes[i]) {
			static_cast<Warp *>(lanes[i])->epoch++;
			return;
		}
}

void nothing(void **) {}

}

uint64_t shuffle(unsigned mask, uint64_t value, int from, const char *file, int line) {
	Shuffle s{value, 0, from};
	meet_lanes(mask, Shuffle::all, &s, "a shuffle", file, line);
	return s.got;
}

Ballot ballot(unsigned mask, bool vote, const char *file, int line) {
	Vote v{vote, {0, 0}};
	meet_lanes(mask, Vote::all, &v, "a ballot", file, line);
	return v.result;
}

unsigned match(unsigned mask, uint64_t value, const char *file, int line) {
	Match m{value, 0};
	meet_lanes(mask, Match::all, &m, "__match_any_sync", file, line);
	return m.same;
}

void sync_warp(unsigned mask, const char *file, int line) {
	meet_lanes(mask, order_memory, now->warp, "__syncwarp", file, line);
}

void sync_lanes(const char *file, int line) { meet_lanes(~0u, nothing, nullptr, "a matrix", file, line); }

void meet(void (*all)(void **), void *mine, const char *what, const char *file, int line) {
	if (now->warp->alive != ~0u)
		fail(CUDA_ERROR_LAUNCH_FAILED, "%s:%d: %s in a warp of less than 32 threads", file, line, what);
	meet_lanes(~0u, all, mine, what, file, line);
}

// A GPU wants 32 bytes, and lines that are multiples of 16.
void matrix_at(const void *p, size_t pitch, const char *file, int line) {
	if (reinterpret_cast<uintptr_t>(p) % 32 || pitch % 16)
		fail(CUDA_ERROR_MISALIGNED_ADDRESS, "%s:%d: a matrix at %p with lines of %zu bytes: multiples of 32 and 16 are needed",
			file, line, p, pitch);
}

}

long long clock64() {
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}
