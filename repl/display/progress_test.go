package display

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out recorder
		defer Bind(&out)()
		for range Progress(100, "epoch 1") {
			time.Sleep(9 * time.Millisecond)
		}
		Finish(&out)
		if n := len(out.calls); n != 6 {
			t.Errorf("%d drawings in 0.9 s: %q", n, out.calls)
		}
		for i, want := range map[int]string{
			0: "display 1 epoch 1:   0% ▕                    ▏   0/100 in 0.0 s",
			1: "update 1 epoch 1:  22% ▕████▍               ▏  22/100 in 0.2 s, 110/s, 0.7 s left",
			5: "update 1 epoch 1: 100% 100/100 in 0.9 s, 111/s",
		} {
			if out.calls[i] != want {
				t.Errorf("drawing %d\ngot  %q\nwant %q", i, out.calls[i], want)
			}
		}
	})
}

func TestBarStaysAtItsLastState(t *testing.T) {
	for name, end := range map[string]func(*Bar, *recorder){
		"cell_ended": func(_ *Bar, out *recorder) { Finish(out) },
		"done": func(b *Bar, out *recorder) {
			b.Done()
			b.Add(10)
			b.Done()
			Finish(out)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out recorder
				defer Bind(&out)()
				b := NewBar(8)
				b.Add(2)
				time.Sleep(90 * time.Second)
				end(b, &out)
				want := "update 1 25% 2/8 in 1 min 30 s, 45.0 s each"
				if got := out.calls[len(out.calls)-1]; got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		})
	}
}

func TestProgressThatIsLeft(t *testing.T) {
	var out recorder
	defer Bind(&out)()
	func() {
		defer func() { recover() }()
		for i := range Progress(5) {
			if i == 2 {
				panic("in the body")
			}
		}
	}()
	if got := out.calls[len(out.calls)-1]; !strings.HasPrefix(got, "update 1 40% 2/5 in 0.0 s") {
		t.Errorf("last %q", got)
	}
}

func TestBarForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Bar{label: "<long> " + strings.Repeat("x", 50), total: 4, start: time.Now()}
		b.Set(1)
		time.Sleep(time.Hour)
		html := b.HTML()
		for _, want := range []string{
			"&lt;long&gt; xxx", "x…  ", "width: 25.0%",
			" 25%  1/4 in 1 h 00 min, 1 h 00 min each, 3 h 00 min left",
		} {
			if !strings.Contains(html, want) {
				t.Errorf("no %q in\n%s", want, html)
			}
		}
		height := html[:strings.Index(html, ">")]
		b.end()
		after := b.HTML()
		if !strings.HasPrefix(after, height) || strings.Contains(after, "25.0%") {
			t.Errorf("after the end\n%s", after)
		}
		unknown := &Bar{start: time.Now()}
		unknown.Add(7)
		time.Sleep(time.Second)
		if diff := cmp.Diff("7 in 1.0 s, 7.0/s", unknown.String()); diff != "" {
			t.Errorf("unknown total (-want +got)\n%s", diff)
		}
	})
}
