//go:build cuda

package cuda

// #include <stdlib.h>
// #include "cublas.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"unsafe"

	"halfnote/tensor/internal/device"
)

// This file implements products by cuBLAS, NVIDIA's library, where it is found and the product large.
// HALFNOTE_CUBLAS=0 turns it off, and a path there names the library.

// cublasFrom is how many multiplications a product has for which cuBLAS is asked.
var cublasFrom = int64(512 * 512 * 512)

// The bytes that cuBLAS may work with on a stream: what NVIDIA recommends for Hopper.
const cublasRoom = 32 << 20

const cublasUnsupported = 15 // CUBLAS_STATUS_NOT_SUPPORTED

// loadCublas loads the library once. It returns its name, which is empty where there is none or it is
// turned off.
var loadCublas = sync.OnceValues(func() (string, error) {
	names := []string{"libcublas.so.13", "libcublas.so.12"}
	named := os.Getenv("HALFNOTE_CUBLAS")
	switch named {
	case "0":
		return "", nil
	case "", "1":
	default:
		names = []string{named}
	}
	var why string
	for _, name := range names {
		c := C.CString(name)
		text := C.hn_cublas_load(c)
		C.free(unsafe.Pointer(c))
		if text == nil {
			return name, nil
		}
		why = C.GoString(text)
	}
	if named != "" {
		return "", errors.New("HALFNOTE_CUBLAS=" + named + ": " + why)
	}
	return "", nil
})

// blasName says which library multiplies large matrices, or why the one that was named does not.
func blasName() string {
	name, err := loadCublas()
	if err != nil {
		return err.Error()
	}
	if v := int(C.hn_cublas_version()); name != "" && v > 0 {
		return fmt.Sprintf("cuBLAS %d.%d", v/100, v%100)
	}
	return name
}

// A blas is cuBLAS on one GPU. Its handle is used by one goroutine at a time.
type blas struct {
	mu     sync.Mutex
	handle unsafe.Pointer
	stream *stream                   // whose the handle is now
	rooms  map[*stream]*device.Array // which each stream has of its own, as streams run at one time
}

var blases [maxGPUs]blas

// Of cudaDataType and cublasComputeType_t.
var cublasTypes = map[device.DType]C.int32_t{
	device.Float32: 0, device.Float64: 1, device.Float16: 2, device.BFloat16: 14,
}

const (
	compute32F = 68
	compute64F = 70
)

// byCublas has cuBLAS compute p, or reports that it does not.
func (b *Backend) byCublas(p *product) bool {
	if p.K == 0 || float64(p.M)*float64(p.N)*float64(p.K)*float64(p.Batch.Total) < float64(cublasFrom) {
		return false
	}
	q, ok := p.inColumns()
	if !ok {
		return false
	}
	found, err := loadCublas()
	if err != nil {
		b.fail("%v", err)
	}
	if found == "" {
		return false
	}
	if p.cublasOut() && p.prefilled() {
		if p.bias != nil {
			b.Copy(p.out, p.bias)
			q.beta = 1
		}
		return b.callCublas(&q, p.out, p.a, p.b)
	}
	// All else is done to the sums.
	sums := p.in.ComputeIn()
	parts := b.dense(sums, int(p.Batch.Total), int(p.M), int(p.N))
	defer b.release(parts)
	q.c, q.ldc, q.stride_c = C.uint64_t(address(parts)), C.int32_t(p.N), C.int64_t(p.M*p.N)
	q.type_out = cublasTypes[sums]
	if !b.callCublas(&q, parts, p.a, p.b) {
		return false
	}
	p.Parts, p.Splits = address(parts), 1
	folds[sums].launch(b, b.linear(p.out.Numel(), 1), p.productArgs, p.out, parts, p.bias)
	return true
}

