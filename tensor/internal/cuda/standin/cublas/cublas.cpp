// A stand-in for cuBLAS: the functions that are used, on the streams of the stand-in for the driver.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace {

enum Status { Success = 0, NotInitialized = 1, InvalidValue = 7, ExecutionFailed = 13, NotSupported = 15 };
enum Type { F32 = 0, F64 = 1, F16 = 2, BF16 = 14 }; // of cudaDataType
enum Compute { In32F = 68, In64F = 70 };

// A Handle belongs to the context that was current when it was made.
struct Handle {
	CUcontext context;
	CUstream stream;
	int mode;
};

// What the driver does.
struct Driver {
	CUresult (*launch_host)(CUstream, CUhostFn, void *);
	CUresult (*address_range)(CUdeviceptr *, size_t *, CUdeviceptr);
	CUresult (*current)(CUcontext *);

	Driver() {
		const char *path = getenv("HALFNOTE_LIBCUDA");
		void *lib = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
		if (!lib) return;
		launch_host = reinterpret_cast<decltype(launch_host)>(dlsym(lib, "cuLaunchHostFunc"));
		address_range = reinterpret_cast<decltype(address_range)>(dlsym(lib, "cuMemGetAddressRange_v2"));
		current = reinterpret_cast<decltype(current)>(dlsym(lib, "cuCtxGetCurrent"));
	}
	bool found() const { return launch_host && address_range && current; }
};

const Driver &driver() {
	static const Driver d;
	return d;
}

size_t size_of(int type) { return type == F64 ? 8 : type == F32 ? 4 : 2; }

// A Matrix lies in columns, which are pitch elements apart.
struct Matrix {
	char *data;
	int type;
	long rows, cols, pitch, stride; // from one of the batch to the next

	double at(long batch, long r, long c) const {
		const char *p = data + (batch * stride + c * pitch + r) * size_of(type);
		switch (type) {
		case F64: return *reinterpret_cast<const double *>(p);
		case F32: return *reinterpret_cast<const float *>(p);
		case F16: return __half2float(*reinterpret_cast<const __half *>(p));
		}
		return __bfloat162float(*reinterpret_cast<const __nv_bfloat16 *>(p));
	}

	void set(long batch, long r, long c, double v) const {
		char *p = data + (batch * stride + c * pitch + r) * size_of(type);
		switch (type) {
		case F64: *reinterpret_cast<double *>(p) = v; break;
		case F32: *reinterpret_cast<float *>(p) = float(v); break;
		case F16: *reinterpret_cast<__half *>(p) = __float2half_rn(float(v)); break;
		default: *reinterpret_cast<__nv_bfloat16 *>(p) = __float2bfloat16_rn(float(v));
		}
	}

	// fits reports whether all of it belongs to one allocation.
	bool fits(long batch) const {
		CUdeviceptr base, p = reinterpret_cast<CUdeviceptr>(data);
		size_t n, need = ((batch - 1) * stride + (cols - 1) * pitch + rows) * size_of(type);
		return !driver().address_range(&base, &n, p) && p - base + need <= n;
	}
};

struct Product {
	Matrix a, b, c;
	bool transposed_a, transposed_b;
	long m, n, k, batch;
	double alpha, beta;
	bool wide;

	// run computes c = alpha·a·b + beta·c, with sums in T.
	template <class T> void run() const {
		std::vector<T> fa(m * k), fb(k * n);
		for (long i = 0; i < batch; i++) {
			for (long r = 0; r < m; r++)
				for (long q = 0; q < k; q++) fa[r * k + q] = T(transposed_a ? a.at(i, q, r) : a.at(i, r, q));
			for (long s = 0; s < n; s++)
				for (long q = 0; q < k; q++) fb[s * k + q] = T(transposed_b ? b.at(i, s, q) : b.at(i, q, s));
			for (long s = 0; s < n; s++)
				for (long r = 0; r < m; r++) {
					T sum = 0;
					for (long q = 0; q < k; q++) sum += fa[r * k + q] * fb[s * k + q];
					sum *= T(alpha);
					if (beta != 0) sum += T(beta) * T(c.at(i, r, s));
					c.set(i, r, s, sum);
				}
		}
	}

