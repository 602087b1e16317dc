package monitor

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// history returns that of a made-up training of n steps.
func history(n int) []Step {
	r := rand.New(rand.NewPCG(1, 2))
	steps := make([]Step, n)
	scale := 0x1p19
	for i := range steps {
		at := float64(i) / float64(n)
		steps[i] = Step{Loss: 0.1 + 2.2*math.Exp(-4*at) + 0.1*r.Float64(), Scale: scale,
			Zero: 0.02, Subnormal: 0.05}
		if scale > 0x1p17 && (i < 5 || r.Float64() < 20/float64(n)) {
			steps[i].FoundInf, steps[i].Skipped = true, true
			scale /= 2
		} else if r.Float64() < 20/float64(n) {
			scale *= 2
		}
	}
	return steps
}

func TestPicture(t *testing.T) {
	nan := math.NaN()
	histories := map[string][]Step{
		"empty":     nil,
		"one":       history(1),
		"two":       history(2),
		"many":      history(100_000),
		"no_loss":   {{Loss: nan, Scale: 1}, {Loss: nan, Scale: 1}},
		"bad_loss":  {{Loss: 1, Scale: 8}, {Loss: math.Inf(1), Scale: 4}, {Loss: 2, Scale: 3}},
		"negative":  {{Loss: -1, Scale: 8}, {Loss: -2, Scale: 4}},
		"all_skips": slices.Repeat([]Step{{Loss: 1, Scale: 0x1p-126, Skipped: true}}, 2000),
	}
	for name, steps := range histories {
		t.Run(name, func(t *testing.T) {
			m := &Monitor{steps: steps}
			svg := m.SVG()
			if len(svg) > 150_000 {
				t.Errorf("the SVG has %d bytes", len(svg))
			}
			if err := wellFormed(svg); err != nil {
				t.Error(err)
			}
			if strings.Contains(svg, "NaN,") || strings.Contains(svg, "Inf,") {
				t.Error("the SVG has coordinates that are no numbers")
			}
			cfg, err := png.DecodeConfig(bytes.NewReader(m.PNG()))
			if err != nil || cfg.Width != 640 || cfg.Height != 384 {
				t.Errorf("PNG %d × %d, error %v: want 640 × 384", cfg.Width, cfg.Height, err)
			}
		})
	}
}

func wellFormed(svg string) error {
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// The text says the same as the numbers, and the skipped steps are crosses: one more than there are
// skips, for the key.
func TestPictureSays(t *testing.T) {
	steps := history(200)
	skips := 0
	for _, s := range steps {
		if s.Skipped {
			skips++
		}
	}
	svg := (&Monitor{steps: steps}).SVG()
	for _, text := range []string{"step 200", "loss scale", "skipped step",
		fmt.Sprintf("%.1f%% of steps skipped", float64(skips)/2)} {
		if !strings.Contains(svg, text) {
			t.Errorf("the SVG does not say %q", text)
		}
	}
	crosses := 0
	for line := range strings.Lines(svg) {
		if strings.Contains(line, "stroke:#D95F02") {
			crosses++
		}
	}
	if want := skips + 1; crosses != want {
		t.Errorf("%d crosses for %d skips, want %d", crosses, skips, want)
	}
}

func TestEnvelope(t *testing.T) {
	values := make([]float64, 10*columns)
	for i := range values {
		values[i] = float64(i % 7)
	}
	values[1234], values[2345] = 100, -100
	got := envelope(values)
	if len(got) != 1 || len(got[0]) > 4*columns {
		t.Fatalf("%d lines, the first of %d points", len(got), len(got[0]))
	}
	for _, want := range []plotter.XY{{X: 0, Y: 0}, {X: 1234, Y: 100}, {X: 2345, Y: -100}} {
		if !slices.Contains(got[0], want) {
			t.Errorf("the point %v is lost", want)
		}
	}
	if last := got[0][len(got[0])-1].X; last != float64(len(values)-1) {
		t.Errorf("the line ends at %g, want %d", last, len(values)-1)
	}
	cut := envelope([]float64{1, math.NaN(), 2, 3, math.Inf(1)})
	if len(cut) != 2 || len(cut[0]) != 1 || len(cut[1]) != 2 {
		t.Errorf("cut at NaN and inf: %v, want lines of 1 and 2 points", cut)
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      []float64
	}{
		{16, 16, []float64{15, 16, 17}},
		{16, 17, []float64{15, 16, 17}},
		{15.5, 17, []float64{15, 16, 17}},
		{1, 9, []float64{0, 2, 4, 6, 8, 10}},
		{-126, 127, []float64{-128, -64, 0, 64, 128}},
	} {
		if got := log2Ticks(test.low, test.high); !slices.Equal(got, test.want) {
			t.Errorf("log2 ticks of %g to %g: %g, want %g", test.low, test.high, got, test.want)
		}
	}
	for _, test := range []struct {
		low, high float64
		want      []float64
	}{
		{0, 1.9, []float64{0, 0.5, 1, 1.5, 2}},
		{0, 2.6, []float64{0, 1, 2, 3}},
		{0, 0, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{-2, 0, []float64{-2, -1, 0}},
	} {
		if got := lossTicks(test.low, test.high); !nearly(got, test.want) {
			t.Errorf("loss ticks of %g to %g: %g, want %g", test.low, test.high, got, test.want)
		}
	}
	for steps, want := range map[int][]int{
		0: {0, 1}, 1: {0, 1}, 12: {0, 2, 4, 6, 8, 10, 12},
		1440: {0, 200, 400, 600, 800, 1000, 1200, 1400},
	} {
		if got := stepTicks(steps); !slices.Equal(got, want) {
			t.Errorf("step ticks of %d: %d, want %d", steps, got, want)
		}
	}
}

func nearly(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })
}

func BenchmarkSVG(b *testing.B) {
	m := &Monitor{steps: history(100_000)}
	for b.Loop() {
		m.SVG()
	}
}

func BenchmarkPNG(b *testing.B) {
	m := &Monitor{steps: history(100_000)}
	for b.Loop() {
		m.PNG()
	}
}
