package amp

import (
	"slices"
	"strings"
)

// Rule says what autocast does with the floating arguments of an op. float64, integer and bool
// arguments are never cast under any rule.
type Rule uint8

// The rules, in the order of autocast's own lists.
const (
	Untouched    Rule = iota // the op runs in its arguments' dtypes
	Low                      // all go to the region's dtype: float16 or bfloat16
	Float32                  // all go to float32
	Float32DType             // the op is told to produce float32, unless the caller names a dtype
	Promote                  // all go to the widest of them
	Refused                  // the op panics
)

var ruleNames = [...]string{
	"untouched", "low", "float32", "float32 by dtype", "promote", "refused",
}

// String returns the rule in words.
func (r Rule) String() string { return ruleNames[r] }

// Policy maps ops, by PyTorch's names, to rules. Ops that it does not name are [Untouched].
type Policy struct {
	name  string
	rules map[string]Rule
}

// Rule returns the rule for an op: CUDAPolicy().Rule("linear") is [Low].
func (p *Policy) Rule(op string) Rule { return p.rules[op] }

// Ops returns the names of the ops under a rule, sorted. It returns none for [Untouched].
func (p *Policy) Ops(rule Rule) []string {
	var ops []string
	for op, r := range p.rules {
		if r == rule {
			ops = append(ops, op)
		}
	}
	slices.Sort(ops)
	return ops
}

// String returns the policy's name.
func (p *Policy) String() string { return p.name }

// CUDAPolicy returns PyTorch's policy for CUDA devices (as of 2.15), which is the default here on
// every device, so that a program has the same dtypes with and without a GPU.
//
// Since PyTorch 1.6 these lists changed: gelu left the float32 list and cat, stack and equal left
// the promote list (they promote by themselves); scaled_dot_product_attention, rms_norm, logsumexp
// and the interpolations came in.
func CUDAPolicy() *Policy { return cudaPolicy }

// CPUPolicy returns PyTorch's policy for its CPU device, for programs that are compared with one on
// a CPU there. It lowers fewer ops, leaves exp, log, pow, sum, norm, cumsum, softmax, log_softmax
// and layer_norm in 16 bits, and refuses none. The low dtype stays float16 where PyTorch's default
// on the CPU is bfloat16: set it in [Config].
func CPUPolicy() *Policy { return cpuPolicy }

var cudaPolicy = newPolicy("cuda", map[Rule]string{
	Low: `
		linear matmul mm bmm addmm baddbmm mv addmv addr addbmm einsum
		conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc
		scaled_dot_product_attention prelu
		chain_matmul linalg_multi_dot linalg_vecdot
		lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell`,
	Float32: `
		exp expm1 log log2 log10 log1p pow reciprocal rsqrt
		tan sinh cosh asin acos erfinv softplus logsumexp
		layer_norm group_norm rms_norm
		nll_loss nll_loss2d mse_loss l1_loss smooth_l1_loss huber_loss
		binary_cross_entropy_with_logits kl_div cosine_similarity cosine_embedding_loss
		poisson_nll_loss hinge_embedding_loss margin_ranking_loss soft_margin_loss
		multi_margin_loss multilabel_margin_loss triplet_margin_loss
		frobenius_norm nuclear_norm dist cdist pdist renorm
		upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_linear1d
		_upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d
		upsample_bilinear2d upsample_bicubic2d upsample_trilinear3d`,
	Float32DType: `
		sum softmax log_softmax prod cumsum cumprod norm
		linalg_vector_norm linalg_matrix_norm`,
	Promote: `
		addcmul addcdiv dot vdot index_put scatter_add tensordot bilinear cross atan2
		grid_sampler`,
	Refused: `binary_cross_entropy`,
})

var cpuPolicy = newPolicy("cpu", map[Rule]string{
	Low: `
		linear matmul mm bmm addmm addbmm baddbmm linalg_vecdot
		conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc
		scaled_dot_product_attention native_multi_head_attention mkldnn_rnn_layer prelu`,
	Float32: `
		cross_entropy_loss nll_loss nll_loss2d mse_loss l1_loss smooth_l1_loss huber_loss
		binary_cross_entropy binary_cross_entropy_with_logits kl_div ctc_loss
		cosine_embedding_loss
		poisson_nll_loss hinge_embedding_loss margin_ranking_loss soft_margin_loss
		multi_margin_loss multilabel_margin_loss triplet_margin_loss
		prod quantile nanquantile trace cdist stft grid_sampler polar view_as_complex
		fft_fft fft_ifft fft_fft2 fft_ifft2 fft_fftn fft_ifftn fft_rfft fft_irfft
		fft_rfft2 fft_irfft2 fft_rfftn fft_irfftn fft_hfft fft_ihfft
		avg_pool3d max_pool3d adaptive_avg_pool3d adaptive_max_pool3d
		fractional_max_pool2d fractional_max_pool3d
		max_unpool2d max_unpool3d
		reflection_pad1d reflection_pad2d
		replication_pad1d replication_pad2d replication_pad3d
		cholesky_inverse cholesky_solve inverse pinverse lu_solve svd geqrf orgqr ormqr
		triangular_solve linalg_cholesky linalg_cholesky_ex linalg_cond linalg_eig
		linalg_eigh linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv
		linalg_inv_ex linalg_lstsq linalg_matrix_rank linalg_qr linalg_solve linalg_svd
		linalg_svdvals linalg_tensorinv linalg_tensorsolve`,
	Promote: `cat stack index_copy`,
})

func newPolicy(name string, lists map[Rule]string) *Policy {
	p := &Policy{name: name, rules: map[string]Rule{}}
	for rule, ops := range lists {
		for _, op := range strings.Fields(ops) {
			p.rules[op] = rule
		}
	}
	return p
}
