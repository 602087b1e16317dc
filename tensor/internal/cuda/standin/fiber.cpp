#include "fiber.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace standin {

char *stack_room;
static Stack stacks[StackCount];
static Stack *idle;
static int made;

// What a function must find unchanged when a call returns goes on the stack: the registers that belong
// to callers, and the return address.
#if defined __x86_64__
asm(R"(
	.text
	.hidden standin_switch
	.globl standin_switch
	.type standin_switch, @function
standin_switch:
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
)");
constexpr int Saved = 8, Return = 6; // the last word keeps the stack aligned as it is after a call
#elif defined __aarch64__
asm(R"(
	.text
	.hidden standin_switch
	.globl standin_switch
	.type standin_switch, %function
standin_switch:
	sub sp, sp, #160
	stp x19, x20, [sp]
	stp x21, x22, [sp, #16]
	stp x23, x24, [sp, #32]
	stp x25, x26, [sp, #48]
	stp x27, x28, [sp, #64]
	stp x29, x30, [sp, #80]
	stp d8, d9, [sp, #96]
	stp d10, d11, [sp, #112]
	stp d12, d13, [sp, #128]
	stp d14, d15, [sp, #144]
	mov x9, sp
	str x9, [x0]
	mov sp, x1
	ldp x19, x20, [sp]
	ldp x21, x22, [sp, #16]
	ldp x23, x24, [sp, #32]
	ldp x25, x26, [sp, #48]
	ldp x27, x28, [sp, #64]
	ldp x29, x30, [sp, #80]
	ldp d8, d9, [sp, #96]
	ldp d10, d11, [sp, #112]
	ldp d12, d13, [sp, #128]
	ldp d14, d15, [sp, #144]
	add sp, sp, #160
	ret
)");
constexpr int Saved = 20, Return = 11;
#else
#error "fibers need a switch for this processor"
#endif

static void reserve() {
	stack_room = static_cast<char *>(mmap(nullptr, StackRoom, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	if (stack_room == MAP_FAILED) {
		perror("stand-in: no room for stacks");
		abort();
	}
}

Stack *take_stack(void (*run)()) {
	if (!stack_room) reserve();
	Stack *s = idle;
	if (s) {
		idle = s->next;
	} else {
		s = &stacks[made++];
		s->low = stack_room + ArgumentRoom + StackSize * (s - stacks);
		mprotect(s->low, sysconf(_SC_PAGESIZE), PROT_NONE);
	}
	void **top = reinterpret_cast<void **>(s->low + StackSize) - 2 - Saved;
	for (int i = 0; i < Saved; i++) top[i] = nullptr;
	top[Return] = reinterpret_cast<void *>(run);
	s->at = top;
	return s;
}

void give_stack(Stack *s) {
	s->next = idle;
	idle = s;
}

void give_stacks() {
	idle = nullptr;
	for (int i = made; i-- > 0;) give_stack(&stacks[i]);
}

}
