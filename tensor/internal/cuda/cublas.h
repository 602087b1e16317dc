// NVIDIA's library of matrix products, which is looked for when the program runs.
#ifndef HALFNOTE_CUBLAS_H
#define HALFNOTE_CUBLAS_H

#include <cuda.h>
#include <stdint.h>

// A product in cuBLAS's terms: matrices lie in columns. Types are those of the library. batch is 0
// for one product.
typedef struct {
	uint64_t a, b, c;
	int64_t stride_a, stride_b, stride_c;
	int32_t m, n, k, batch;
	int32_t transpose_a, transpose_b, lda, ldb, ldc;
	int32_t type_in, type_out;
	int32_t compute;
	double beta;
} hn_product;

// hn_cublas_load loads the library of this name, and returns NULL or why it cannot.
const char *hn_cublas_load(const char *name);

// These return what the library does, 0 for success. hn_cublas_create sets that sums of 16-bit numbers
// are never reduced in 16 bits.
int hn_cublas_create(CUcontext ctx, void **handle);
int hn_cublas_stream(CUcontext ctx, void *handle, CUstream stream, uint64_t workspace, size_t bytes);
int hn_cublas_multiply(CUcontext ctx, void *handle, const hn_product *p);

// hn_cublas_version returns 1302 for version 13.2, or 0 where the library does not tell.
int hn_cublas_version(void);
const char *hn_cublas_text(int status);

#endif
