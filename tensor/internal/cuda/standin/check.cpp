// g++ -fsanitize=thread calls a function before each access to memory. Here these functions find out
// whether a GPU would have done as the program expects.
#include "check.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

#include "device.h"
#include "memory.h"
#include "shared.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

namespace standin {

static uintptr_t device_part; // where the launch's device has its memory

void begin_checks(const Launch &l) {
	find_shared();
	device_part = memory_room + PartSize * l.device;
	static char *room;
	if (!room) room = static_cast<char *>(aligned_alloc(1024, 256 << 10));
	dynamic = room;
	dynamic_shared_area.low = reinterpret_cast<uintptr_t>(room);
	dynamic_shared_area.bytes = l.shared;
}

void end_checks() { dynamic_shared_area.bytes = 0; }

// line_of returns where in the kernels' source pc lies, for errors.
static std::string line_of(const void *pc) {
	Dl_info info;
	if (!pc || !dladdr(pc, &info)) return "";
	char command[4300];
	snprintf(command, sizeof command, "addr2line -e '%s' %#zx 2>/dev/null", info.dli_fname,
		size_t(static_cast<const char *>(pc) - static_cast<char *>(info.dli_fbase)) - 1);
	FILE *f = popen(command, "r");
	if (!f) return "";
	char text[4096] = "";
	if (!fgets(text, sizeof text, f)) *text = 0;
	pclose(f);
	std::string line = text;
	while (!line.empty() && isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
	line = line.substr(0, line.find(" ("));
	if (line.empty() || line[0] == '?') return "";
	size_t slash = line.rfind('/');
	return line.substr(slash == std::string::npos ? 0 : slash + 1) + ": ";
}

// An Access is one to be judged.
struct Access {
	uintptr_t p;
	size_t n;
	bool write, atomic;
	const void *pc;

	const char *doing() const { return atomic ? "changes" : write ? "writes" : "reads"; }
};

[[noreturn]] static void refuse(CUresult error, const Access &a, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void refuse(CUresult error, const Access &a, const char *format, ...) {
	char what[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	fail(error, "%sit %s %zu byte%s %s", line_of(a.pc).c_str(), a.doing(), a.n, a.n == 1 ? "" : "s", what);
}

static void misaligned(const Access &a) {
	refuse(CUDA_ERROR_MISALIGNED_ADDRESS, a, "at an address that is no multiple of that (%#zx)", size_t(a.p));
}

// outside says what is wrong about an address in the room of the devices' memory.
static void outside(const Access &a) {
	Allocation m = allocation_near(a.p);
	if (!m.bytes) refuse(CUDA_ERROR_ILLEGAL_ADDRESS, a, "at %#zx, where no memory is", size_t(a.p));
	if (a.p - m.at < m.bytes)
		refuse(CUDA_ERROR_ILLEGAL_ADDRESS, a, "at offset %zu of an allocation of %zu", size_t(a.p - m.at), m.bytes);
	refuse(CUDA_ERROR_ILLEGAL_ADDRESS, a, "at %#zx, %zu beyond the end of an allocation of %zu, or in freed memory",
		size_t(a.p), size_t(a.p - m.at - m.bytes), m.bytes);
}

static bool addressable(uintptr_t p, size_t n) {
	return (p & (Granule - 1)) + n <= shadow[(p - memory_room) / Granule];
}

static void race(const Access &a, uint16_t with, const char *did) {
	size_t offset = 0;
	const char *name = shared_name(a.p, &offset);
	if (with & SeveralWarps)
		refuse(CUDA_ERROR_LAUNCH_FAILED, a, "of shared memory (%s + %zu) that other warps %s: a barrier is missing", name, offset, did);
	if (with & SameWarp)
		refuse(CUDA_ERROR_LAUNCH_FAILED, a, "of shared memory (%s + %zu) that other threads of warp %d %s: a barrier is missing", name,
			offset, with & ~SameWarp, did);
	uint3 o = threads[with - 1].index;
	refuse(CUDA_ERROR_LAUNCH_FAILED, a, "of shared memory (%s + %zu) that thread (%u,%u,%u) %s: a barrier is missing", name, offset,
		o.x, o.y, o.z, did);
}

// visit notes an access to the two bytes of a cell, and finds races: accesses of two threads, one of
// them a write, without a barrier of the block or the warp between them. Two writes are none, for
// threads may write the same.
static inline void visit(Cell &c, const Access &a) {
	if (c.epoch < block_epoch) { // nobody in this block has been here: the memory holds anything
		memset(reinterpret_cast<void *>(a.p & ~uintptr_t(CellBytes - 1)), 0xff, CellBytes);
		c = {epoch, 0, 0, 0, 0};
	} else if (c.epoch < epoch) {
		c = {epoch, 0, 0, 0, 0};
	}
	uint16_t me = now->number + 1;
	int warp = now->number / WarpSize;
	uint32_t at = now->warp->epoch;
	if (c.writer && c.writer != me && !a.atomic && !((c.writer - 1) / WarpSize == warp && c.wrote < at) && !a.write)
		race(a, c.writer, "wrote");
	if (a.write) {
		if (c.reader && c.reader != me && !a.atomic) {
			bool ours = c.reader & SeveralWarps ? false
				: c.reader & SameWarp           ? (c.reader & ~SameWarp) == warp
												: (c.reader - 1) / WarpSize == warp;
			if (!(ours && c.read < at)) race(a, c.reader, "read");
		}
		if (!a.atomic) c.writer = me, c.wrote = at;
		return;
	}
	if (!c.reader || c.reader == me || (c.reader & SameWarp && c.read < at && (c.reader & ~SameWarp) == warp)) {
		c.reader = me;
	} else if (!(c.reader & SeveralWarps)) {
		int other = c.reader & SameWarp ? c.reader & ~SameWarp : (c.reader - 1) / WarpSize;
		c.reader = other == warp ? SameWarp | warp : SeveralWarps;
	}
	c.read = at;
}

static void shared_access(const Area &area, Access a) {
	uintptr_t end = a.p + a.n, from = a.p - area.low;
	if (from + a.n > area.bytes)
		refuse(CUDA_ERROR_ILLEGAL_ADDRESS, a, "at offset %zu of the launch's %zu of dynamic shared memory", size_t(from), area.bytes);
	for (; a.p < end; a.p = (a.p | (CellBytes - 1)) + 1) {
		Cell &c = area.cells[(a.p - area.low) / CellBytes];
		if (UNLIKELY(c.epoch == NoVariable)) {
			size_t offset = 0;
			const char *name = shared_name(a.p, &offset);
			refuse(CUDA_ERROR_ILLEGAL_ADDRESS, a, "beyond the end of a shared variable (%s + %zu)", name, offset);
		}
		visit(c, a);
	}
}

// elsewhere judges accesses to all but the device's own memory and the thread's own stack.
static __attribute__((noinline)) void elsewhere(const Access &a) {
	if (a.p - static_shared.low < static_shared.bytes) return shared_access(static_shared, a);
	if (a.p - dynamic_shared_area.low <= MaxShared) return shared_access(dynamic_shared_area, a);
	if (a.p - library.low < library.bytes) return;
	if (a.p - memory_room < MemoryRoom) {
		int part = part_of(a.p);
		if (part != Pinned && !may_reach(launch->device, part))
			refuse(CUDA_ERROR_ILLEGAL_ADDRESS, a, "in memory of device %d, but runs on device %d", part, launch->device);
		if (!addressable(a.p, 1) || !addressable(a.p + a.n - 1, 1)) outside(a);
		return;
	}
	refuse(CUDA_ERROR_ILLEGAL_ADDRESS, a, "at %#zx, which is no memory of a device", size_t(a.p));
}

// calm reports whether an access tells nothing new about a cell, and is right.
template <bool Write> static inline bool calm(const Cell &c, uint16_t me) {
	if (c.epoch != epoch || (c.writer && c.writer != me)) return false;
	if (Write) return c.writer && (!c.reader || c.reader == me);
	return c.reader == me || c.reader & SeveralWarps ||
		(c.reader == (SameWarp | now->number / WarpSize) && c.read == now->warp->epoch);
}

template <size_t N, bool Write> static inline bool all_calm(const Area &area, uintptr_t p) {
	const Cell *c = area.cells + (p - area.low) / CellBytes;
	uint16_t me = now->number + 1;
	for (size_t i = 0; i < (N + CellBytes - 1) / CellBytes; i++)
		if (!calm<Write>(c[i], me)) return false;
	return true;
}

template <size_t N, bool Write> static inline __attribute__((always_inline)) void access(void *at, const void *pc) {
	uintptr_t p = reinterpret_cast<uintptr_t>(at);
	if (LIKELY(p - device_part < PartSize)) {
		if (UNLIKELY(p & (N - 1))) misaligned({p, N, Write, false, pc});
		if (UNLIKELY(!addressable(p, N))) outside({p, N, Write, false, pc});
		return;
	}
	if (LIKELY(p - reinterpret_cast<uintptr_t>(stack_room) < StackRoom)) return;
	if (UNLIKELY(!now)) return;
	if (UNLIKELY(p & (N - 1))) misaligned({p, N, Write, false, pc});
	if (p - static_shared.low < static_shared.bytes) {
		if (all_calm<N, Write>(static_shared, p)) return;
	} else if (p - dynamic_shared_area.low < dynamic_shared_area.bytes) {
		if (all_calm<N, Write>(dynamic_shared_area, p)) return;
	}
	elsewhere({p, N, Write, false, pc});
}

static void access_range(const void *at, size_t n, bool write, bool atomic, const void *pc) {
	uintptr_t p = reinterpret_cast<uintptr_t>(at);
	if (!now || !n || p - reinterpret_cast<uintptr_t>(stack_room) < StackRoom) return;
	Access a{p, n, write, atomic, pc};
	if (p - device_part >= PartSize) return elsewhere(a);
	for (uintptr_t i = p; i < p + n; i = (i | (Granule - 1)) + 1)
		if (!addressable(i, 1)) outside(a);
	if (!addressable(p + n - 1, 1)) outside(a);
}

void check(const void *p, size_t n, bool write) { access_range(p, n, write, false, nullptr); }

void check_atomic(const void *p, size_t n) {
	Access a{reinterpret_cast<uintptr_t>(p), n, true, true, __builtin_return_address(0)};
	if (a.p & (n - 1)) misaligned(a);
	access_range(p, n, true, true, a.pc);
}

}

// What the compiler calls.
extern "C" {

#define PC __builtin_return_address(0)
#define ACCESS(n) \
	void __tsan_read##n(void *p) { standin::access<n, false>(p, PC); } \
	void __tsan_write##n(void *p) { standin::access<n, true>(p, PC); } \
	void __tsan_unaligned_read##n(void *p) { standin::access_range(p, n, false, false, PC); } \
	void __tsan_unaligned_write##n(void *p) { standin::access_range(p, n, true, false, PC); } \
	void __tsan_volatile_read##n(void *p) { standin::access<n, false>(p, PC); } \
	void __tsan_volatile_write##n(void *p) { standin::access<n, true>(p, PC); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(void *p, size_t n) { standin::access_range(p, n, false, false, PC); }
void __tsan_write_range(void *p, size_t n) { standin::access_range(p, n, true, false, PC); }
void __tsan_vptr_read(void **) {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_init() {}

// Atomic operations of the compiler's own, in the place of CUDA's.
#define ATOMIC(bits) \
	uint##bits##_t __tsan_atomic##bits##_load(const volatile void *p, int) { \
		standin::check_atomic(const_cast<const void *>(p), bits / 8); \
		return *static_cast<const volatile uint##bits##_t *>(p); \
	} \
	void __tsan_atomic##bits##_store(volatile void *p, uint##bits##_t v, int) { \
		standin::check_atomic(const_cast<const void *>(p), bits / 8); \
		*static_cast<volatile uint##bits##_t *>(p) = v; \
	} \
	uint##bits##_t __tsan_atomic##bits##_fetch_add(volatile void *p, uint##bits##_t v, int) { \
		standin::check_atomic(const_cast<const void *>(p), bits / 8); \
		uint##bits##_t old = *static_cast<volatile uint##bits##_t *>(p); \
		*static_cast<volatile uint##bits##_t *>(p) = old + v; \
		return old; \
	}
ATOMIC(32)
ATOMIC(64)

// What -fsanitize=bounds calls for an index that an array has not.
struct Place {
	const char *file;
	unsigned line, column;
};
struct Index {
	Place place;
	struct {
		unsigned short kind, info;
		char name[1];
	} *array, *index;
};

void __ubsan_handle_out_of_bounds(Index *i, uintptr_t value) {
	const char *slash = strrchr(i->place.file, '/');
	standin::fail(CUDA_ERROR_ILLEGAL_ADDRESS, "%s:%u: index %ld is out of bounds of an array %s",
		slash ? slash + 1 : i->place.file, i->place.line, long(value), i->array->name);
}
}
