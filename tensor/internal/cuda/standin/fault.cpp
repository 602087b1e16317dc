// Signals that kernels cause: stacks that overflow, divisions by zero, calls to nowhere.
#include <csignal>
#include <cstdint>
#include <cstring>
#include <pthread.h>
#include <ucontext.h>

#include "check.h"

namespace standin {

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction before[32];
static volatile int received;

// landed runs where the kernel ran, after the handler has returned.
static void landed() {
	switch (received) {
	case SIGFPE:
		fail(CUDA_ERROR_LAUNCH_FAILED, "it divides an integer by zero");
	case SIGILL:
		fail(CUDA_ERROR_ILLEGAL_INSTRUCTION, "it runs into an illegal instruction");
	}
	fail(CUDA_ERROR_ILLEGAL_ADDRESS, "it uses memory that is not there, or more stack than it has");
}

static bool on_stack(uintptr_t sp) { return sp - reinterpret_cast<uintptr_t>(stack_room) < StackRoom; }

static void handle(int signal, siginfo_t *info, void *context) {
	auto *c = static_cast<ucontext_t *>(context);
#if defined __x86_64__
	auto &sp = c->uc_mcontext.gregs[REG_RSP], &pc = c->uc_mcontext.gregs[REG_RIP];
#else
	auto &sp = c->uc_mcontext.sp, &pc = c->uc_mcontext.pc;
#endif
	if (now && on_stack(sp)) { // go on in landed, on the upper end of the stack
		received = signal;
		uintptr_t low = (sp - reinterpret_cast<uintptr_t>(stack_room) - ArgumentRoom) / StackSize * StackSize;
		sp = reinterpret_cast<uintptr_t>(stack_room) + ArgumentRoom + low + StackSize - 64;
#if defined __x86_64__
		sp -= 8;
#endif
		pc = reinterpret_cast<uintptr_t>(&landed);
		return;
	}
	const struct sigaction &old = before[signal];
	if (old.sa_flags & SA_SIGINFO) return old.sa_sigaction(signal, info, context);
	if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) return old.sa_handler(signal);
	sigaction(signal, &old, nullptr); // the instruction faults again
}

void catch_faults() {
	static bool done;
	if (done) return;
	done = true;
	for (int signal : caught) {
		struct sigaction a = {};
		sigaction(signal, nullptr, &before[signal]);
		a.sa_sigaction = handle;
		a.sa_flags = SA_SIGINFO | SA_ONSTACK;
		a.sa_mask = before[signal].sa_mask;
		sigaction(signal, &a, nullptr);
	}
}

}
