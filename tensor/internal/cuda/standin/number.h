// Arithmetic that CUDA C++ has and C++ has not.
#pragma once

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace standin {

// to and from take bits as another type of the same size.
template <class To, class From> inline To bits(From v) {
	static_assert(sizeof(To) == sizeof(From), "sizes differ");
	To to;
	__builtin_memcpy(&to, &v, sizeof to);
	return to;
}

#ifdef __F16C__ // NVIDIA's headers convert step by step, which takes ten times as long
inline float half_to_float(__half v) { return _cvtsh_ss(bits<unsigned short>(v)); }
inline __half float_to_half(float v) {
	return bits<__half>(v == v ? static_cast<unsigned short>(_cvtss_sh(v, 0)) : static_cast<unsigned short>(0x7fff));
}
#else
inline float half_to_float(__half v) { return ::__half2float(v); }
inline __half float_to_half(float v) { return ::__float2half_rn(v); }
#endif
inline float bfloat_to_float(__nv_bfloat16 v) { return bits<float>(static_cast<uint32_t>(bits<unsigned short>(v)) << 16); }
inline __nv_bfloat16 float_to_bfloat(float v) {
	uint32_t u = bits<uint32_t>(v);
	u = v == v ? (u + 0x7fff + (u >> 16 & 1)) >> 16 : 0x7fff;
	return bits<__nv_bfloat16>(static_cast<unsigned short>(u));
}

}

#define __half2float standin::half_to_float
#define __float2half standin::float_to_half
#define __float2half_rn standin::float_to_half
#define __bfloat162float standin::bfloat_to_float
#define __float2bfloat16 standin::float_to_bfloat
#define __float2bfloat16_rn standin::float_to_bfloat

using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

#define STANDIN_MIN_MAX(T) \
	inline T min(T a, T b) { return b < a ? b : a; } \
	inline T max(T a, T b) { return a < b ? b : a; }
STANDIN_MIN_MAX(int)
STANDIN_MIN_MAX(unsigned)
STANDIN_MIN_MAX(long)
STANDIN_MIN_MAX(unsigned long)
STANDIN_MIN_MAX(long long)
STANDIN_MIN_MAX(unsigned long long)
#undef STANDIN_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

// The product is rounded once, in float64 and then to 16 bits, which float64's 53 bits leave exact.
inline __half __hfma(__half a, __half b, __half c) {
	return __double2half(fma(double(__half2float(a)), double(__half2float(b)), double(__half2float(c))));
}

inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rcbrtf(float x) { return 1 / cbrtf(x); }
inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752); }
inline float sinpif(float x) { return sinf(float(M_PI) * x); }
inline float cospif(float x) { return cosf(float(M_PI) * x); }
inline double sinpi(double x) { return sin(M_PI * x); }
inline double cospi(double x) { return cos(M_PI * x); }
inline void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
inline void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }

inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return powf(10, x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
inline float __frcp_rn(float x) { return 1 / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frsqrt_rn(float x) { return float(1 / sqrt(double(x))); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double x) { return sqrt(x); }
inline double __drcp_rn(double x) { return 1 / x; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

inline int __float_as_int(float v) { return standin::bits<int>(v); }
inline unsigned __float_as_uint(float v) { return standin::bits<unsigned>(v); }
inline float __int_as_float(int v) { return standin::bits<float>(v); }
inline float __uint_as_float(unsigned v) { return standin::bits<float>(v); }
inline long long __double_as_longlong(double v) { return standin::bits<long long>(v); }
inline double __longlong_as_double(long long v) { return standin::bits<double>(v); }
inline int __double2hiint(double v) { return int(standin::bits<long long>(v) >> 32); }
inline int __double2loint(double v) { return int(standin::bits<long long>(v)); }
inline double __hiloint2double(int hi, int lo) {
	return standin::bits<double>(static_cast<long long>(uint64_t(unsigned(hi)) << 32 | unsigned(lo)));
}

namespace standin {

// whole converts to an integer as a GPU does: what is too large becomes the nearest, NaN becomes 0
// (in 64 bits the smallest integer).
template <class I, class F> inline I whole(F v) {
	if (v != v) return sizeof(I) == 8 ? I(1) << 63 : 0;
	constexpr I least = std::is_signed<I>::value ? I(I(1) << (8 * sizeof(I) - 1)) : 0, most = I(~least);
	if (v <= F(least)) return least;
	return v >= F(most) ? most : static_cast<I>(v);
}

}

#define STANDIN_WHOLE(from, F, to, I) \
	inline I __##from##2##to##_rn(F v) { return standin::whole<I>(std::nearbyint(v)); } \
	inline I __##from##2##to##_rz(F v) { return standin::whole<I>(std::trunc(v)); } \
	inline I __##from##2##to##_rd(F v) { return standin::whole<I>(std::floor(v)); } \
	inline I __##from##2##to##_ru(F v) { return standin::whole<I>(std::ceil(v)); }
STANDIN_WHOLE(float, float, int, int)
STANDIN_WHOLE(float, float, uint, unsigned)
STANDIN_WHOLE(float, float, ll, long long)
STANDIN_WHOLE(float, float, ull, unsigned long long)
STANDIN_WHOLE(double, double, int, int)
STANDIN_WHOLE(double, double, uint, unsigned)
STANDIN_WHOLE(double, double, ll, long long)
STANDIN_WHOLE(double, double, ull, unsigned long long)
#undef STANDIN_WHOLE
inline float __int2float_rn(int v) { return float(v); }
inline float __uint2float_rn(unsigned v) { return float(v); }
inline float __ll2float_rn(long long v) { return float(v); }
inline float __ull2float_rn(unsigned long long v) { return float(v); }
inline double __int2double_rn(int v) { return v; }
inline double __ll2double_rn(long long v) { return double(v); }
inline double __ull2double_rn(unsigned long long v) { return double(v); }
inline float __double2float_rn(double v) { return float(v); }

inline int __mulhi(int a, int b) { return int(int64_t(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned(uint64_t(a) * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return static_cast<long long>(static_cast<__int128>(a) * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
	return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __clz(int v) { return v ? __builtin_clz(unsigned(v)) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64; }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline unsigned __brev(unsigned v) {
	v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
	v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
	v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(v);
}
inline unsigned long long __brevll(unsigned long long v) {
	return static_cast<unsigned long long>(__brev(unsigned(v))) << 32 | __brev(unsigned(v >> 32));
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned order) {
	uint64_t both = uint64_t(b) << 32 | a;
	unsigned r = 0;
	for (int i = 0; i < 4; i++) r |= unsigned(both >> 8 * (order >> 4 * i & 7) & 0xff) << 8 * i;
	return r;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned by) {
	return unsigned((uint64_t(hi) << 32 | lo) << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned by) {
	return unsigned((uint64_t(hi) << 32 | lo) >> (by & 31));
}

// Loads and stores that say what a cache should do.
#define STANDIN_LOAD(name) template <class T> inline T name(const T *p) { return *p; }
#define STANDIN_STORE(name) template <class T> inline void name(T *p, T v) { *p = v; }
STANDIN_LOAD(__ldg)
STANDIN_LOAD(__ldca)
STANDIN_LOAD(__ldcg)
STANDIN_LOAD(__ldcs)
STANDIN_LOAD(__ldcv)
STANDIN_LOAD(__ldlu)
STANDIN_STORE(__stwb)
STANDIN_STORE(__stcg)
STANDIN_STORE(__stcs)
STANDIN_STORE(__stwt)
#undef STANDIN_LOAD
#undef STANDIN_STORE
