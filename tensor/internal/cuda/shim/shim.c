// A library in the place of libcuda.so: it has the driver's functions, and finds the driver only when
// the first is called. Programs linked with it so start without a driver and can say what is missing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "names.h" // NAMES and names[], made of symbols.txt

enum { NO_DEVICE = 100, NO_SYMBOL = 500, NO_LIBRARY = 1000 };

static int absent(void) { return NO_DEVICE; }

static int missing(void) { return NO_SYMBOL; }

// Where the functions in trampolines.S jump to.
void *halfnote_cuda_table[NAMES] = { [0 ... NAMES - 1] = (void *)absent };

static int state = -1;
static char why[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	const char *path = getenv("HALFNOTE_LIBCUDA");
	void *lib = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		state = NO_LIBRARY;
		snprintf(why, sizeof why, "no NVIDIA driver: %s", dlerror());
		return;
	}
	int (*init)(unsigned) = (int (*)(unsigned))dlsym(lib, "cuInit");
	int (*get_version)(int *) = (int (*)(int *))dlsym(lib, "cuDriverGetVersion");
	int (*text_of)(int, const char **) = (int (*)(int, const char **))dlsym(lib, "cuGetErrorString");
	int version = 0;
	const char *text = "no more is known";
	state = init ? init(0) : NO_SYMBOL;
	if (get_version)
		get_version(&version);
	if (state) {
		if (text_of)
			text_of(state, &text);
		snprintf(why, sizeof why, "the NVIDIA driver (for CUDA %d.%d) does not start: %s (error %d)",
			version / 1000, version % 1000 / 10, text, state);
		return;
	}
	int found = 0;
	for (int i = 0; i < NAMES; i++) {
		void *f = dlsym(lib, names[i]);
		halfnote_cuda_table[i] = f ? f : (void *)missing;
		found += f != NULL;
	}
	snprintf(why, sizeof why, "NVIDIA driver for CUDA %d.%d, %d of %d functions",
		version / 1000, version % 1000 / 10, found, NAMES);
}

// cuInit answers gorgonia.org/cu, which calls it when the program starts and ends that where it fails.
int cuInit(unsigned flags)
{
	(void)flags;
	return 0;
}

// halfnote_cuda_state starts the driver where that was not done, and returns 0, NO_LIBRARY or why not.
int halfnote_cuda_state(void)
{
	pthread_once(&once, load);
	return state;
}

const char *halfnote_cuda_why(void) { return why; }
