package data

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgressLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		show := ProgressLine(&out, "epoch")
		show(0, 4)
		show(1, 4) // too soon to be drawn
		time.Sleep(linePause)
		show(2, 4)
		show(4, 4)
		show(0, 0) // nothing to do is done
		want := "\repoch " + strings.Repeat("░", 24) + " 0 of 4" +
			"\repoch " + strings.Repeat("█", 12) + strings.Repeat("░", 12) + " 2 of 4" +
			"\repoch " + strings.Repeat("█", 24) + " 4 of 4\n" +
			"\repoch " + strings.Repeat("█", 24) + " 0 of 0\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// onTerminal is a meter as a person at a terminal has it.
func onTerminal(out *strings.Builder) *meter {
	return &meter{line: &line{w: out, label: "mnist", now: time.Now}, start: time.Now()}
}

// TestMeter: the line is there for what takes longer than a second, and gone at the end.
func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		m := onTerminal(&out)
		m.at(1, 4)
		m.end()
		if out.Len() > 0 {
			t.Errorf("what is quick shows %q", out.String())
		}
		time.Sleep(lineDelay)
		m.at(2, 4)
		m.end()
		line := "mnist " + strings.Repeat("█", 12) + strings.Repeat("░", 12) + " 2 of 4"
		want := "\r" + line + "\r" + strings.Repeat(" ", len([]rune(line))) + "\r"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestMeterNarrow: a line that would break could not be drawn over.
func TestMeterNarrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		m := onTerminal(&out)
		m.line.limit = 20
		time.Sleep(lineDelay)
		m.at(2, 4)
		m.end()
		want := "\rmnist " + strings.Repeat("█", 12) + "…\r" + strings.Repeat(" ", 19) + "\r"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// bar notes what it is told.
type bar []int

func (b *bar) Set(done int) { *b = append(*b, done) }

func (b *bar) Done() { *b = append(*b, -1) }

// TestMeterBar: where there is no terminal, the session's bar comes after a second.
func TestMeterBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bar
		m := &meter{label: "mnist", start: time.Now(), newBar: func(total int, label string) Bar {
			if total != 4 || label != "mnist" {
				t.Errorf("a bar %q of %d", label, total)
			}
			return &b
		}}
		m.at(1, 4)
		time.Sleep(lineDelay)
		m.at(2, 4)
		m.at(3, 4)
		m.end()
		if diff := cmp.Diff(bar{2, 3, -1}, b); diff != "" {
			t.Error(diff)
		}
	})
}

func TestMeterDuring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		m := onTerminal(&out)
		wanted := errors.New("no network")
		err := m.during("fetching", func() error {
			time.Sleep(2*time.Second + linePause/2)
			return wanted
		})
		if err != wanted {
			t.Errorf("got %v", err)
		}
		want := strings.Repeat("\rmnist: fetching (1 s)", 5) + "\rmnist: fetching (2 s)"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestMeterHook: a function that is told of the progress takes the place of the line.
func TestMeterHook(t *testing.T) {
	var steps [][2]int
	m := newMeter("mnist", func(done, total int) { steps = append(steps, [2]int{done, total}) })
	m.at(1, 2)
	if err := m.during("fetching", func() error { return nil }); err != nil {
		t.Error(err)
	}
	m.end()
	if diff := cmp.Diff([][2]int{{1, 2}}, steps); diff != "" || m.line != nil {
		t.Error(diff)
	}
}
