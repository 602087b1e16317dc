package display

import (
	"fmt"
	"html"
	"iter"
	"strings"
	"sync/atomic"
	"time"
)

// A Bar is a line under the cell that says how far a loop has come, how fast it is and how long it
// will still take. It is redrawn in place at most five times a second, and one line stays at the
// end, which an interrupt or an error leaves at the last state. A bar ends with the cell that made
// it. Its methods may be called by several goroutines.
type Bar struct {
	label string
	total int64
	done  atomic.Int64
	start time.Time
	ended atomic.Int64 // how long it took, in nanoseconds, once it has ended
	live  *live        // nil outside of a cell
}

// NewBar shows a bar of total steps, of an unknown number if total is 0, with a label before it.
//
//	bar := display.NewBar(len(files), "reading")
//	defer bar.Done()
//	for _, file := range files {
//		read(file)
//		bar.Add(1)
//	}
func NewBar(total int, label ...string) *Bar {
	b := &Bar{label: strings.Join(label, " "), total: int64(max(0, total)), start: time.Now()}
	if binding := currentBinding(); binding != nil {
		b.live = startLive(b, binding)
	}
	return b
}

// Progress returns the numbers 0 to n-1 for a range loop and shows a [Bar] of it, which ends with
// the loop.
//
//	for i := range display.Progress(len(items), "epoch 1") {
//		train(items[i])
//	}
func Progress(n int, label ...string) iter.Seq[int] {
	return func(yield func(int) bool) {
		bar := NewBar(n, label...)
		defer bar.Done()
		for i := range n {
			if !yield(i) {
				return
			}
			bar.Add(1)
		}
	}
}

// Add notes n more steps.
func (b *Bar) Add(n int) { b.done.Add(int64(n)) }

// Set notes that n steps are done.
func (b *Bar) Set(n int) { b.done.Store(int64(n)) }

// Done ends the bar: the line that it leaves is shown.
func (b *Bar) Done() {
	if b.live == nil {
		if b.ended.Load() == 0 {
			b.end()
			Show(b)
		}
		return
	}
	endLives(func(l *live) bool { return l == b.live })
}

// end stops the clock.
func (b *Bar) end() { b.ended.CompareAndSwap(0, max(1, int64(time.Since(b.start)))) }

// Version changes with every step and every second.
func (b *Bar) Version() uint64 {
	return uint64(b.done.Load())<<20 + uint64(b.elapsed()/time.Second)
}

func (b *Bar) elapsed() time.Duration {
	if d := b.ended.Load(); d != 0 {
		return time.Duration(d)
	}
	return time.Since(b.start)
}

// barState is a bar at one moment.
type barState struct {
	share float64 // of the total, 0 to 1; negative if that is not known
	text  string  // the numbers
	ended bool
}

func (b *Bar) state() barState {
	done, elapsed := b.done.Load(), b.elapsed()
	s := barState{share: -1, ended: b.ended.Load() != 0}
	count := fmt.Sprint(done)
	if b.total > 0 {
		s.share = min(1, max(0, float64(done)/float64(b.total)))
		count = fmt.Sprintf("%*d/%d", len(fmt.Sprint(b.total)), done, b.total)
	}
	parts := []string{count + " in " + durationText(elapsed)}
	if seconds := elapsed.Seconds(); done > 0 && seconds > 0 {
		parts = append(parts, rateText(float64(done)/seconds))
	}
	if left := b.total - done; !s.ended && done > 0 && left > 0 {
		rest := time.Duration(float64(elapsed) / float64(done) * float64(left))
		parts = append(parts, durationText(rest)+" left")
	}
	s.text = strings.Join(parts, ", ")
	return s
}

const (
	barWidth = 20 // characters, or em in HTML
	barLabel = 30 // characters
)

// String returns the bar as one line of text.
func (b *Bar) String() string {
	s := b.state()
	label := ""
	if b.label != "" {
		label = shortened(b.label, barLabel) + ": "
	}
	switch {
	case s.share < 0:
		return label + strings.TrimSpace(s.text)
	case s.ended:
		return label + percent(s.share) + " " + strings.TrimSpace(s.text)
	}
	return label + fmt.Sprintf("%4s %s %s", percent(s.share), blocks(s.share), s.text)
}

// HTML returns the bar as a line that has the same height until and after the end.
func (b *Bar) HTML() string {
	s := b.state()
	var line strings.Builder
	line.WriteString(`<div style="white-space: pre; height: 1.7em; line-height: 1.7em; ` +
		`font-size: 90%; font-variant-numeric: tabular-nums; overflow: hidden">`)
	if b.label != "" {
		line.WriteString(html.EscapeString(shortened(b.label, barLabel)) + "  ")
	}
	if s.share >= 0 && !s.ended {
		fmt.Fprintf(&line, `<span style="display: inline-block; width: %dem; height: 0.6em; `+
			`border-radius: 0.3em; background: %s; vertical-align: middle">`+
			`<span style="display: block; width: %.1f%%; height: 100%%; border-radius: 0.3em; `+
			`background: %s"></span></span>  `, barWidth, trackColor, 100*s.share, barColor)
	}
	switch {
	case s.share >= 0 && s.ended:
		line.WriteString(percent(s.share) + "  ")
	case s.share >= 0:
		fmt.Fprintf(&line, "%4s  ", percent(s.share))
	}
	line.WriteString(s.text + "</div>")
	return line.String()
}

func percent(share float64) string { return fmt.Sprintf("%d%%", int(100*share)) }

// blocks draws a share in eighths of a character.
func blocks(share float64) string {
	eighths := int(share * barWidth * 8)
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return "▕" + bar + strings.Repeat(" ", barWidth-(eighths+7)/8) + "▏"
}

func rateText(perSecond float64) string {
	switch {
	case perSecond >= 100:
		return fmt.Sprintf("%.0f/s", perSecond)
	case perSecond >= 1:
		return fmt.Sprintf("%.1f/s", perSecond)
	}
	return durationText(time.Duration(float64(time.Second)/perSecond)) + " each"
}

func durationText(d time.Duration) string {
	switch s := int(d.Seconds() + 0.5); {
	case s >= 3600:
		return fmt.Sprintf("%d h %02d min", s/3600, s%3600/60)
	case s >= 60:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func shortened(text string, width int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return text
}
