// Package gemm multiplies matrices: c = a·b, with what is added to it and rounded on the way out.
//
//	gemm.Multiply(&gemm.Product{M: m, N: n, K: k, A: a, B: b, C: c})
//
// [Multiply] cuts c into tiles, packs b into panels of [Panel] columns where it does not lie well,
// and gives panels to the micro-kernels of package simd. 16-bit matrices are widened to float32
// while they are packed; sums are kept in float32 and rounded once. Where the processor multiplies
// pairs of bfloat16, products of two such matrices go there, and subnormal products count as zero.
//
// Who makes the panels himself, as a convolution does, calls [Block] with pieces of up to
// [BlockK] steps of the sum and [BlockM] rows.
//
// The order in which an element's products are summed follows from the shapes and strides alone, so
// results do not depend on how the tiles were shared out.
package gemm
