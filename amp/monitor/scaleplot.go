package monitor

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// This file implements the picture of a run: the loss above, the loss scale below in steps on a
// log₂ axis, the skipped steps marked. It has one size from the first step on.

// SVG returns the picture as a document of text and lines, below 150 kB for any history.
func (m *Monitor) SVG() string {
	c := vgsvg.New(pictureWidth, pictureHeight)
	drawPicture(draw.New(c), m.snapshot())
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		panic(err) // a bytes.Buffer does not fail
	}
	// Pages without the Liberation fonts have one of the same widths.
	return strings.ReplaceAll(b.String(), "font-family:Liberation Sans;",
		"font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
}

// PNG returns the picture as pixels, 640 × 384.
func (m *Monitor) PNG() []byte {
	c := vgimg.NewWith(vgimg.UseWH(pictureWidth, pictureHeight), vgimg.UseDPI(pngDPI),
		vgimg.UseBackgroundColor(color.Transparent))
	drawPicture(draw.New(c), m.snapshot())
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed} // a live view draws it five times a second
	if err := enc.Encode(&b, c.Image()); err != nil {
		panic(err) // a bytes.Buffer does not fail
	}
	return b.Bytes()
}

// gap parts two words. Spaces would not do: SVG drops them at an end and runs them into one.
const gap = "\u00a0\u00a0"

// The picture's inner layout, in points from its edges. It is fixed, so that a live view moves no
// axis when a label gets longer.
const (
	leftMargin   = 46
	headHeight   = 24
	titleHeight  = 17
	bottomMargin = 27
	lossShare    = 0.56 // of the height that the two panels share
)

func drawPicture(c draw.Canvas, steps []Step) {
	c = draw.Crop(c, sidePadding, -sidePadding, 0, 0)
	drawHead(c, steps)

	height := c.Max.Y - c.Min.Y - headHeight - bottomMargin - 2*titleHeight
	top := c.Max.Y - headHeight - titleHeight
	middle := top - height*lossShare
	panel := func(top, bottom vg.Length) draw.Canvas {
		box := vg.Rectangle{
			Min: vg.Point{X: c.Min.X + leftMargin - sidePadding, Y: bottom},
			Max: vg.Point{X: c.Max.X, Y: top},
		}
		return draw.Canvas{Canvas: c.Canvas, Rectangle: box}
	}
	lossPlot(steps).Draw(panel(top, middle))
	scalePlot(steps).Draw(panel(middle-titleHeight, c.Min.Y+bottomMargin))
}

// drawHead writes the newest numbers over the panels.
func drawHead(c draw.Canvas, steps []Step) {
	sty := textStyle(headSize, textColor)
	at := vg.Point{X: c.Min.X, Y: c.Max.Y - headHeight + 4}
	if len(steps) == 0 {
		c.FillText(sty, at, "no step yet")
		return
	}
	s := summarize(steps)
	c.FillText(sty, at, "step "+thousands(len(steps)))
	skipped := percent(float64(s.skipped)/float64(len(steps))) + " of steps skipped"
	right := fmt.Sprintf("%s%s·%sgradients %s zero, %s subnormal in float16",
		skipped, gap, gap, percent(s.zero), percent(s.subnormal))
	quiet := textStyle(labelSize, quietColor)
	const wider = 1.2 // than measured may be the font that a browser takes in the place of ours
	c.FillText(quiet, vg.Point{X: c.Max.X - wider*quiet.Width(right), Y: at.Y}, right)
}

func newPanel(steps int, low, high float64) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.HideAxes()
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
	p.X.Min, p.X.Max = 0, float64(max(1, steps))
	p.Y.Min, p.Y.Max = low, high
	return p
}

func lossPlot(steps []Step) *plot.Plot {
	values := make([]float64, len(steps))
	low, high := math.Inf(1), math.Inf(-1)
	for i, s := range steps {
		values[i] = s.Loss
		if !math.IsNaN(s.Loss) && !math.IsInf(s.Loss, 0) {
			low, high = min(low, s.Loss), max(high, s.Loss)
		}
	}
	if low > high {
		low, high = 0, 1
	}
	ticks := lossTicks(min(low, 0), max(high, 0))
	p := newPanel(len(steps), ticks[0], ticks[len(ticks)-1])
	title := []run{{text: "loss", color: lossColor}}
	if n := len(steps); n > 0 {
		title = append(title, run{text: gap + number(values[n-1]), color: lossColor})
	}
	p.Add(axes{title: title, ticks: ticks, label: func(y float64) []run {
		return []run{{text: number(y), color: quietColor}}
	}})
	for _, xy := range envelope(values) {
		addLine(p, xy, draw.LineStyle{Color: paleColor, Width: paleWidth}, plotter.NoStep)
	}
	for _, xy := range envelope(smooth(values)) {
		addLine(p, xy, draw.LineStyle{Color: lossColor, Width: lineWidth}, plotter.NoStep)
	}
	return p
}

func scalePlot(steps []Step) *plot.Plot {
	values, skips := make([]float64, len(steps)), make([]bool, len(steps))
	low, high := math.Inf(1), math.Inf(-1)
	for i, s := range steps {
		values[i], skips[i] = math.Log2(s.Scale), s.Skipped
		low, high = min(low, values[i]), max(high, values[i])
	}
	if low > high {
		low, high = 16, 16 // around the default InitScale, 2^16
	}
	ticks := log2Ticks(low, high)
	p := newPanel(len(steps), ticks[0], ticks[len(ticks)-1])
	title := []run{{text: "loss scale", color: scaleColor}}
	if n := len(steps); n > 0 {
		title = append(title, run{text: gap, color: scaleColor})
		title = append(title, power(steps[n-1].Scale, scaleColor)...)
	}
	p.Add(axes{title: title, ticks: ticks, skipKey: true, steps: len(steps),
		label: func(y float64) []run { return power(math.Exp2(y), quietColor) }})
	if n := len(steps); n > 0 {
		values = append(values, values[n-1]) // the last step is as long as the others
	}
	for _, xy := range envelope(values) {
		addLine(p, xy, draw.LineStyle{Color: scaleColor, Width: lineWidth}, plotter.PostStep)
	}
	var crossed skipMarks
	for _, i := range marks(skips) {
		crossed = append(crossed, plotter.XY{X: float64(i), Y: values[i]})
	}
	p.Add(crossed)
	return p
}

