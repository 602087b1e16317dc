// What accesses of kernels to memory are checked for.
#pragma once

#include <cstddef>

#include "block.h"

namespace standin {

// begin_checks prepares the checks for a launch, and end_checks ends them.
void begin_checks(const Launch &);
void end_checks();

// check ends the launch unless the running thread may read or write n bytes at p.
void check(const void *p, size_t n, bool write);

// check_atomic is check for what may happen in any order.
void check_atomic(const void *p, size_t n);

// catch_faults has signals that kernels cause end the launch, and leaves all others as they were.
void catch_faults();

}
