// Threads of a block: which one runs, and barriers for all of them.
#pragma once

namespace standin {

// An Entry is a kernel that was compiled for the processor.
struct Entry {
	const char *name, *file;
	size_t bytes; // of its argument
	void (*run)(const void *);
	Entry *next;

	Entry(const char *name, const char *file, size_t bytes, void (*run)(const void *));
};

// The running thread's place. To the thread that asks they are constants.
uint3 thread_index() __attribute__((const));
uint3 block_index() __attribute__((const));
dim3 block_size() __attribute__((const));
dim3 grid_size() __attribute__((const));
void *dynamic_shared() __attribute__((const));

// barrier waits until all threads of the block that have not ended are in the same barrier, and
// returns how many of them have a vote that is not 0, and how many they are.
struct Votes {
	int yes, all;
};
Votes barrier(bool vote, const char *file, int line);

// halt ends the launch, as a kernel's own trap does.
[[noreturn]] void halt(const char *why, const char *file, int line);

}

// KERNEL begins the kernel of this name, whose arguments are a.
#define KERNEL(name, Args) \
	static void standin_##name(const Args &a); \
	static standin::Entry standin_entry_##name(#name, __FILE__, sizeof(Args), \
		[](const void *args) { standin_##name(*static_cast<const Args *>(args)); }); \
	static void standin_##name([[maybe_unused]] const Args &a)
#define KERNEL_BOUNDS(name, Args, threads) KERNEL(name, Args)

// DYNAMIC_SHARED declares T name[], the shared memory that the launch asks for.
#define DYNAMIC_SHARED(T, name) T *name = static_cast<T *>(standin::dynamic_shared())

#define threadIdx (standin::thread_index())
#define blockIdx (standin::block_index())
#define blockDim (standin::block_size())
#define gridDim (standin::grid_size())
#define warpSize 32

// Where a call stands, as arguments that nobody gives.
#define STANDIN_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(STANDIN_SITE) { standin::barrier(false, file, line); }
inline int __syncthreads_count(int vote, STANDIN_SITE) { return standin::barrier(vote, file, line).yes; }
inline int __syncthreads_or(int vote, STANDIN_SITE) { return standin::barrier(vote, file, line).yes != 0; }
inline int __syncthreads_and(int vote, STANDIN_SITE) {
	standin::Votes v = standin::barrier(vote, file, line);
	return v.yes == v.all;
}

// One thread runs at a time, and sees what the others have written.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) {}

inline void __trap(STANDIN_SITE) { standin::halt("__trap", file, line); }

long long clock64();
