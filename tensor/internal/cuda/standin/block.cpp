#include "block.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check.h"
#include "order.h"

namespace standin {

Thread *now;
const Launch *launch;
uint3 block_number;
uint32_t epoch, block_epoch;
char *dynamic;
Thread threads[MaxThreads];

static Warp warps[MaxThreads / WarpSize];
static int live, arrived; // threads that have not ended, that are in a barrier
static const Thread *first_arrived;
static Votes votes, counted; // of this barrier, of the last one
static void *scheduler; // where it goes on
static CUresult failure;

uint3 thread_index() { return now->index; }
uint3 block_index() { return block_number; }
dim3 block_size() { return launch->block; }
dim3 grid_size() { return launch->grid; }
void *dynamic_shared() { return dynamic; }

// leave gives the processor back to the scheduler, until the thread is resumed.
static void leave() {
	Thread *t = now;
	standin_switch(&t->stack->at, scheduler);
}

// fail abandons all fibers: kernels have nothing that must be taken down.
void fail(CUresult error, const char *format, ...) {
	fprintf(stderr, "stand-in: %s, block (%u,%u,%u), thread (%u,%u,%u): ", launch->entry->name, block_number.x,
		block_number.y, block_number.z, now->index.x, now->index.y, now->index.z);
	va_list args;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	failure = error;
	void *nowhere;
	standin_switch(&nowhere, scheduler);
	abort();
}

void halt(const char *why, const char *file, int line) {
	fail(CUDA_ERROR_LAUNCH_FAILED, "%s:%d: %s", file, line, why);
}

// wait_at notes where the running thread waits.
static void wait_at(State s, const char *what, const char *file, int line) {
	now->state = s;
	now->what = what;
	now->file = file;
	now->line = line;
}

// open_barrier lets all go on.
static void open_barrier() {
	epoch++;
	counted = votes;
	votes = {};
	arrived = 0;
	for (Warp &w : warps) {
		if (!w.threads) break;
		for (int i = 0; i < w.count; i++)
			if (w.threads[i].state == State::AtBarrier) w.threads[i].state = State::Ready;
	}
}

Votes barrier(bool vote, const char *file, int line) {
	if (arrived && (first_arrived->line != line || (first_arrived->file != file && strcmp(first_arrived->file, file)))) {
		fail(CUDA_ERROR_LAUNCH_FAILED, "divergent barriers: it is in the one at %s:%d, thread (%u,%u,%u) in that at %s:%d",
			file, line, first_arrived->index.x, first_arrived->index.y, first_arrived->index.z, first_arrived->file,
			first_arrived->line);
	}
	if (!arrived) first_arrived = now;
	arrived++;
	votes.all++;
	votes.yes += vote;
	wait_at(State::AtBarrier, "__syncthreads", file, line);
	if (arrived == live)
		open_barrier();
	else
		leave();
	// All who were in the barrier read this before the next one opens.
	return counted;
}

// met lets the lanes that wait together with lane go on if all are there.
static bool met(Warp &w, const Thread &t) {
	unsigned with = t.mask & w.alive;
	if (with & ~w.meeting) return false;
	for (int i = 0; i < w.count; i++) {
		const Thread &o = w.threads[i];
		if (!(with >> i & 1)) continue;
		if (o.mask != t.mask) return false;
		if (o.what != t.what && strcmp(o.what, t.what))
			fail(CUDA_ERROR_LAUNCH_FAILED, "it is in %s at %s:%d, lane %d of its warp in %s at %s:%d", t.what, t.file, t.line,
				i, o.what, o.file, o.line);
	}
	void *lanes[WarpSize] = {};
	for (int i = 0; i < w.count; i++)
		if (with >> i & 1) lanes[i] = w.threads[i].mine;
	t.all(lanes);
	w.meeting &= ~with;
	for (int i = 0; i < w.count; i++)
		if (with >> i & 1) w.threads[i].state = State::Ready;
	return true;
}

void meet_lanes(unsigned mask, void (*all)(void **), void *mine, const char *what, const char *file, int line) {
	if (!(mask >> now->lane & 1))
		fail(CUDA_ERROR_LAUNCH_FAILED, "%s:%d: %s with mask %#x, which leaves out the thread's own lane %d", file, line, what,
			mask, now->lane);
	now->mask = mask;
	now->all = all;
	now->mine = mine;
	wait_at(State::Meeting, what, file, line);
	now->warp->meeting |= 1u << now->lane;
	if (!met(*now->warp, *now)) leave();
}

// end is called when a thread's function has returned.
static void end() {
	Warp &w = *now->warp;
	now->state = State::Done;
	w.alive &= ~(1u << now->lane);
	live--;
	if (live && arrived == live) open_barrier();
	for (int i = 0; i < w.count; i++)
		if (w.threads[i].state == State::Meeting && met(w, w.threads[i])) i = -1;
}

static Round lanes; // in which order a warp's threads run

// fiber runs threads, one after the other as long as none has to wait.
static void fiber() {
	Stack *mine = now->stack;
	for (;;) {
		launch->entry->run(stack_room);
		end();
		int i = lanes.peek();
		if (i < 0 || now->warp->threads[i].state != State::Fresh) break;
		now = &now->warp->threads[lanes.next()];
		now->state = State::Ready;
		now->stack = mine;
	}
	give_stack(mine);
	void *nowhere;
	standin_switch(&nowhere, scheduler);
	abort();
}

static void resume(Thread &t) {
	now = &t;
	if (t.state == State::Fresh) {
		t.state = State::Ready;
		t.stack = take_stack(fiber);
	}
	standin_switch(&scheduler, t.stack->at);
}

static bool runnable(const Thread &t) { return t.state == State::Fresh || t.state == State::Ready; }

// go runs a warp's threads until none can go on, or for a while, and reports whether any ran.
static bool go(Warp &w) {
	bool moved = false;
	for (int rounds = rounds_of_warp(); rounds-- > 0;) {
		bool again = false;
		lanes = Round(w.count);
		for (int i; (i = lanes.next()) >= 0;) {
			if (!runnable(w.threads[i])) continue;
			resume(w.threads[i]);
			if (failure) return true;
			again = true;
		}
		if (!again) break;
		moved = true;
	}
	return moved;
}

// stuck says why no thread can go on.
static void stuck() {
	for (Thread &t : threads) {
		if (t.state != State::Meeting) continue;
		now = &t;
		for (int i = 0; i < t.warp->count; i++) {
			const Thread &o = t.warp->threads[i];
			if ((t.mask & t.warp->alive) >> i & 1 && (o.state != State::Meeting || o.mask != t.mask)) {
				if (o.state == State::Meeting)
					fail(CUDA_ERROR_LAUNCH_FAILED, "deadlock: %s at %s:%d with mask %#x waits for lane %d, which is in %s at %s:%d with mask %#x",
						t.what, t.file, t.line, t.mask, i, o.what, o.file, o.line, o.mask);
				fail(CUDA_ERROR_LAUNCH_FAILED, "deadlock: %s at %s:%d with mask %#x waits for lane %d, which is in %s at %s:%d",
					t.what, t.file, t.line, t.mask, i, o.what, o.file, o.line);
			}
		}
	}
	now = const_cast<Thread *>(first_arrived);
	fail(CUDA_ERROR_LAUNCH_FAILED, "deadlock: %d of %d threads are in the barrier at %s:%d", arrived, live, now->file, now->line);
}

static int used; // warps of the block

// shape makes the threads of blocks of this size.
static void shape(dim3 size) {
	int n = size.x * size.y * size.z;
	used = (n + WarpSize - 1) / WarpSize;
	uint3 at = {0, 0, 0};
	for (int i = 0; i < n; i++) {
		Thread &t = threads[i];
		t.number = i;
		t.lane = i % WarpSize;
		t.index = at;
		t.warp = &warps[i / WarpSize];
		if (++at.x == size.x) {
			at.x = 0;
			if (++at.y == size.y) at.y = 0, at.z++;
		}
	}
	for (int i = n; i < MaxThreads; i++) threads[i].state = State::Done;
	if (used < MaxThreads / WarpSize) warps[used].threads = nullptr;
}

// run_block runs a block of so many threads.
static void run_block(int n) {
	live = n;
	arrived = 0;
	votes = {};
	for (int i = 0; i < used; i++) {
		int count = std::min(WarpSize, n - i * WarpSize);
		warps[i] = {count, count == WarpSize ? ~0u : (1u << count) - 1, 0, 0, threads + i * WarpSize};
	}
	for (int i = 0; i < n; i++) {
		threads[i].state = State::Fresh;
		if (threads[i].stage) threads[i].stage = 0, threads[i].copies.clear();
	}
	block_epoch = ++epoch;
	while (live && !failure) {
		bool moved = false;
		Round order(used);
		for (int i; !failure && (i = order.next()) >= 0;) moved |= go(warps[i]);
		if (moved || !live || failure) continue;
		Stack *s = take_stack(stuck); // which fails, and comes back here
		standin_switch(&scheduler, s->at);
	}
}

CUresult run(const Launch &l) {
	failure = CUDA_SUCCESS;
	launch = &l;
	if (!stack_room) give_stack(take_stack(nullptr));
	memcpy(stack_room, l.argument.data(), l.argument.size());
	begin_checks(l);
	shape(l.block);
	int n = l.block.x * l.block.y * l.block.z;
	Round blocks(l.grid.x * size_t(l.grid.y) * l.grid.z);
	for (long i; !failure && (i = blocks.next()) >= 0;) {
		block_number = {unsigned(i % l.grid.x), unsigned(i / l.grid.x % l.grid.y), unsigned(i / l.grid.x / l.grid.y)};
		run_block(n);
	}
	end_checks();
	now = nullptr;
	if (failure) give_stacks();
	return failure;
}

}
