//go:build cuda

package cuda

// #include "driver.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"reflect"

	"halfnote/tensor/internal/device"
)

// Synchronous makes every launch wait for its kernel, so that errors are told where they belong.
var Synchronous = os.Getenv("HALFNOTE_CUDA_SYNC") == "1"

// A driverError is what a function of the driver returned.
type driverError C.CUresult

func (e driverError) Error() string {
	name, text := C.hn_error_name(C.CUresult(e)), C.hn_error_text(C.CUresult(e))
	if name == nil || text == nil {
		return fmt.Sprintf("error %d of the driver", int(e))
	}
	return fmt.Sprintf("%s (%s)", C.GoString(text), C.GoString(name))
}

// ownError returns an error of gorgonia.org/cu as one of ours: those it wraps print stacks, and none has
// the driver's text.
func ownError(err error) error {
	for e := err; e != nil; {
		if v := reflect.ValueOf(e); v.Kind() == reflect.Int { // its cuResult
			return driverError(v.Int())
		}
		cause, ok := e.(interface{ Cause() error }) // of github.com/pkg/errors
		if !ok {
			return errors.New(err.Error())
		}
		e = cause.Cause()
	}
	return nil
}

func failed(r C.CUresult) error {
	if r == C.CUDA_SUCCESS {
		return nil
	}
	return driverError(r)
}

// check ends the op with the driver's error, unless that is nil.
func (b *Backend) check(err error, doing string) {
	if err != nil {
		b.fail("%s %s: %v", b.gpu, doing, explain(err))
	}
}

// explain says what may be done about errors that kernels leave behind.
func explain(err error) error {
	var e driverError
	if !errors.As(err, &e) {
		return err
	}
	switch C.CUresult(e) {
	case C.CUDA_ERROR_ILLEGAL_ADDRESS, C.CUDA_ERROR_LAUNCH_FAILED, C.CUDA_ERROR_LAUNCH_TIMEOUT,
		C.CUDA_ERROR_MISALIGNED_ADDRESS, C.CUDA_ERROR_ASSERT, C.CUDA_ERROR_ILLEGAL_INSTRUCTION,
		C.CUDA_ERROR_INVALID_ADDRESS_SPACE, C.CUDA_ERROR_INVALID_PC, C.CUDA_ERROR_HARDWARE_STACK_ERROR,
		C.CUDA_ERROR_ECC_UNCORRECTABLE:
		if !Synchronous {
			return fmt.Errorf("%w; it may come from an op before this one, which HALFNOTE_CUDA_SYNC=1 finds. "+
				"The GPU's memory is lost to this process: restart it", err)
		}
		return fmt.Errorf("%w; the GPU's memory is lost to this process: restart it", err)
	}
	return err
}

// fail ends the op with an error.
func (b *Backend) fail(format string, args ...any) {
	device.Fail(b.op, fmt.Sprintf(format, args...))
	panic("unreachable")
}

// String returns for instance cuda:0.
func (g *GPU) String() string { return fmt.Sprintf("cuda:%d", g.number) }
