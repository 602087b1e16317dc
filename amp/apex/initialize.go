package apex

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// Amp is what [Initialize] has set up.
type Amp struct {
	Models     []*Model     // to be called in place of the modules
	Optimizers []*Optimizer // to be used in place of the optimizers

	level      Level
	properties Properties
	scalers    []*scaler
	output     io.Writer
	disabled   bool
}

// Initialize prepares models and optimizers, which must hold the models' parameters, for the level:
// it casts the models where the level says so, in place, and wraps both. Call it once, before any
// wrapper for parallel training.
//
// It panics with an [*amp.Error] of kind [amp.BadConfig] when the settings do not fit together, a
// model was not in float32, a model or optimizer is nil or initialized already, or two optimizers
// have a parameter in common.
func Initialize(models []nn.Module, optimizers []optim.Optimizer, config Config) *Amp {
	a := &Amp{level: config.level(), properties: config.properties(), output: config.Output,
		disabled: config.Disabled}
	if a.output == nil {
		a.output = os.Stdout
	}
	if config.Quiet {
		a.output = io.Discard
	}
	losses := config.NumLosses
	if losses == 0 {
		losses = 1
	}
	if losses < 0 {
		panic(mistake("initialize", "%d losses: there is at least one", losses))
	}
	for range losses {
		s, err := newScaler(a.properties, config)
		if err != nil {
			panic(err)
		}
		a.scalers = append(a.scalers, s)
	}
	for i, m := range models {
		check(i, m)
	}
	checkOptimizers(optimizers)
	for _, m := range models {
		if !a.disabled {
			a.castModel(m)
		}
		a.Models = append(a.Models, &Model{Module: m, amp: a})
	}
	for _, opt := range optimizers {
		a.Optimizers = append(a.Optimizers, newOptimizer(a, opt))
	}
	return a
}

func check(i int, m nn.Module) {
	switch m.(type) {
	case nil:
		panic(mistake("initialize", "model %d is nil", i))
	case *Model:
		panic(mistake("initialize", "model %d is initialized already", i))
	}
	for name, p := range nn.NamedParameters(m) {
		if p.DType() != tensor.Float32 {
			panic(mistake("initialize", "%s of model %d is %v: models are given in float32, and "+
				"cast here", name, i, p.DType()))
		}
	}
}

func checkOptimizers(optimizers []optim.Optimizer) {
	owners := map[*tensor.Tensor]int{}
	for i, opt := range optimizers {
		switch opt.(type) {
		case nil:
			panic(mistake("initialize", "optimizer %d is nil", i))
		case *Optimizer:
			panic(mistake("initialize", "optimizer %d is initialized already", i))
		}
		for k, p := range opt.Params() {
			if owner, ok := owners[p]; ok && owner != i {
				panic(mistake("initialize", "parameter %d of optimizer %d belongs to optimizer %d, "+
					"too, and would be unscaled twice: give it to one of them", k, i, owner))
			}
			owners[p] = i
		}
	}
}

// batchNorm is a layer that keeps float32 under KeepBatchNormFP32, as nn's batch norms do.
type batchNorm interface {
	RunningStats() (mean, variance *tensor.Tensor)
}

// castModel casts the floating parameters and buffers of m, which keep their identity.
func (a *Amp) castModel(m nn.Module) {
	dtype := a.properties.CastModelType
	if dtype == 0 || dtype == tensor.Float32 {
		return
	}
	all := thawed(m)
	keep := map[*tensor.Tensor]bool{}
	if a.properties.KeepBatchNormFP32 {
		for _, layer := range nn.NamedModules(m) {
			if _, ok := layer.(batchNorm); ok {
				for _, t := range thawed(layer) {
					keep[t] = true
				}
			}
		}
	}
	for _, t := range all {
		if !keep[t] && t.DType().IsFloat() {
			t.SetData(t.Detach().To(dtype))
		}
	}
}

// thawed returns all parameters, frozen ones too, and buffers of m.
func thawed(m any) []*tensor.Tensor {
	training := map[*tensor.Tensor]bool{}
	for _, p := range nn.Parameters(m) {
		training[p] = true
	}
	nn.SetRequiresGrad(m, true)
	params := nn.Parameters(m)
	for _, p := range params {
		if !training[p] {
			p.SetRequiresGrad(false)
		}
	}
	return append(params, nn.Buffers(m)...)
}

