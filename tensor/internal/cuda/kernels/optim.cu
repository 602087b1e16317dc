// The steps of optimizers, for up to MaxParams parameters θ with gradients g in a launch.
//
//	sgd      g ← g + λθ    b ← μb + (1−τ)g, at first b ← g    θ ← θ − LR·b, or θ − LR·(g + μb)
//	adam     g ← g + λθ    m ← β₁m + (1−β₁)g    v ← β₂v + (1−β₂)g²
//	         θ ← θ − LR/(1−β₁ᵗ)·m/(√(v/(1−β₂ᵗ)) + ε)
//	rmsprop  g ← g + λθ    v ← keep·v + add·g²    b ← μb + g/(√v + ε)    θ ← θ − LR·b
//
// Every operation is rounded to the type of what it changes, in PyTorch's order. Where skip is not 0
// nothing changes.
#include "many.cuh"

constexpr int MaxParams = 44;
constexpr int Piece = 4096; // elements of a parameter that a block takes at a time

struct Param {
	void *array[5]; // value, gradient, and what is kept; null where there is none
	int64_t *steps; // how many steps were done, and how many with momentum; may be null
	int64_t n;
	uint32_t first; // number of its first piece
	int32_t step;   // t, where steps is null
	uint8_t dtype[5];
	uint8_t begins; // SGD's buffer is new, where steps is null
	uint8_t wide;   // an array is float64, in which all is computed then
	uint8_t single; // all are float32 and aligned
};

struct Params {
	const float *skip; // may be null
	int32_t count;
	uint32_t pieces;
	Param param[MaxParams];
};

// rounded rounds v to a type.
template <class C> __device__ __forceinline__ C rounded(C v, int dtype) {
	switch (dtype) {
	case Float32: return convert<C>(convert<float>(v));
	case Float16: return convert<C>(convert<half_t>(v));
	case BFloat16: return convert<C>(convert<bfloat_t>(v));
	}
	return v;
}

// Exactly and Rounded say how results are rounded: not at all where all is float32, and to the type
// of array k.
struct Exactly {
	template <class C> __device__ __forceinline__ C operator()(C v, int) const { return v; }
};
struct Rounded {
	const uint8_t *dtype;
	template <class C> __device__ __forceinline__ C operator()(C v, int k) const { return rounded(v, dtype[k]); }
};

enum { Value, Grad, Kept };

// A Moment is what a block knows of a parameter's step.
struct Moment {
	double rate, root;
	bool begins;
};

struct SGD {
	double lr, momentum, undampened, decay; // 1 − τ
	int32_t nesterov, maximize;

	__device__ void moment(Moment &, int64_t) const {}

	template <class C, class R> __device__ __forceinline__ void one(C (&x)[5], const Param &p, const Moment &m, R round) const {
		C g = x[Grad];
		if (maximize) g = -g;
		if (decay != 0) g = round(g + static_cast<C>(decay) * x[Value], Grad);
		if (p.array[Kept]) {
			C b = g;
			if (!m.begins) b = round(x[Kept] * static_cast<C>(momentum), Kept) + static_cast<C>(undampened) * g;
			b = round(b, Kept);
			x[Kept] = b;
			g = nesterov ? round(g + static_cast<C>(momentum) * b, Grad) : b;
		}
		x[Value] = x[Value] + static_cast<C>(-lr) * g;
	}
};

// lerp moves mean by weight of the way to g, in PyTorch's two forms, which differ in how they round.
template <class C> __device__ __forceinline__ C lerp(C mean, C g, double weight) {
	C way = g - mean;
	return weight < 0.5 ? mean + static_cast<C>(weight) * way : g + static_cast<C>(weight - 1) * way;
}

// power is x to the t, as Go's math.Pow comes to it.
__device__ inline double power(double x, int64_t t) {
	double all = 1, next;
	int exponent = 0, e;
	next = frexp(x, &e);
	for (; t != 0; t >>= 1) {
		if (e < -2048) return 0; // which the rest would overflow by
		if (t & 1) all *= next, exponent += e;
		next *= next;
		e *= 2;
		if (next < 0.5) next += next, e--;
	}
	return ldexp(all, exponent);
}

struct Adam {
	double lr, decay, eps, beta1, beta2;
	int32_t decoupled, maximize;

	__device__ void moment(Moment &m, int64_t t) const {
		m.rate = -lr / (1 - power(beta1, t));
		m.root = sqrt(1 - power(beta2, t));
	}

	template <class C, class R> __device__ __forceinline__ void one(C (&x)[5], const Param &p, const Moment &m, R round) const {
		C g = x[Grad];
		if (maximize) g = -g;
		if (decoupled) x[Value] = round(x[Value] * static_cast<C>(1 - lr * decay), Value);
		else if (decay != 0) g = round(g + static_cast<C>(decay) * x[Value], Grad);
		C mean = round(lerp(x[Kept], g, 1 - beta1), Kept);
		C square = round(x[Kept + 1] * static_cast<C>(beta2), Kept + 1);
		square = round(square + static_cast<C>(1 - beta2) * g * g, Kept + 1);
		x[Kept] = mean;
		x[Kept + 1] = square;
		int under = Kept + 1;
		if (p.array[Kept + 2]) { // NaN is the largest
			under = Kept + 2;
			square = x[under] > square || x[under] != x[under] ? x[under] : square;
			square = round(square, under);
			x[under] = square;
		}
		C root = round(static_cast<C>(sqrt(square)), under);
		root = round(root / static_cast<C>(m.root), under);
		root = round(root + static_cast<C>(eps), under);
		x[Value] = x[Value] + static_cast<C>(m.rate) * mean / root;
	}
};

