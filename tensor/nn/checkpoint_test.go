package nn

import (
	"errors"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// counter has a state of numbers, as amp.GradScaler has.
type counter struct{ n float64 }

func (c *counter) StateDict() map[string]float64 { return map[string]float64{"n": c.n} }

func (c *counter) LoadStateDict(state map[string]float64) error {
	if state["n"] < 0 {
		return errors.New("n is negative")
	}
	c.n = state["n"]
	return nil
}

// run is something to save.
type run struct {
	model     *Sequential
	mean      *tensor.Tensor
	generator *tensor.Generator
	counter   counter
	epoch     int
	best      float64
}

func newRun(seed uint64) *run {
	r := &run{generator: tensor.NewGenerator(seed), counter: counter{float64(seed)},
		epoch: int(seed) << 60, best: math.Pi * float64(seed)}
	r.model = NewSequential(NewLinear(2, 3), NewReLU())
	r.mean = tensor.New([]float64{float64(seed), math.NaN()})
	return r
}

func (r *run) parts() Checkpoint {
	return Checkpoint{"model": r.model, "mean": r.mean, "generator": r.generator,
		"counter": &r.counter, "epoch": &r.epoch, "best": &r.best, "relu": NewReLU(),
		"inner": Checkpoint{"epoch": &r.epoch}}
}

// values returns everything as numbers and texts.
func (r *run) values() map[string]any {
	out := map[string]any{}
	for name, t := range r.parts().StateDict() {
		out[name] = t.String()
	}
	return out
}

func TestCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.safetensors")
	from, to := newRun(3), newRun(5)
	if err := from.parts().Save(path); err != nil {
		t.Fatal(err)
	}
	want := []string{"best", "counter.n", "epoch", "generator.offset", "generator.seed",
		"inner.epoch", "mean", "model.0.bias", "model.0.weight"}
	file, err := tensor.LoadSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(file))); diff != "" {
		t.Errorf("names in the file:\n%s", diff)
	}
	if err := to.parts().Load(path); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(from.values(), to.values()); diff != "" {
		t.Errorf("loaded:\n%s", diff)
	}
	if to.epoch != from.epoch || to.best != from.best {
		t.Errorf("epoch %d and best %v, want %d and %v", to.epoch, to.best, from.epoch, from.best)
	}

	// The model alone, of a file with more.
	alone := newRun(7)
	if err := (Checkpoint{"model": alone.model}).Load(path); err != nil {
		t.Fatal(err)
	}
	if alone.epoch != newRun(7).epoch {
		t.Error("a part that was not named was loaded")
	}
}

// TestCheckpointErrors: an error names the part, and nothing has changed, in no part.
func TestCheckpointErrors(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(state map[string]*tensor.Tensor)
	}{
		{`checkpoint: part "model": load state dict: 0.bias is missing`,
			func(s map[string]*tensor.Tensor) { delete(s, "model.0.bias") }},
		{`checkpoint: part "model": load state dict: 1.bias is not in the module`,
			func(s map[string]*tensor.Tensor) { s["model.1.bias"] = tensor.Ones(1) }},
		{`checkpoint: part "generator": there is none: the parts are best, counter, epoch, ` +
			"inner, mean, model", func(s map[string]*tensor.Tensor) {
			delete(s, "generator.seed")
			delete(s, "generator.offset")
		}},
		{`checkpoint: part "counter": n is negative`,
			func(s map[string]*tensor.Tensor) { s["counter.n"] = tensor.New(-1.0) }},
		{`checkpoint: part "counter": n has shape [2]: must be one number`,
			func(s map[string]*tensor.Tensor) { s["counter.n"] = tensor.Ones(2) }},
		{`checkpoint: part "epoch": is float32: cannot become int`,
			func(s map[string]*tensor.Tensor) { s["epoch"] = tensor.Ones() }},
		{`checkpoint: part "epoch": is not one number`,
			func(s map[string]*tensor.Tensor) { s["epoch.x"] = tensor.New(1) }},
		{`checkpoint: part "relu": load state dict: x is not in the module`,
			func(s map[string]*tensor.Tensor) { s["relu.x"] = tensor.New(1) }},
	} {
		state := newRun(3).parts().StateDict()
		c.change(state)
		to := newRun(5)
		before := to.values()
		if err := to.parts().LoadStateDict(state); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
		if diff := cmp.Diff(before, to.values()); diff != "" {
			t.Errorf("%s: changed\n%s", c.want, diff)
		}
	}
	for want, parts := range map[string]Checkpoint{
		`checkpoint: part "x" is nil`:   {"x": nil},
		`checkpoint: part "y" is nil`:   {"y": (*int)(nil)},
		`checkpoint: part "gen" is nil`: {"gen": (*tensor.Generator)(nil)},
		`checkpoint: part "epoch" is a int, which holds no tensor; give numbers as *int or *float64`: {
			"epoch": 3},
		`checkpoint: part "n" is a *int64, which holds no tensor; give numbers as *int or *float64`: {
			"n": new(int64)},
		`checkpoint: the name "a.b" of a part: it has to be without dots, and not empty`: {
			"a.b": NewReLU()},
	} {
		if got := reference.Mistake(func() { parts.StateDict() }); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	missing := filepath.Join(t.TempDir(), "missing")
	if err := (Checkpoint{}).Load(missing); err == nil {
		t.Error("a missing file was loaded")
	}
}
