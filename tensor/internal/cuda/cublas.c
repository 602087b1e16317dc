//go:build cuda

#define _GNU_SOURCE
#include "cublas.h"

#include <dlfcn.h>
#include <stdio.h>

enum {
	COMPUTE_64F = 70,
	ALGORITHM_DEFAULT = -1,
	DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
	NO_CONTEXT = 1, // CUBLAS_STATUS_NOT_INITIALIZED
};

static int (*create)(void **handle);
static int (*set_stream)(void *handle, CUstream stream);
static int (*set_math_mode)(void *handle, int mode);
static int (*set_workspace)(void *handle, void *workspace, size_t bytes);
static int (*get_property)(int type, int *value); // may be missing
static const char *(*status_string)(int status);
static int (*gemm)(void *handle, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int type_a,
	int lda, const void *b, int type_b, int ldb, const void *beta, void *c, int type_c, int ldc, int compute,
	int algorithm);
static int (*gemm_batched)(void *handle, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,
	int type_a, int lda, long long stride_a, const void *b, int type_b, int ldb, long long stride_b,
	const void *beta, void *c, int type_c, int ldc, long long stride_c, int batch, int compute, int algorithm);

const char *hn_cublas_load(const char *name)
{
	static char why[512];
	static const struct {
		const char *name;
		void **to;
	} functions[] = {
		{ "cublasCreate_v2", (void **)&create }, { "cublasSetStream_v2", (void **)&set_stream },
		{ "cublasSetMathMode", (void **)&set_math_mode }, { "cublasSetWorkspace_v2", (void **)&set_workspace },
		{ "cublasGetStatusString", (void **)&status_string },
		{ "cublasGemmEx", (void **)&gemm }, { "cublasGemmStridedBatchedEx", (void **)&gemm_batched },
	};
	void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		snprintf(why, sizeof why, "%s", dlerror());
		return why;
	}
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		if (!(*functions[i].to = dlsym(lib, functions[i].name))) {
			snprintf(why, sizeof why, "%s has no function %s", name, functions[i].name);
			dlclose(lib);
			return why;
		}
	}
	get_property = (int (*)(int, int *))dlsym(lib, "cublasGetProperty");
	return NULL;
}

int hn_cublas_create(CUcontext ctx, void **handle)
{
	if (cuCtxSetCurrent(ctx))
		return NO_CONTEXT;
	int r = create(handle);
	return r ? r : set_math_mode(*handle, DISALLOW_REDUCED_PRECISION_REDUCTION);
}

int hn_cublas_stream(CUcontext ctx, void *handle, CUstream stream, uint64_t workspace, size_t bytes)
{
	if (cuCtxSetCurrent(ctx))
		return NO_CONTEXT;
	int r = set_stream(handle, stream); // takes the workspace away
	return r ? r : set_workspace(handle, (void *)workspace, bytes);
}

int hn_cublas_multiply(CUcontext ctx, void *handle, const hn_product *p)
{
	if (cuCtxSetCurrent(ctx))
		return NO_CONTEXT;
	const float one = 1, beta = (float)p->beta;
	const double one64 = 1;
	int wide = p->compute == COMPUTE_64F;
	const void *pa = wide ? (const void *)&one64 : &one, *pb = wide ? (const void *)&p->beta : &beta;
	const void *a = (const void *)p->a, *b = (const void *)p->b;
	if (!p->batch)
		return gemm(handle, p->transpose_a, p->transpose_b, p->m, p->n, p->k, pa, a, p->type_in, p->lda,
			b, p->type_in, p->ldb, pb, (void *)p->c, p->type_out, p->ldc, p->compute, ALGORITHM_DEFAULT);
	return gemm_batched(handle, p->transpose_a, p->transpose_b, p->m, p->n, p->k, pa, a, p->type_in, p->lda,
		p->stride_a, b, p->type_in, p->ldb, p->stride_b, pb, (void *)p->c, p->type_out, p->ldc, p->stride_c,
		p->batch, p->compute, ALGORITHM_DEFAULT);
}

int hn_cublas_version(void)
{
	int major = 0, minor = 0;
	if (!get_property || get_property(0, &major) || get_property(1, &minor))
		return 0;
	return 100 * major + minor;
}

const char *hn_cublas_text(int status) { return status_string(status); }