struct RMSprop {
	double lr, keep, add, eps, momentum, decay, lrdecay;
	int32_t maximize, pad;

	__device__ void moment(Moment &m, int64_t t) const {
		m.rate = -(lr / (1 + static_cast<double>(t - 1) * lrdecay));
	}

	template <class C, class R> __device__ __forceinline__ void one(C (&x)[5], const Param &p, const Moment &m, R round) const {
		C g = x[Grad];
		if (maximize) g = -g;
		if (decay != 0) g = round(g + static_cast<C>(decay) * x[Value], Grad);
		C square = round(x[Kept] * static_cast<C>(keep), Kept);
		square = round(square + static_cast<C>(add) * g * g, Kept);
		x[Kept] = square;
		if (p.array[Kept + 1]) {
			C mean = round(lerp(x[Kept + 1], g, add), Kept + 1);
			x[Kept + 1] = mean;
			square = round(square - mean * mean, Kept);
		}
		C root = round(static_cast<C>(sqrt(square)), Kept);
		root = round(root + static_cast<C>(eps), Kept);
		if (!p.array[Kept + 2]) {
			x[Value] = x[Value] + static_cast<C>(m.rate) * g / root;
			return;
		}
		C b = round(x[Kept + 2] * static_cast<C>(momentum), Kept + 2);
		b = round(b + g / root, Kept + 2);
		x[Kept + 2] = b;
		x[Value] = x[Value] + static_cast<C>(m.rate) * b;
	}
};

template <class Rule> struct StepArgs {
	Rule rule;
	Params ps;
};

// stepPacks steps elements lo to hi of float32s, four at a time.
template <class Rule> __device__ void stepPacks(const Rule &rule, const Param &p, const Moment &m, int64_t lo, int64_t hi) {
	typedef Pack<float> P;
	for (int64_t i = lo / P::n + threadIdx.x; i < hi / P::n; i += blockDim.x) {
		P x[5];
#pragma unroll
		for (int k = 0; k < 5; k++)
			if (p.array[k]) x[k] = static_cast<const P *>(p.array[k])[i];
#pragma unroll
		for (int j = 0; j < P::n; j++) {
			float e[5];
#pragma unroll
			for (int k = 0; k < 5; k++) e[k] = p.array[k] ? x[k].v[j] : 0;
			rule.one(e, p, m, Exactly());
#pragma unroll
			for (int k = 0; k < 5; k++) x[k].v[j] = e[k];
		}
#pragma unroll
		for (int k = 0; k < 5; k++)
			if (k != Grad && p.array[k]) static_cast<P *>(p.array[k])[i] = x[k];
	}
}

// stepEach steps elements lo to hi of any types, one by one, in C.
template <class C, class Rule> __device__ void stepEach(const Rule &rule, const Param &p, const Moment &m, int64_t lo, int64_t hi) {
	for (int64_t i = lo + threadIdx.x; i < hi; i += blockDim.x) {
		C e[5];
#pragma unroll
		for (int k = 0; k < 5; k++) e[k] = p.array[k] ? load<C>(p.array[k], i, p.dtype[k]) : C(0);
		rule.one(e, p, m, Rounded{p.dtype});
#pragma unroll
		for (int k = 0; k < 5; k++)
			if (k != Grad && p.array[k]) store<C>(p.array[k], i, p.dtype[k], e[k]);
	}
}

// stepped does the pieces of this block.
template <class Rule> __device__ void stepped(const StepArgs<Rule> &a) {
	__shared__ Moment shared;
	if (a.ps.skip && *a.ps.skip != 0) return;
	int known = -1;
	for (uint32_t c = blockIdx.x; c < a.ps.pieces; c += gridDim.x) {
		int k = find(a.ps.param, a.ps.count, c);
		const Param &p = a.ps.param[k];
		if (k != known) {
			__syncthreads(); // all are done with the one before
			if (threadIdx.x == 0) {
				shared.begins = p.steps ? p.steps[1] <= 1 : p.begins; // count_steps has counted this step
				a.rule.moment(shared, p.steps ? p.steps[0] : p.step);
			}
			__syncthreads();
			known = k;
		}
		Moment m = shared;
		int64_t lo = static_cast<int64_t>(c - p.first) * Piece, hi = lo + Piece < p.n ? lo + Piece : p.n;
		if (p.single) {
			stepPacks(a.rule, p, m, lo, hi);
			lo = hi / 4 * 4;
		}
		if (p.wide) stepEach<double>(a.rule, p, m, lo, hi);
		else stepEach<float>(a.rule, p, m, lo, hi);
	}
}

#define FOUR_BLOCKS 256, 4 // on a multiprocessor at a time, which have 64 registers a thread

// By SGDStep, AdamStep and RMSpropStep, behind count_steps.
KERNEL_BOUNDS(step_sgd, StepArgs<SGD>, 256) { stepped(a); }
KERNEL_BOUNDS(step_adam, StepArgs<Adam>, FOUR_BLOCKS) { stepped(a); }
KERNEL_BOUNDS(step_rmsprop, StepArgs<RMSprop>, 256) { stepped(a); }

constexpr int MaxSteps = 480;

struct AdvanceArgs {
	const float *skip;
	int32_t count, momentum;
	int64_t *steps[MaxSteps];
};

// By all steps, before them: counts the step of each parameter, in a thread for each.
KERNEL_BOUNDS(count_steps, AdvanceArgs, 256) {
	if (a.skip && *a.skip != 0) return;
	for (int i = threadIdx.x; i < a.count; i += blockDim.x) {
		a.steps[i][0]++;
		if (a.momentum) a.steps[i][1]++;
	}
}
