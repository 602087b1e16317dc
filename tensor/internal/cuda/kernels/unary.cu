// Ops on one array: out = op(x), where p is the parameter of the ops that have one.
//
// Launched by Unary in elementwise.go.
#include "arith.cuh"
#include "curves.cuh"
#include "pack.cuh"

// The ops, with the numbers of device.UnaryOp.
enum UnaryOp : int32_t {
	Neg, Abs, Sign, Exp, Log, Sqrt, Rsqrt, Reciprocal, Tanh, Sigmoid, ReLU, Sin, Cos, Tan, Asin, Acos, Atan, Sinh,
	Cosh, Erf, Erfinv, Expm1, Log1p, Log2, Log10, Floor, Ceil, Round, Trunc, IsFinite, IsInf, IsNaN, Not, AddP, MulP,
	DivP, PowP, MaxP, MinP, EqP, NeP, LtP, LeP, GtP, GeP
};

// inverse_erf is Wichura's rational approximations to the quantiles of the normal distribution
// (algorithm AS 241), as Go has them.
static __device__ __noinline__ double inverse_erf(double x) {
	constexpr double near[2][8] = {
		{1.1975323115670912564578e0, 4.7072688112383978012285e1, 6.9706266534389598238465e2, 4.8548868893843886794648e3,
			1.6235862515167575384252e4, 2.3782041382114385731252e4, 1.1819493347062294404278e4,
			8.8709406962545514830200e2},
		{1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
			3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}};
	constexpr double middle[2][8] = {
		{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
			1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2,
			7.74545014278341407640e-4},
		{1.4142135623730950488016887e0, 2.9036514445419946173133295e0, 2.3707661626024532365971225e0,
			9.7547832001787427186894837e-1, 2.0945065210512749128288442e-1, 2.1494160384252876777097297e-2,
			7.7441459065157709165577218e-4, 1.4859850019840355905497876e-9}};
	constexpr double far[2][8] = {
		{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
			2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5,
			2.01033439929228813265e-7},
		{1.414213562373095048801689e0, 8.482908416595164588112026e-1, 1.936480946950659106176712e-1,
			2.103693768272068968719679e-2, 1.112800997078859844711555e-3, 2.611088405080593625138020e-5,
			2.010321207683943062279931e-7, 2.891024605872965461538222e-15}};
	double t = fabs(x);
	if (!(t < 1)) return t == 1 ? x * INFINITY : NAN;
	const double(*c)[8] = near;
	double r = 0.180625 - 0.25 * x * x;
	if (t > 0.85) {
		r = sqrt(0.693147180559945309417232121458176568 - log(1.0 - t));
		c = r <= 5 ? middle : far;
		r -= r <= 5 ? 1.6 : 5.0;
	}
	double above = c[0][7], below = c[1][7];
	for (int k = 6; k >= 0; k--) {
		above = above * r + c[0][k];
		below = below * r + c[1][k];
	}
	return copysign((t > 0.85 ? above : t * above) / below, x);
}

// curve computes the ops that are not worth code of their own in each type.
static __device__ __noinline__ double curve(int op, double x) {
	switch (op) {
	case Exp: return exp(x);
	case Log: return log(x);
	case Tanh: return tanh(x);
	case Sigmoid: return 1 / (1 + exp(-x));
	case Sin: return sin(x);
	case Cos: return cos(x);
	case Tan: return tan(x);
	case Asin: return asin(x);
	case Acos: return acos(x);
	case Atan: return atan(x);
	case Sinh: return sinh(x);
	case Cosh: return cosh(x);
	case Erf: return erf(x);
	case Erfinv: return inverse_erf(x);
	case Expm1: return expm1(x);
	case Log1p: return log1p(x);
	case Log2: return log2(x);
	case Log10: return log10(x);
	case Floor: return floor(x);
	case Ceil: return ceil(x);
	case Round: return rint(x);
	case Trunc: return trunc(x);
	case Sqrt: return sqrt(x);
	case Rsqrt: return 1 / sqrt(x);
	default: return 1 / x; // Reciprocal
	}
}

// short_curve computes the curves that floats have of their own.
static __device__ __noinline__ float short_curve(int op, float x) {
	switch (op) {
	case Exp: return exp_of(x);
	case Log: return log_of(x);
	case Tanh: return tanh_of(x);
	case Sigmoid: return sigmoid_of(x);
	case Erf: return erf_of(x);
	case Sqrt: return sqrtf(x);
	default: return 1 / x; // Reciprocal
	}
}

