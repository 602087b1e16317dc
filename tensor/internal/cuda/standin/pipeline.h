// Asynchronous copies from global to shared memory. They are done when their thread waits for them,
// and the memory that they go to holds nothing until then, so that a missing wait shows.
#pragma once

#define HALFNOTE_PIPELINE

namespace standin {

void copy_later(void *to, const void *from, size_t bytes, size_t zeros, const char *file, int line);
void copies_commit();
void copies_wait(size_t but);

}

// The last zeros bytes are cleared instead of copied.
inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0, STANDIN_SITE) {
	standin::copy_later(to, from, bytes, zeros, file, line);
}
inline void __pipeline_commit() { standin::copies_commit(); }
inline void __pipeline_wait_prior(size_t but) { standin::copies_wait(but); }
