// Compiled kernels, as nvcc has made them, and their twins for the processor.
#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <string>

#include "block.h"

namespace standin {

// A Function is a kernel in a module: what nvcc's PTX says about it, and its twin.
struct Function {
	std::string name;
	const Entry *entry;
	int device;
	size_t bytes;       // of its argument
	int most_threads;   // in a block
	size_t shared;      // that it has without asking
	size_t most_dynamic; // shared memory that a launch may ask for
};

// function_of returns the function with this handle, or null.
Function *function_of(CUfunction);

}