	static void CUDA_CB work(void *p) {
		auto *product = static_cast<Product *>(p);
		product->wide ? product->run<double>() : product->run<float>();
	}
};

// known reports whether cuBLAS has a product of these types.
bool known(int in, int out, int compute) {
	if (compute == In64F) return in == F64 && out == F64;
	if (compute != In32F) return false;
	switch (in) {
	case F32: return out == F32;
	case F16: return out == F16 || out == F32;
	case BF16: return out == BF16 || out == F32;
	}
	return false;
}

int enqueue(Handle *h, Product p, int compute) {
	CUcontext now = nullptr;
	if (!driver().found() || driver().current(&now) || !h || now != h->context) return NotInitialized;
	if (p.a.type != p.b.type || !known(p.a.type, p.c.type, compute)) return NotSupported;
	if (p.m < 0 || p.n < 0 || p.k < 0 || p.batch < 0) return InvalidValue;
	for (const Matrix *x : {&p.a, &p.b, &p.c}) {
		if (x->pitch < x->rows || x->pitch < 1) return InvalidValue;
		if (p.m && p.n && p.k && p.batch && !x->fits(p.batch)) {
			fprintf(stderr, "stand-in: cuBLAS is given a matrix of %ld by %ld that is not in one piece of a device's memory\n",
				x->rows, x->cols);
			return ExecutionFailed;
		}
	}
	if (!p.m || !p.n || !p.batch) return Success;
	// A graph may do it again, so that what it needs is never freed.
	return driver().launch_host(h->stream, Product::work, new Product(p)) ? ExecutionFailed : Success;
}

}

API int cublasCreate_v2(Handle **h) {
	CUcontext now = nullptr;
	if (!driver().found() || driver().current(&now) || !now) return NotInitialized;
	*h = new Handle{now, nullptr, 0};
	return Success;
}

API int cublasDestroy_v2(Handle *h) {
	delete h;
	return Success;
}

API int cublasSetStream_v2(Handle *h, CUstream s) {
	h->stream = s;
	return Success;
}

API int cublasSetMathMode(Handle *h, int mode) {
	h->mode = mode;
	return Success;
}

API int cublasSetWorkspace_v2(Handle *, void *p, size_t) {
	return reinterpret_cast<uintptr_t>(p) % 256 ? InvalidValue : Success;
}

API int cublasGetVersion_v2(Handle *, int *v) {
	*v = 130000;
	return Success;
}

API const char *cublasGetStatusString(int status) {
	switch (status) {
	case Success: return "the operation completed successfully";
	case NotInitialized: return "the library was not initialized";
	case InvalidValue: return "an unsupported value or parameter was passed to the function";
	case ExecutionFailed: return "the GPU program failed to execute";
	case NotSupported: return "the functionality requested is not supported";
	}
	return "unknown cuBLAS status";
}

API int cublasGemmStridedBatchedEx(Handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int type_a,
	int lda, long long stride_a, const void *b, int type_b, int ldb, long long stride_b, const void *beta, void *c, int type_c,
	int ldc, long long stride_c, int batch, int compute, int) {
	bool wide = compute == In64F;
	auto number = [wide](const void *p) {
		return wide ? *static_cast<const double *>(p) : double(*static_cast<const float *>(p));
	};
	auto matrix = [](const void *p, int type, int rows, int cols, int pitch, long long stride) {
		return Matrix{static_cast<char *>(const_cast<void *>(p)), type, rows, cols, pitch, long(stride)};
	};
	Product p = {matrix(a, type_a, ta ? k : m, ta ? m : k, lda, stride_a), matrix(b, type_b, tb ? n : k, tb ? k : n, ldb, stride_b),
		matrix(c, type_c, m, n, ldc, stride_c), ta != 0, tb != 0, m, n, k, batch, number(alpha), number(beta), wide};
	return enqueue(h, p, compute);
}

API int cublasGemmEx(Handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int type_a, int lda,
	const void *b, int type_b, int ldb, const void *beta, void *c, int type_c, int ldc, int compute, int algorithm) {
	return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c, ldc, 0, 1,
		compute, algorithm);
}
