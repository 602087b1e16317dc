package device

// Elementwise are the ops that compute each element of the output from those at its place.
type Elementwise interface {
	// Unary computes out = op(x); p is the parameter of the ops that have one.
	Unary(op UnaryOp, out, x *Array, p float64)
	// Binary computes out = op(a, b). A comparison writes bools.
	Binary(op BinaryOp, out, a, b *Array)
	// Ternary computes out = op(a, b, c); p is the parameter of the ops that have one.
	Ternary(op TernaryOp, out, a, b, c *Array, p float64)
}

// UnaryOp names an op on one array.
type UnaryOp uint8

// The ops on one array; those after AddP take the parameter p.
const (
	Neg UnaryOp = iota
	Abs
	Sign
	Exp
	Log
	Sqrt
	Rsqrt
	Reciprocal
	Tanh
	Sigmoid
	ReLU
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Sinh
	Cosh
	Erf
	Erfinv
	Expm1
	Log1p
	Log2
	Log10
	Floor
	Ceil
	Round // half to even
	Trunc
	IsFinite
	IsInf
	IsNaN
	Not
	AddP // x + p
	MulP // x · p
	DivP // x ÷ p
	PowP // xᵖ
	MaxP // max(x, p)
	MinP // min(x, p)
	EqP  // x == p
	NeP  // x != p
	LtP  // x < p
	LeP  // x <= p
	GtP  // x > p
	GeP  // x >= p
)

// BinaryOp names an op on two arrays.
type BinaryOp uint8

// The ops on two arrays. Those from Eq on write bools.
const (
	Add BinaryOp = iota
	Sub
	Mul
	Div
	Pow
	Maximum
	Minimum
	ReLUGrad    // b where a > 0, else 0; a NaN in a lets b through
	TanhGrad    // b·(1 − a²)
	SigmoidGrad // b·a·(1 − a)
	Atan2       // the angle of the point (b, a)
	Fmod        // what is left of a by b, with the sign of a; integers b are not 0
	Remainder   // likewise, with the sign of b
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	And
	Or
	Xor
)

// TernaryOp names an op on three arrays.
type TernaryOp uint8

// The ops on three arrays.
const (
	Where   TernaryOp = iota // b where a, else c
	Addcmul                  // a + p·b·c
	Addcdiv                  // a + p·b ÷ c
)