// unary computes a pack. What is a call for each element is left to unary_rare.
template <class C, int N> static __device__ __forceinline__ void unary(int op, C (&y)[N], const C (&x)[N], double p) {
	const C c = convert<C>(p);
	switch (op) {
	case Neg: EACH(negated(v))
	case Abs: EACH(absolute(v))
	case Sign: EACH(v > 0 ? 1 : v < 0 ? -1 : 0)
	case ReLU: EACH(v > 0 || v != v ? v : C(0))
	case AddP: EACH(plus(v, c))
	case MulP: EACH(times(v, c))
	case DivP: EACH(over(v, c))
	case MaxP: EACH(larger(v, c))
	case MinP: EACH(smaller(v, c))
	case IsFinite: EACH(v - v == 0)
	case IsInf: EACH(v == v && v - v != 0)
	case IsNaN: EACH(v != v)
	case Not: EACH(v == 0)
	case EqP: EACH(v == c)
	case NeP: EACH(v != c)
	case LtP: EACH(v < c)
	case LeP: EACH(v <= c)
	case GtP: EACH(v > c)
	case GeP: EACH(v >= c)
	default:
		if constexpr (sizeof(C) == 4) {
			if constexpr (N == 1) y[0] = short_curve(op, x[0]);
			else switch (op) {
				case Exp: EACH(exp_of(v))
				case Tanh: EACH(tanh_of(v))
				case Sigmoid: EACH(sigmoid_of(v))
				default: EACH(short_curve(op, v))
				}
		}
	}
}

// dense are the arrays of one dtype. The ops that are nearly nothing but memory are chosen outside
// of the loop, and have two vectors under way.
template <int D> static __device__ __forceinline__ void dense(const Elements &a) {
#define HOT(name) \
	case name: \
		packs<D, float, 1, 2>(a, [&](int64_t, auto &y, auto &x) { unary(name, y, x[0], a.p); }); \
		break;
	switch (a.op) {
		HOT(ReLU)
		HOT(AddP)
		HOT(MulP)
	default:
		packs<D, float, 1, 1>(a, [&](int64_t, auto &y, auto &x) { unary(a.op, y, x[0], a.p); });
	}
#undef HOT
	singles<D, float, 1>(a, [&](int64_t, auto &y, auto &x) { unary(a.op, y, x[0], a.p); });
}

KERNEL_BOUNDS(unary_f32, Elements, 256) { dense<Float32>(a); }
KERNEL_BOUNDS(unary_short, Elements, 256) { dense<Short>(a); }

template <class C> static __device__ __forceinline__ void any(const Elements &a) {
	all<Any, C, 1, 1>(a, [&](int64_t, auto &y, auto &x) { unary(a.op, y, x[0], a.p); });
}
KERNEL_BOUNDS(unary_any_f32, Elements, 256) { any<float>(a); }
KERNEL_BOUNDS(unary_any_f64, Elements, 256) { any<double>(a); }
KERNEL_BOUNDS(unary_any_i64, Elements, 256) { any<int64_t>(a); }

// unary_rare computes element by element, in double, ops whose time is not in the memory. order says
// which type is computed in: elements are rounded to it before and after.
KERNEL_BOUNDS(unary_rare, Elements, 256) {
	for (int64_t i = first(); i < a.walk.total; i += step()) {
		int64_t at[2];
		seek(a.walk, i, at);
		double x;
		if (a.order == Int64) {
			int64_t v = load<int64_t>(a.array[1], at[1]);
			if (a.op == PowP && a.p != 0.5) {
				store<int64_t>(a.array[0], at[0], power_of(v, convert<int64_t>(a.p)));
				continue;
			}
			x = static_cast<double>(v);
		} else x = a.order == Float32 ? load<float>(a.array[1], at[1]) : load<double>(a.array[1], at[1]);
		double y;
		if (a.op == PowP && a.p == 2) y = x * x;
		else if (a.op == PowP && a.p == 3) y = a.order == Float32 ? static_cast<float>(x * x) * x : x * x * x;
		else if (a.op == PowP) y = a.p == 0.5 ? sqrt(x) : power_of(x, a.p);
		else y = curve(a.op, x);
		if (a.order == Float64) store<double>(a.array[0], at[0], y);
		else if (a.order == Float32) store<float>(a.array[0], at[0], static_cast<float>(y));
		else store<int64_t>(a.array[0], at[0], convert<int64_t>(y));
	}
}