// String shows the level with its properties, and what was given and is kept:
//
//	apex O2: model float16, batch norm float32, master weights
//	1 model, 1 optimizer, 4 parameters, dynamic loss scale 2^16
func (a *Amp) String() string {
	if a.disabled {
		return "apex disabled\n" + a.contents()
	}
	p := a.properties
	var parts []string
	if p.PatchFunctions {
		parts = append(parts, "functions choose their dtype")
	}
	if p.CastModelType != 0 {
		parts = append(parts, fmt.Sprintf("model %v", p.CastModelType))
	}
	if p.KeepBatchNormFP32 {
		parts = append(parts, "batch norm float32")
	}
	if p.MasterWeights {
		parts = append(parts, "master weights")
	}
	return fmt.Sprintf("apex %s: %s\n%s", a.level, strings.Join(parts, ", "), a.contents())
}

// contents is the second line of String.
func (a *Amp) contents() string {
	params := 0
	for _, m := range a.Models {
		params += len(nn.Parameters(m))
	}
	scales := make([]string, len(a.scalers))
	for i, s := range a.scalers {
		scales[i] = scaleText(s.scale)
	}
	kind := "fixed"
	if a.properties.LossScale == Dynamic {
		kind = "dynamic"
	}
	return fmt.Sprintf("%s, %s, %s, %s loss %s %s", count(len(a.Models), "model"),
		count(len(a.Optimizers), "optimizer"), count(params, "parameter"), kind,
		plural(len(scales), "scale"), strings.Join(scales, ", "))
}

func count(n int, what string) string { return fmt.Sprintf("%d %s", n, plural(n, what)) }

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// scaleText writes a power of two as "2^16", and other scales as numbers.
func scaleText(scale float64) string {
	if fraction, e := math.Frexp(scale); fraction == 0.5 {
		return fmt.Sprintf("2^%d", e-1)
	}
	return fmt.Sprintf("%.6g", scale)
}

// Properties returns the level's properties with the config's over them.
func (a *Amp) Properties() Properties { return a.properties }

// LossScale returns the scale of a loss. It panics with an [*amp.Error] when there is none of that
// number.
func (a *Amp) LossScale(lossID int) float64 { return a.scaler("loss scale", lossID).scale }

func (a *Amp) scaler(op string, lossID int) *scaler {
	if lossID < 0 || lossID >= len(a.scalers) {
		panic(mistake(op, "loss %d of %d: set NumLosses for more, and count from 0", lossID,
			len(a.scalers)))
	}
	return a.scalers[lossID]
}

// StateDict returns the loss scales with the steps since they last moved, under apex's names:
// "loss_scaler0.loss_scale" and "loss_scaler0.unskipped" for each loss.
func (a *Amp) StateDict() map[string]float64 {
	d := map[string]float64{}
	for i, s := range a.scalers {
		d[key(i, "loss_scale")], d[key(i, "unskipped")] = s.scale, float64(s.unskipped)
	}
	return d
}

func key(lossID int, field string) string { return fmt.Sprintf("loss_scaler%d.%s", lossID, field) }

// LoadStateDict takes what StateDict returned. After an error, an [*amp.Error] of kind
// [amp.BadState], nothing has changed.
func (a *Amp) LoadStateDict(state map[string]float64) error {
	bad := func(format string, args ...any) error {
		return &amp.Error{Op: "apex: load state dict", Kind: amp.BadState,
			Msg: fmt.Sprintf(format, args...)}
	}
	if len(state) != 2*len(a.scalers) {
		return bad("%d values for %d losses: need two for each", len(state), len(a.scalers))
	}
	for i := range a.scalers {
		scale, ok1 := state[key(i, "loss_scale")]
		unskipped, ok2 := state[key(i, "unskipped")]
		switch {
		case !ok1 || !ok2:
			return bad("loss_scaler%d is missing or incomplete", i)
		case !(scale > 0 && scale <= math.MaxFloat32):
			return bad("%s %g is not a finite number above 0", key(i, "loss_scale"), scale)
		case !(unskipped >= 0 && unskipped <= math.MaxInt32 && unskipped == math.Trunc(unskipped)):
			return bad("%s %g is not a whole number from 0", key(i, "unskipped"), unskipped)
		}
	}
	for i, s := range a.scalers {
		s.scale, s.unskipped = state[key(i, "loss_scale")], int(state[key(i, "unskipped")])
	}
	return nil
}