// addLine adds a line, and half a step of it where a point stands alone.
func addLine(p *plot.Plot, xy plotter.XYs, sty draw.LineStyle, step plotter.StepKind) {
	if len(xy) == 1 {
		xy = append(xy, plotter.XY{X: xy[0].X + 0.5, Y: xy[0].Y})
	}
	p.Add(&plotter.Line{XYs: xy, LineStyle: sty, StepStyle: step})
}

// axes draws what surrounds a panel: its title, the grid with its labels, and in the lower panel
// the step numbers and the key of the skip marks.
type axes struct {
	title   []run
	ticks   []float64
	label   func(y float64) []run
	skipKey bool
	steps   int
}

// Plot implements plot.Plotter.
func (a axes) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	line := draw.LineStyle{Color: gridColor, Width: gridWidth}
	for _, y := range a.ticks {
		at := toY(y)
		c.StrokeLine2(line, c.Min.X, at, c.Max.X, at)
		label := a.label(y)
		drawRuns(c, vg.Point{X: c.Min.X - 6 - width(label), Y: at - labelSize*0.34}, label)
	}
	drawRuns(c, vg.Point{X: c.Min.X, Y: c.Max.Y + 5}, a.title)
	if !a.skipKey {
		return
	}
	key := []run{{text: "skipped step", color: skipColor}}
	at := vg.Point{X: c.Max.X - width(key), Y: c.Max.Y + 5}
	drawRuns(c, at, key)
	drawCross(c, vg.Point{X: at.X - 7, Y: at.Y + labelSize*0.34})
	stepName := []run{{text: "step", color: quietColor}}
	below := c.Min.Y - 15
	drawRuns(c, vg.Point{X: c.Min.X - 6 - width(stepName), Y: below}, stepName)
	for _, x := range stepTicks(a.steps) {
		n := []run{{text: thousands(x), color: quietColor}}
		w := width(n)
		left := max(c.Min.X, min(toX(float64(x))-w/2, c.Max.X-w))
		drawRuns(c, vg.Point{X: left, Y: below}, n)
	}
}

// skipMarks draws a cross at each point. A plotter.Scatter would draw its own thinner crosses, and
// shrink the panel to make room for them.
type skipMarks plotter.XYs

// Plot implements plot.Plotter.
func (m skipMarks) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, xy := range m {
		drawCross(c, vg.Point{X: toX(xy.X), Y: toY(xy.Y)})
	}
}

func drawCross(c draw.Canvas, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: skipColor, Width: crossWidth})
	var path vg.Path
	path.Move(vg.Point{X: at.X - crossRadius, Y: at.Y - crossRadius})
	path.Line(vg.Point{X: at.X + crossRadius, Y: at.Y + crossRadius})
	path.Move(vg.Point{X: at.X - crossRadius, Y: at.Y + crossRadius})
	path.Line(vg.Point{X: at.X + crossRadius, Y: at.Y - crossRadius})
	c.Stroke(path)
}

// lossTicks returns 3 to 6 round numbers that enclose low and high.
func lossTicks(low, high float64) []float64 {
	if high <= low {
		high = low + 1
	}
	unit := math.Pow(10, math.Floor(math.Log10((high-low)/2)))
	for _, m := range []float64{1, 2, 5, 10} {
		d := unit * m
		first, end := math.Floor(low/d), math.Ceil(high/d)
		if n := int(end - first); n <= 5 {
			ticks := make([]float64, n+1)
			for i := range ticks {
				ticks[i] = (first + float64(i)) * d
			}
			return ticks
		}
	}
	return []float64{low, high}
}

// log2Ticks returns 3 to 5 whole exponents, evenly apart, that enclose low and high.
func log2Ticks(low, high float64) []float64 {
	first, end := math.Floor(low), math.Ceil(high)
	if end-first < 2 {
		first, end = first-1, first+1
	}
	step := math.Ceil((end - first) / 4)
	first = math.Floor(first/step) * step
	var ticks []float64
	for y := first; ; y += step {
		ticks = append(ticks, y)
		if y >= end {
			return ticks
		}
	}
}

// stepTicks returns 0 and round step numbers up to the last step.
func stepTicks(steps int) []int {
	last := max(1, steps)
	for d := 1; ; d *= 10 {
		for _, m := range []int{1, 2, 5} {
			if last/(d*m) <= 7 {
				var ticks []int
				for x := 0; x <= last; x += d * m {
					ticks = append(ticks, x)
				}
				return ticks
			}
		}
	}
}

// power writes scale as a power of two where it is one.
func power(scale float64, c color.Color) []run {
	if e, ok := exponent(scale); ok {
		return []run{{text: "2", color: c}, {text: strconv.Itoa(e), color: c, raised: true}}
	}
	return []run{{text: number(scale), color: c}}
}

// exponent returns e where scale is 2^e.
func exponent(scale float64) (e int, ok bool) {
	fraction, e := math.Frexp(scale)
	return e - 1, fraction == 0.5
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
