// Launches, and the limits that a GPU sets them.
#include <cstdio>

#include "block.h"
#include "module.h"
#include "stream.h"

using namespace standin;

API cuFuncGetAttribute(int *v, CUfunction_attribute a, CUfunction h) {
	ENTER;
	Function *f = function_of(h);
	if (!f) return CUDA_ERROR_INVALID_HANDLE;
	switch (a) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *v = f->most_threads; break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *v = int(f->shared); break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *v = int(f->most_dynamic); break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS: *v = 32; break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *v = capability(); break;
	default: *v = 0;
	}
	return CUDA_SUCCESS;
}

API cuFuncSetAttribute(CUfunction h, CUfunction_attribute a, int v) {
	ENTER;
	Function *f = function_of(h);
	if (!f) return CUDA_ERROR_INVALID_HANDLE;
	if (a != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
	if (v < 0 || size_t(v) + f->shared > size_t(most_shared())) return CUDA_ERROR_INVALID_VALUE;
	f->most_dynamic = v;
	return CUDA_SUCCESS;
}

API cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }
API cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig) { return CUDA_SUCCESS; }

API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction h, int threads, size_t) {
	ENTER;
	if (!function_of(h) || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
	*n = 2048 / threads;
	return CUDA_SUCCESS;
}

static CUresult refused(const Function &f, CUresult r, const char *what, size_t asked, size_t most) {
	fprintf(stderr, "stand-in: %s cannot be launched with %zu %s, of which it may have %zu\n", f.name.c_str(), asked, what, most);
	return r;
}

API cuLaunchKernel(CUfunction h, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, CUstream s, void **arguments, void **extra) {
	ENTER;
	Function *f = function_of(h);
	auto stream = stream_of(s);
	if (!f || !stream || f->device != current->device) return CUDA_ERROR_INVALID_HANDLE;
	size_t threads = size_t(bx) * by * bz;
	if (!gx || !gy || !gz || !threads) return refused(*f, CUDA_ERROR_INVALID_VALUE, "blocks or threads", 0, MaxThreads);
	if (gx > 0x7fffffff) return refused(*f, CUDA_ERROR_INVALID_VALUE, "blocks", gx, 0x7fffffff);
	if (gy > 65535 || gz > 65535) return refused(*f, CUDA_ERROR_INVALID_VALUE, "blocks in y or z", std::max(gy, gz), 65535);
	if (bz > 64) return refused(*f, CUDA_ERROR_INVALID_VALUE, "threads in z", bz, 64);
	if (threads > MaxThreads) return refused(*f, CUDA_ERROR_INVALID_VALUE, "threads", threads, MaxThreads);
	if (threads > size_t(f->most_threads))
		return refused(*f, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "threads", threads, f->most_threads);
	if (shared > f->most_dynamic) return refused(*f, CUDA_ERROR_INVALID_VALUE, "bytes of shared memory", shared, f->most_dynamic);
	if (!arguments || extra) return CUDA_ERROR_INVALID_VALUE;
	auto *a = static_cast<const char *>(arguments[0]);
	auto l = std::make_shared<Launch>(Launch{f->entry, dim3{gx, gy, gz}, dim3{bx, by, bz}, shared,
		std::vector<char>(a, a + f->bytes), current->device});
	return enqueue(s, CU_GRAPH_NODE_TYPE_KERNEL, [l] { return run(*l); });
}
