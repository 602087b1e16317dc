package apex

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"halfnote/tensor"
)

// A Level is an optimization level: a set of [Properties].
type Level string

// The levels.
const (
	O0 Level = "O0" // float32: the baseline for accuracy
	O1 Level = "O1" // functions choose their dtype, the model stays float32: what autocast became
	O2 Level = "O2" // the model in float16 but for batch norm, master weights in float32
	O3 Level = "O3" // everything in float16: the baseline for speed
)

// Dynamic is a loss scale that moves: it begins at 2^16, halves at an overflow and doubles after
// 2000 steps without one.
const Dynamic = -1

// Properties are what a [Level] sets.
type Properties struct {
	CastModelType     tensor.DType // of parameters, buffers and inputs; unset leaves them
	PatchFunctions    bool         // functions choose their dtype
	KeepBatchNormFP32 bool         // batch norm layers are not cast with the model
	MasterWeights     bool         // optimizers update float32 copies of 16-bit parameters
	LossScale         float64      // fixed, or Dynamic
}

// Properties returns what the level sets. It panics with an [*amp.Error] when l is no level.
func (l Level) Properties() Properties {
	switch l {
	case O0:
		return Properties{CastModelType: tensor.Float32, LossScale: 1}
	case O1:
		return Properties{PatchFunctions: true, LossScale: Dynamic}
	case O2:
		return Properties{CastModelType: tensor.Float16, KeepBatchNormFP32: true,
			MasterWeights: true, LossScale: Dynamic}
	case O3:
		return Properties{CastModelType: tensor.Float16, LossScale: 1}
	}
	panic(mistake("initialize", "opt level %q is none of O0, O1, O2, O3 (the letter O, not zero)",
		string(l)))
}

// A LevelCost tells what a level costs: bytes for each weight, and for each value that a layer
// keeps for Backward.
type LevelCost struct {
	Level          Level
	Weight         int // the model's own
	Cast           int // float16 copies during the forward pass
	Gradient       int // in the model's dtype
	Master         int // float32 copy of the weight
	MasterGradient int
	AdamState      int // two moments
	Activation     int // of most layers
	Remark         string
}

// Total returns the bytes for each weight, all together.
func (c LevelCost) Total() int {
	return c.Weight + c.Cast + c.Gradient + c.Master + c.MasterGradient + c.AdamState
}

// A LevelTable lists the costs of levels. It shows itself as a table.
type LevelTable []LevelCost

// Levels returns what each level costs with its own properties and Adam.
func Levels() LevelTable {
	return LevelTable{
		{Level: O0, Weight: 4, Gradient: 4, AdamState: 8, Activation: 4,
			Remark: "float32"},
		{Level: O1, Weight: 4, Cast: 2, Gradient: 4, AdamState: 8, Activation: 2,
			Remark: "float32 where sums are long or ranges wide; safe for most models"},
		{Level: O2, Weight: 2, Gradient: 2, Master: 4, MasterGradient: 4, AdamState: 8,
			Activation: 2, Remark: "small updates are not lost, but layers sum and exponentiate " +
				"in float16"},
		{Level: O3, Weight: 2, Gradient: 2, AdamState: 4, Activation: 2,
			Remark: "updates below 1/2048 of a weight are lost, and Adam's ε of 1e-8 is 0"},
	}
}

var costColumns = []string{"level", "weight", "cast", "gradient", "master", "master gradient",
	"Adam", "bytes per weight", "bytes per activation"}

func (c LevelCost) cells() []string {
	cells := []string{string(c.Level)}
	for _, n := range []int{c.Weight, c.Cast, c.Gradient, c.Master, c.MasterGradient, c.AdamState,
		c.Total(), c.Activation} {
		cells = append(cells, fmt.Sprint(n))
	}
	return cells
}

// String lists the levels in columns.
func (t LevelTable) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(costColumns, "\t")+"\tremark")
	for _, c := range t {
		fmt.Fprintln(w, strings.Join(c.cells(), "\t")+"\t"+c.Remark)
	}
	w.Flush()
	return b.String()
}

// Markdown shows the levels as a table, with the remarks below it.
func (t LevelTable) Markdown() string {
	var b strings.Builder
	row := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	row(costColumns)
	row(strings.Split(strings.Repeat("---,", len(costColumns)-1)+"---", ","))
	for _, c := range t {
		row(c.cells())
	}
	b.WriteString("\n")
	for _, c := range t {
		fmt.Fprintf(&b, "- %s: %s\n", c.Level, c.Remark)
	}
	return b.String()
}
