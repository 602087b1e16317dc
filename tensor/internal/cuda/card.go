package cuda

// A Card is what is known of a GPU, be it of use or not.
type Card struct {
	Name, Capability string
	Memory           int64  // bytes
	Driver           string // the newest CUDA that its driver knows
	BLAS             string // what multiplies large matrices besides our own kernels
	Err              error  // of Open
}
