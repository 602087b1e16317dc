// The losses of classes: device.Losses.
//
//	out[n, s]    = −(1 − smooth)·w[k]·x[n, k, s] − smooth/C·Σ w[c]·x[n, c, s]   with k = classes[n, s]
//	out[n, c, s] = −g[n, s]·w[c]·((1 − smooth)·[c = k] + smooth/C)
//
// and 0 where k is negative, computed in double. loss.go launches both.
#include "reduce.cuh"

struct LossArgs {
	Array x, one, classes, weight; // weight has no data for ones
	double smooth;
	int64_t samples, classes_count, inner; // N·S, C and S
	int64_t x_by[3], one_by[2], classes_by[2], weight_by;
	int32_t team, pad;
};

struct LossSample {
	int64_t class_, x, one; // its class, and where its elements begin

	__device__ __forceinline__ LossSample(const LossArgs &a, int64_t i) {
		uint32_t at = static_cast<uint32_t>(i), n = at / static_cast<uint32_t>(a.inner), s = at - n * static_cast<uint32_t>(a.inner);
		class_ = static_cast<const int64_t *>(a.classes.data)[n * a.classes_by[0] + s * a.classes_by[1]];
		x = n * a.x_by[0] + s * a.x_by[2];
		one = n * a.one_by[0] + s * a.one_by[1];
	}
};

__device__ __forceinline__ double weight_of(const LossArgs &a, int64_t c) {
	return a.weight.data == nullptr ? 1 : load<double>(a.weight, c * a.weight_by);
}

// loss_nll has a team for each sample where it adds over the classes, or else a thread.
KERNEL(loss_nll, LossArgs) {
	if (a.smooth == 0) {
		for (int64_t i = first(); i < a.samples; i += step()) {
			LossSample s(a, i);
			double loss = 0;
			if (s.class_ >= 0) loss = -weight_of(a, s.class_) * load<double>(a.x, s.x + s.class_ * a.x_by[1]);
			store<double>(a.one, s.one, loss);
		}
		return;
	}
	Team team(a.team);
	for (int64_t from = blockIdx.x * int64_t(team.rows); from < a.samples; from += gridDim.x * int64_t(team.rows)) {
		int64_t i = from + team.place;
		bool live = i < a.samples;
		LossSample s(a, live ? i : 0);
		double sum = 0, loss = 0;
		if (live && s.class_ >= 0)
			for (int64_t c = team.lane; c < a.classes_count; c += team.size)
				sum += weight_of(a, c) * load<double>(a.x, s.x + c * a.x_by[1]);
		sum = team.fold(sum, Plus());
		if (!live || team.lane != 0) continue;
		if (s.class_ >= 0)
			loss = -(1 - a.smooth) * weight_of(a, s.class_) * load<double>(a.x, s.x + s.class_ * a.x_by[1]) -
				a.smooth / a.classes_count * sum;
		store<double>(a.one, s.one, loss);
	}
}

// loss_nll_grad has a team for each sample.
KERNEL(loss_nll_grad, LossArgs) {
	Team team(a.team);
	for (int64_t from = blockIdx.x * int64_t(team.rows); from < a.samples; from += gridDim.x * int64_t(team.rows)) {
		int64_t i = from + team.place;
		if (i >= a.samples) return;
		LossSample s(a, i);
		double own = 0, share = 0;
		if (s.class_ >= 0) {
			double g = load<double>(a.one, s.one);
			if (a.smooth != 0) share = -g * a.smooth / a.classes_count; // an infinite g times 0 would be NaN
			own = share - g * (1 - a.smooth);
		}
		for (int64_t c = team.lane; c < a.classes_count; c += team.size) {
			double v = c == s.class_ ? own : share;
			if (c == s.class_ || (a.smooth != 0 && s.class_ >= 0)) v *= weight_of(a, c);
			store<double>(a.x, s.x + c * a.x_by[1], v);
		}
	}
}
