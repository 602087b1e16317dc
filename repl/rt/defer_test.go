package rt_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"halfnote/repl/display"
	"halfnote/repl/rt"
)

// outcome runs f, which notes what happens, and adds the panic that leaves it.
func outcome(f func(note func(args ...any))) string {
	var notes []string
	note := func(args ...any) { notes = append(notes, fmt.Sprint(args...)) }
	func() {
		defer func() {
			if r := recover(); r != nil {
				note("panic ", r)
			}
		}()
		f(note)
	}()
	return strings.Join(notes, ", ")
}

// TestDefers compares functions that defer with what compiled functions of the same form do.
func TestDefers(t *testing.T) {
	ts := rt.NewTypes(compiledType)
	// recovers is func() { note(recover()) } as it is lowered.
	recovers := func(note func(...any)) func() {
		return func() {
			me := rt.Me()
			note("got ", rt.Recover(me))
		}
	}
	for name, c := range map[string][2]func(note func(...any)){
		"order": {
			func(note func(...any)) {
				ts.Do(func(d *rt.Defers) bool {
					for i := range 3 {
						rt.Push(d, func() { note(i) }, rt.Never)
					}
					note("body")
					return true
				})
			},
			func(note func(...any)) {
				for i := range 3 {
					defer note(i)
				}
				note("body")
			},
		},
		"recover": {
			func(note func(...any)) {
				ts.Do(func(d *rt.Defers) bool {
					rt.Push(d, recovers(note), rt.Perhaps)
					panic("a")
				})
				note("after")
			},
			func(note func(...any)) {
				func() {
					defer func() { note("got ", recover()) }()
					panic("a")
				}()
				note("after")
			},
		},
		"replaced": {
			func(note func(...any)) {
				ts.Do(func(d *rt.Defers) bool {
					rt.Push(d, recovers(note), rt.Perhaps)
					rt.Push(d, func() { panic("b") }, rt.Never)
					rt.Push(d, func() { note("first") }, rt.Never)
					panic("a")
				})
			},
			func(note func(...any)) {
				func() {
					defer func() { note("got ", recover()) }()
					defer func() { panic("b") }()
					defer func() { note("first") }()
					panic("a")
				}()
			},
		},
		"goes on": {
			func(note func(...any)) {
				ts.Do(func(d *rt.Defers) bool {
					rt.Push(d, func() { note("one") }, rt.Never)
					ts.Do(func(e *rt.Defers) bool {
						rt.Push(e, func() { note("two") }, rt.Never)
						panic("a")
					})
					note("not reached")
					return true
				})
			},
			func(note func(...any)) {
				defer func() { note("one") }()
				func() {
					defer func() { note("two") }()
					panic("a")
				}()
				note("not reached")
			},
		},
		"helper does not recover": {
			func(note func(...any)) {
				helper := recovers(note)
				ts.Do(func(d *rt.Defers) bool {
					rt.Push(d, func() { helper() }, rt.Never)
					panic("a")
				})
			},
			func(note func(...any)) {
				helper := func() { note("got ", recover()) }
				defer func() { helper() }()
				panic("a")
			},
		},
		"nothing to recover": {
			func(note func(...any)) {
				ts.Do(func(d *rt.Defers) bool {
					rt.Push(d, recovers(note), rt.Perhaps)
					return true
				})
				recovers(note)()
			},
			func(note func(...any)) {
				func() { defer func() { note("got ", recover()) }() }()
				func() { note("got ", recover()) }()
			},
		},
		"panics again": {
			func(note func(...any)) {
				ts.Do(func(d *rt.Defers) bool {
					rt.Push(d, func() {
						me := rt.Me()
						r := rt.Recover(me)
						panic(fmt.Sprint("again ", r))
					}, rt.Perhaps)
					panic("a")
				})
			},
			func(note func(...any)) {
				defer func() { panic(fmt.Sprint("again ", recover())) }()
				panic("a")
			},
		},
		"recovers within": {
			func(note func(...any)) {
				ts.Do(func(d *rt.Defers) bool {
					rt.Push(d, func() {
						me := rt.Me()
						ts.Do(func(e *rt.Defers) bool {
							rt.Push(e, recovers(note), rt.Perhaps)
							panic("b")
						})
						note("outer ", rt.Recover(me))
					}, rt.Perhaps)
					panic("a")
				})
			},
			func(note func(...any)) {
				defer func() {
					func() {
						defer func() { note("got ", recover()) }()
						panic("b")
					}()
					note("outer ", recover())
				}()
				panic("a")
			},
		},
		"nil function": {
			func(note func(...any)) {
				ts.Do(func(d *rt.Defers) bool {
					rt.Push(d, func() { note("runs") }, rt.Never)
					rt.Push(d, nil, rt.Perhaps)
					return true
				})
			},
			func(note func(...any)) {
				defer func() { note("runs") }()
				var f func()
				defer f()
			},
		},
	} {
		if got, want := outcome(c[0]), outcome(c[1]); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
}

func TestGoexit(t *testing.T) {
	ts := rt.NewTypes(compiledType)
	notes := make(chan string, 10)
	go func() {
		defer close(notes)
		ts.Do(func(d *rt.Defers) bool {
			rt.Push(d, func() { notes <- "last" }, rt.Never)
			rt.Push(d, func() { runtime.Goexit() }, rt.Never)
			rt.Push(d, func() { notes <- "first" }, rt.Never)
			runtime.Goexit()
			notes <- "not reached"
			return true
		})
		notes <- "nor here"
	}()
	var got []string
	for n := range notes {
		got = append(got, n)
	}
	if s := strings.Join(got, " "); s != "first last" {
		t.Errorf("got %s", s)
	}
}

func TestExit(t *testing.T) {
	ts := rt.NewTypes(compiledType)
	exit := ts.Overrides()["os"]["Exit"].Interface().(func(int))
	got := outcome(func(note func(...any)) {
		ts.Do(func(d *rt.Defers) bool {
			rt.Push(d, func() { note("deferred") }, rt.Perhaps)
			exit(3)
			return true
		})
	})
	if got != "panic os.Exit(3)" {
		t.Errorf("got %s", got)
	}
}

// record is an output that keeps what is written to it.
type record struct {
	display.Output
	texts chan string
}

func (r *record) Stream(name, text string) { r.texts <- name + " " + text }

func TestGo(t *testing.T) {
	ts := rt.NewTypes(compiledType)
	out := &record{texts: make(chan string, 10)}
	defer display.Bind(out)()
	ts.Go(func() { rt.Println("hello") })
	if got := <-out.texts; got != "stdout hello\n" {
		t.Errorf("got %q", got)
	}
	ts.Go(func() { panic("boom") })
	if got := <-out.texts; got != "stderr goroutine: panic: boom\n" {
		t.Errorf("got %q", got)
	}
	told := make(chan any, 1)
	ts.OnPanic(func(v any) bool { told <- v; return false })
	ts.Go(func() { panic("again") })
	if got := <-told; got != "again" {
		t.Errorf("got %v", got)
	}
}

func TestSelect(t *testing.T) {
	ts := rt.NewTypes(compiledType)
	c, d := make(chan int, 1), make(chan error, 1)
	if i, v, ok := ts.Select(false, c, false, nil, d, false, nil); i != -1 || v != nil || ok {
		t.Errorf("default: got %d %v %v", i, v, ok)
	}
	if i, _, _ := ts.Select(true, c, true, 5, d, false, nil); i != 0 || <-c != 5 {
		t.Errorf("send: got %d", i)
	}
	d <- nil
	if i, v, ok := ts.Select(true, c, false, nil, d, false, nil); i != 1 || v != nil || !ok {
		t.Errorf("receive: got %d %v %v", i, v, ok)
	}
	close(c)
	if i, v, ok := ts.Select(true, c, false, nil); i != 0 || v != 0 || ok {
		t.Errorf("closed: got %d %v %v", i, v, ok)
	}
	if i, _, _ := ts.Select(true, d, true, nil); i != 0 || <-d != nil {
		t.Error("nil is not sent")
	}
	var none chan int
	if i, _, _ := ts.Select(false, none, false, nil); i != -1 {
		t.Errorf("nil channel: got %d", i)
	}
}

// TestBindStop: waits of a goroutine, and of those it starts, end with it; deferred calls run.
func TestBindStop(t *testing.T) {
	ts := rt.NewTypes(compiledType)
	sleep := ts.Overrides()["time"]["Sleep"].Interface().(func(time.Duration))
	stopped, begun, ended := make(chan struct{}), make(chan bool), make(chan string, 2)
	defer ts.BindStop(stopped)()
	for name, wait := range map[string]func(){
		"select": func() { ts.Select(true, make(chan int), false, nil) },
		"sleep":  func() { sleep(time.Hour) },
	} {
		ts.Go(func() {
			ts.Go(func() {
				ts.Do(func(d *rt.Defers) bool {
					rt.Push(d, func() { ended <- name }, rt.Never)
					begun <- true
					wait()
					ended <- "not " + name
					return true
				})
			})
		})
		<-begun
	}
	close(stopped)
	if a, b := <-ended, <-ended; a+b != "selectsleep" && a+b != "sleepselect" {
		t.Errorf("got %s and %s", a, b)
	}
}
