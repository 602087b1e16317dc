package apex

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"halfnote/amp"
	"halfnote/tensor"
)

// Config describes how [Initialize] sets a program up. Fields that are set override what the level
// says.
type Config struct {
	OptLevel Level // O1 where unset

	CastModelType     tensor.DType
	PatchFunctions    *bool
	KeepBatchNormFP32 *bool
	MasterWeights     *bool
	LossScale         float64 // fixed, or Dynamic; 0 means the level's

	NumLosses    int     // how many losses have a scale of their own; 1 where unset
	MinLossScale float64 // a dynamic scale does not fall below it; 0 means no bound, as in apex
	MaxLossScale float64 // a dynamic scale does not grow beyond it; 2^24 where unset

	Output   io.Writer // where messages on skipped steps go; nil means os.Stdout
	Quiet    bool      // no messages (apex: verbosity=0)
	Disabled bool      // models, optimizers and losses pass as they are
}

func (c Config) level() Level { return cmp.Or(c.OptLevel, O1) }

// properties returns the level's properties with the config's over them.
func (c Config) properties() Properties {
	level := c.level()
	p := level.Properties()
	const op = "initialize"
	if level == O1 && (c.KeepBatchNormFP32 != nil || c.MasterWeights != nil) {
		panic(mistake(op, "KeepBatchNormFP32 and MasterWeights have no meaning at O1, which leaves "+
			"the model in float32: leave them nil, or choose O2"))
	}
	if level == O1 && c.CastModelType != 0 && c.CastModelType != tensor.Float32 {
		panic(mistake(op, "CastModelType %v at O1, where functions are cast and not the model: "+
			"choose O2 or O3", c.CastModelType))
	}
	if level != O1 && c.PatchFunctions != nil && *c.PatchFunctions {
		panic(mistake(op, "PatchFunctions at %s: only O1 patches functions", level))
	}
	switch c.CastModelType {
	case 0:
	case tensor.Float32, tensor.Float16, tensor.BFloat16:
		p.CastModelType = c.CastModelType
	default:
		panic(mistake(op, "CastModelType %v: use float32, float16 or bfloat16", c.CastModelType))
	}
	override(&p.PatchFunctions, c.PatchFunctions)
	override(&p.KeepBatchNormFP32, c.KeepBatchNormFP32)
	override(&p.MasterWeights, c.MasterWeights)
	if p.MasterWeights && p.CastModelType.Size() != 2 {
		panic(mistake(op, "MasterWeights with a model in %v: only 16-bit parameters have masters",
			p.CastModelType))
	}
	if c.LossScale != 0 {
		p.LossScale = c.LossScale
	}
	if s := p.LossScale; s != Dynamic && !(s > 0 && s <= math.MaxFloat32) {
		panic(mistake(op, "loss scale %g is neither Dynamic nor a finite number above 0", s))
	}
	return p
}

func override(v *bool, with *bool) {
	if with != nil {
		*v = *with
	}
}

// mistake returns an error of kind amp.BadConfig.
func mistake(op, format string, args ...any) *amp.Error {
	return &amp.Error{Op: "apex: " + op, Kind: amp.BadConfig, Msg: fmt.Sprintf(format, args...)}
}
