package tensor

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

// A ProfileTable says what a stretch of a program spent on each op of tensors. It shows itself as a
// table, the dearest op first.
type ProfileTable struct {
	Elapsed time.Duration
	Ops     []ProfileOp // by Total, the largest first
}

// A ProfileOp is a line of a ProfileTable: an op going forward, or its gradients.
type ProfileOp struct {
	Op       string // as messages name it
	Backward bool
	Calls    int           // computations, zeroing of memory among them, or gradients
	Self     time.Duration // in the computations of the device
	Total    time.Duration // with getting memory; for gradients, with all that the rule does

	Written   int64 // bytes of elements that were computed
	Allocated int64 // bytes of the tensors that were made
}

// Profile calls f and returns what ops of tensors took meanwhile, on all goroutines: times, and
// bytes. An op that is made of others appears as those. Some time is spent on measuring, half a
// microsecond for each op, which makes small ones look dear. There is one Profile at a time.
func Profile(f func()) *ProfileTable {
	checkFunction("profile", f != nil)
	p := &profile{ops: map[profileKey]*ProfileOp{}}
	if !profiling.CompareAndSwap(nil, p) {
		fail("profile", "another Profile is going on")
	}
	defer profiling.Store(nil)
	began := time.Now()
	f()
	return p.table(time.Since(began))
}

// profiling is the profile that is being made, or nil.
var profiling atomic.Pointer[profile]

type profile struct {
	mu  sync.Mutex
	ops map[profileKey]*ProfileOp
}

type profileKey struct {
	op       string
	backward bool
}

// note changes the line of op, or of the op whose gradient the goroutine computes.
func (p *profile) note(op string, change func(o *ProfileOp)) {
	k := profileKey{op: op}
	if l := current(); l != nil && l.rule != "" {
		k = profileKey{l.rule, true}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.ops[k]
	if o == nil {
		o = &ProfileOp{Op: k.op, Backward: k.backward}
		p.ops[k] = o
	}
	change(o)
}

// computed notes that the device has computed for op.
func (p *profile) computed(op string, took time.Duration, written int) {
	p.note(op, func(o *ProfileOp) {
		o.Self += took
		o.Written += int64(written)
		if !o.Backward {
			o.Calls++
			o.Total += took
		}
	})
}

// allocated notes that a tensor was made for op.
func (p *profile) allocated(op string, took time.Duration, bytes int) {
	p.note(op, func(o *ProfileOp) {
		o.Allocated += int64(bytes)
		if !o.Backward {
			o.Total += took
		}
	})
}

// during notes that what follows on this goroutine computes the gradients of op, until the function
// that it returns is called.
func (p *profile) during(l *local, op string) (end func()) {
	before, began := l.rule, time.Now()
	l.rule = op
	return func() {
		took := time.Since(began)
		p.note(op, func(o *ProfileOp) {
			o.Calls++
			o.Total += took
		})
		l.rule = before
	}
}

func (p *profile) table(elapsed time.Duration) *ProfileTable {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &ProfileTable{Elapsed: elapsed}
	for _, o := range p.ops {
		t.Ops = append(t.Ops, *o)
	}
	slices.SortFunc(t.Ops, func(a, b ProfileOp) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), strings.Compare(a.Op, b.Op))
	})
	return t
}

// Total returns the sum of the ops' times. On several goroutines it may be more than Elapsed.
func (t *ProfileTable) Total() (sum time.Duration) {
	for _, o := range t.Ops {
		sum += o.Total
	}
	return sum
}

var profileHead = []string{"op", "calls", "total", "share", "self", "written", "allocated"}

// cells returns the table's lines under its head.
func (t *ProfileTable) cells() (lines [][]string) {
	share := func(d time.Duration) string {
		return fmt.Sprintf("%.1f%%", 100*float64(d)/float64(max(1, t.Elapsed)))
	}
	for _, o := range t.Ops {
		name := o.Op
		if o.Backward {
			name += " backward"
		}
		lines = append(lines, []string{name, fmt.Sprint(o.Calls), timeText(o.Total),
			share(o.Total), timeText(o.Self), byteText(o.Written), byteText(o.Allocated)})
	}
	if rest := t.Elapsed - t.Total(); rest > 0 {
		lines = append(lines, []string{"(outside of ops)", "", timeText(rest), share(rest), "", "", ""})
	}
	return append(lines, []string{"all", "", timeText(t.Elapsed), "100.0%", "", "", ""})
}

// timeText returns a time with three digits.
func timeText(d time.Duration) string {
	v, units := float64(d), []string{"ns", "µs", "ms", "s"}
	for v >= 999.5 && len(units) > 1 {
		v, units = v/1000, units[1:]
	}
	return fmt.Sprintf("%.3g %s", v, units[0])
}

// String returns the table as text.
func (t *ProfileTable) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	lines := append([][]string{profileHead}, t.cells()...)
	names := 0
	for _, line := range lines {
		names = max(names, len(line[0]))
	}
	for _, line := range lines { // the names begin at the left
		fmt.Fprintf(w, "%-*s\t%s\t\n", names, line[0], strings.Join(line[1:], "\t"))
	}
	w.Flush()
	return strings.ReplaceAll(strings.TrimPrefix(b.String(), "  "), "\n  ", "\n")
}

// HTML returns the table for notebooks.
func (t *ProfileTable) HTML() string {
	var b strings.Builder
	b.WriteString("<table>\n<thead><tr>")
	for _, h := range profileHead {
		fmt.Fprintf(&b, "<th>%s</th>", h)
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, line := range t.cells() {
		b.WriteString("<tr>")
		for _, c := range line {
			fmt.Fprintf(&b, "<td>%s</td>", html.EscapeString(c))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>")
	return b.String()
}