// inColumns returns p for cuBLAS, whose matrices lie in columns: outᵀ = bᵀ·aᵀ, where a matrix in rows
// is its transpose in columns.
func (p *product) inColumns() (q C.hn_product, ok bool) {
	in, known := cublasTypes[p.in]
	ta, lda, okA := leadingSize(p.RowA, p.ColA, p.M, p.K)
	tb, ldb, okB := leadingSize(p.RowB, p.ColB, p.K, p.N)
	to, ldc, okOut := leadingSize(p.RowOut, p.ColOut, p.M, p.N)
	if !known || !okA || !okB || !okOut || to || p.Batch.Dims > 1 || max(p.M, p.N, p.K, p.Batch.Total) > math.MaxInt32 {
		return q, false
	}
	q = C.hn_product{
		a: C.uint64_t(p.B.Data), b: C.uint64_t(p.A.Data), c: C.uint64_t(p.Out.Data),
		m: C.int32_t(p.N), n: C.int32_t(p.M), k: C.int32_t(p.K),
		transpose_a: C.int32_t(flag(tb)), transpose_b: C.int32_t(flag(ta)),
		lda: C.int32_t(ldb), ldb: C.int32_t(lda), ldc: C.int32_t(ldc),
		type_in: in, type_out: cublasTypes[p.out.DType], compute: compute32F,
	}
	if p.in == device.Float64 {
		q.compute = compute64F
	}
	if w := &p.Batch; w.Dims == 1 {
		q.batch = C.int32_t(w.Total)
		q.stride_c, q.stride_b, q.stride_a = C.int64_t(w.Stride[0][0]), C.int64_t(w.Stride[1][0]), C.int64_t(w.Stride[2][0])
	}
	return q, true
}

// leadingSize returns the distance of a matrix's rows, or of its columns if these are dense: it is then
// the transpose of one in rows.
func leadingSize(row, col, rows, cols int64) (transposed bool, ld int64, ok bool) {
	switch {
	case col == 1 && (row >= cols || rows == 1):
		ld = max(row, cols)
	case row == 1 && (col >= rows || cols == 1):
		transposed, ld = true, max(col, rows)
	default:
		return false, 0, false
	}
	return transposed, max(ld, 1), ld <= math.MaxInt32
}

// cublasOut reports whether cuBLAS writes out's type from sums of p's factors.
func (p *product) cublasOut() bool {
	return p.out.DType == p.in || p.onTensorCores() && p.out.DType == device.Float32
}

// prefilled reports whether the bias may be what the sums are added to: it has the same value in out's
// type, and nothing else is done to them.
func (p *product) prefilled() bool {
	return p.Via == 0 && (p.bias == nil || p.RowBias == 0 && (p.bias.DType == p.out.DType ||
		p.out.DType == device.Float32 && (p.bias.DType == device.Float16 || p.bias.DType == device.BFloat16)))
}

// callCublas reports false where cuBLAS has no kernel for q.
func (b *Backend) callCublas(q *C.hn_product, arrays ...*device.Array) bool {
	for _, a := range arrays {
		b.use(a)
	}
	l := &blases[b.gpu.number]
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.handle == nil {
		b.checkCublas(C.hn_cublas_create(b.gpu.ctx(), &l.handle))
	}
	if l.stream != b.stream {
		room := l.rooms[b.stream]
		if room == nil {
			if l.rooms == nil {
				l.rooms = map[*stream]*device.Array{}
			}
			room = b.dense(device.Bool, cublasRoom)
			l.rooms[b.stream] = room
		}
		b.checkCublas(C.hn_cublas_stream(b.gpu.ctx(), l.handle, b.stream.c(), C.uint64_t(address(room)), cublasRoom))
		l.stream = b.stream
	}
	r := C.hn_cublas_multiply(b.gpu.ctx(), l.handle, q)
	if r == cublasUnsupported {
		return false
	}
	b.checkCublas(r)
	if Synchronous {
		b.check(b.stream.wait(), "fails in cuBLAS")
	}
	return true
}

// leaveCublas forgets a stream that is no more.
func (g *GPU) leaveCublas(s *stream) {
	l := &blases[g.number]
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.rooms, s)
	if l.stream == s {
		l.stream = nil
	}
}

func (b *Backend) checkCublas(status C.int) {
	if status != 0 {
		b.fail("cuBLAS on %s: %s", b.gpu, C.GoString(C.hn_cublas_text(status)))
	}
}
