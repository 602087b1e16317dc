package amp

import "fmt"

// Kind names the rule that an [Error] is about. The kinds of GradScaler's call order are those
// that PyTorch's own checks distinguish.
type Kind string

// The kinds of errors of this package.
const (
	AlreadyUnscaled      Kind = "already_unscaled"        // Unscale twice since the last Update
	UnscaleAfterStep     Kind = "unscale_after_step"      // Unscale behind Step
	AlreadyStepped       Kind = "already_stepped"         // Step twice since the last Update
	NotInitialized       Kind = "not_initialized"         // Unscale, Step or Update before any Scale
	NoInfChecksOptimizer Kind = "no_inf_checks_optimizer" // gradients came after their Unscale
	NoInfChecksUpdate    Kind = "no_inf_checks_update"    // Update, and no gradient was checked
	EmptyStateDict       Kind = "empty_state_dict"        // state dict of a disabled scaler

	BadConfig       Kind = "bad_config"       // a setting outside its range, or a nil function
	BadState        Kind = "bad_state"        // a state dict with a key missing or out of range
	BadLoss         Kind = "bad_loss"         // Scale of something that is not a floating tensor
	Float16Gradient Kind = "float16_gradient" // the parameters themselves are float16
	SharedParameter Kind = "shared_parameter" // one parameter, two optimizers
	BadOptimizer    Kind = "bad_optimizer"    // nil, or a value that is no pointer
	Collapsed       Kind = "collapsed"        // overflow at the smallest scale
	MidIteration    Kind = "mid_iteration"    // a scaler is written between Unscale and Update

	MixedFloat64 Kind = "mixed_float64" // float64 beside a type that autocast lowers
	MixedHalf    Kind = "mixed_half"    // the other 16-bit format in a promoting op
	RefusedOp    Kind = "refused_op"    // an op that is unsafe in the region
)

// Error is a mistake in the use of autocast or of a [GradScaler]. It arrives as a panic where the
// program is wrong, and is returned where data that was read is ([GradScaler.LoadStateDict]).
type Error struct {
	Op   string // the call that found it, as in "unscale" or "matmul"
	Kind Kind
	Msg  string // what is wrong and, where one is known, the way out
}

// Error returns "op: message".
func (e *Error) Error() string { return e.Op + ": " + e.Msg }

// checkFunction panics unless the function that op is to call is there.
func checkFunction(op string, there bool) {
	if !there {
		panic(errorf(op, BadConfig, "the function is nil"))
	}
}

func errorf(op string, kind Kind, format string, args ...any) *Error {
	return &Error{Op: op, Kind: kind, Msg: fmt.Sprintf(format, args...)}
}
