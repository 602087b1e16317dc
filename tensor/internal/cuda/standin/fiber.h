// Stacks that C++ functions run on in turn, in one thread of the system.
#pragma once

#include <cstddef>
#include <cstdint>

namespace standin {

// A Stack is where a fiber runs; at is where it goes on when it is entered.
struct Stack {
	char *low;
	void *at;
	Stack *next;
};

// The stacks lie side by side, each below a page that must not be touched. In front of them is room
// for a kernel's arguments, so that one comparison tells what a thread may always read.
constexpr size_t StackSize = 128 << 10, StackCount = 1024, ArgumentRoom = 32 << 10;
constexpr size_t StackRoom = ArgumentRoom + StackSize * StackCount;

extern char *stack_room;

// take returns a stack that begins with run, which must not return.
Stack *take_stack(void (*run)());

// give takes back a stack, which may be the one that is in use until it is left.
void give_stack(Stack *);

// give_stacks takes all back.
void give_stacks();

// standin_switch saves where it is in *from, and goes on at to.
extern "C" void standin_switch(void **from, void *to);

}
