package std_test

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/maphash"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	oursql "halfnote/repl/std/database/sql"
	ourmaphash "halfnote/repl/std/hash/maphash"
	ourreflect "halfnote/repl/std/reflect"
	ourruntime "halfnote/repl/std/runtime"
	"halfnote/repl/std/sync/atomic"
	"halfnote/repl/std/unique"
	"halfnote/repl/std/weak"
)

type level int8

// upper is a Scanner and, as a value, a Valuer.
type upper string

func (u *upper) Scan(v any) error {
	if v == 0.5 {
		return errors.New("not a half")
	}
	*u = upper(strings.ToUpper(fmt.Sprint(v)))
	return nil
}

func (u upper) Value() (driver.Value, error) {
	if u == "" {
		return nil, errors.New("empty")
	}
	return []byte(u), nil
}

// TestNull scans values of each type of a driver into several types, and takes them out again.
func TestNull(t *testing.T) {
	values := []any{nil, int64(7), int64(300), -1.5, 0.5, true, "12", "x", "", []byte("34"),
		time.Unix(9, 0).UTC(), struct{}{}}
	for _, v := range values {
		null(t, v, &oursql.Null[string]{}, &sql.Null[string]{})
		null(t, v, &oursql.Null[int]{}, &sql.Null[int]{})
		null(t, v, &oursql.Null[level]{}, &sql.Null[level]{})
		null(t, v, &oursql.Null[uint8]{}, &sql.Null[uint8]{})
		null(t, v, &oursql.Null[float32]{}, &sql.Null[float32]{})
		null(t, v, &oursql.Null[bool]{}, &sql.Null[bool]{})
		null(t, v, &oursql.Null[[]byte]{}, &sql.Null[[]byte]{})
		null(t, v, &oursql.Null[any]{}, &sql.Null[any]{})
		null(t, v, &oursql.Null[time.Time]{}, &sql.Null[time.Time]{})
		null(t, v, &oursql.Null[time.Duration]{}, &sql.Null[time.Duration]{})
		null(t, v, &oursql.Null[upper]{}, &sql.Null[upper]{})
		null(t, v, &oursql.Null[*level]{}, &sql.Null[*level]{})
		null(t, v, &oursql.Null[chan int]{}, &sql.Null[chan int]{})
	}
	null(t, nil, &oursql.Null[*upper]{Valid: true}, &sql.Null[*upper]{Valid: true})
}

func null(t *testing.T, v any, ours, gos interface {
	sql.Scanner
	driver.Valuer
}) {
	t.Helper()
	do := func(n interface {
		sql.Scanner
		driver.Valuer
	}) func() any {
		return func() any {
			before, err := n.Value()
			what := fmt.Sprintf("%v %v;", before, err)
			err = n.Scan(v)
			elem := reflect.ValueOf(n).Elem()
			field := elem.Field(0)
			if field.Kind() == reflect.Pointer && !field.IsNil() {
				field = field.Elem()
			}
			value, bad := n.Value()
			return fmt.Sprintf("%s %v; %#v %v; %#v %v", what, err, field, elem.Field(1), value, bad)
		}
	}
	equal(t, fmt.Sprintf("%T of %v", ours, v), do(ours), do(gos))
}

func TestTypeAssert(t *testing.T) {
	var e error = level(3)
	list := []reflect.Value{{}, reflect.ValueOf(3), reflect.ValueOf(level(3)),
		reflect.ValueOf(&e).Elem(), reflect.ValueOf(new(error)).Elem(),
		reflect.ValueOf(struct{ n int }{3}).Field(0)}
	for i, v := range list {
		typeAssert(t, i, v, ourreflect.TypeAssert[int], reflect.TypeAssert[int])
		typeAssert(t, i, v, ourreflect.TypeAssert[level], reflect.TypeAssert[level])
		typeAssert(t, i, v, ourreflect.TypeAssert[error], reflect.TypeAssert[error])
		typeAssert(t, i, v, ourreflect.TypeAssert[any], reflect.TypeAssert[any])
	}
	for got, want := range map[reflect.Type]reflect.Type{
		ourreflect.TypeFor[level](): reflect.TypeFor[level](),
		ourreflect.TypeFor[error](): reflect.TypeFor[error](),
	} {
		if got != want {
			t.Errorf("TypeFor gives %v, want %v", got, want)
		}
	}
}

func (l level) Error() string { return fmt.Sprint("level ", int(l)) }

func typeAssert[T any](t *testing.T, i int, v reflect.Value,
	ours, gos func(reflect.Value) (T, bool)) {
	t.Helper()
	text := func(f func(reflect.Value) (T, bool)) func() any {
		return func() any { x, ok := f(v); return fmt.Sprintf("%T %v %t", x, x, ok) }
	}
	equal(t, fmt.Sprint("TypeAssert ", i), text(ours), text(gos))
}

func TestAddCleanup(t *testing.T) {
	p := new([4]int)
	equal(t, "AddCleanup of nil",
		func() any { return ourruntime.AddCleanup[int](nil, func(int) {}, 1) },
		func() any { return runtime.AddCleanup[int](nil, func(int) {}, 1) })
	equal(t, "AddCleanup with ptr as arg",
		func() any { return ourruntime.AddCleanup(p, func(*[4]int) {}, p) },
		func() any { return runtime.AddCleanup(p, func(*[4]int) {}, p) })
	ended := make(chan string, 1)
	ourruntime.AddCleanup(p, func(s string) { ended <- s }, "done")
	w := weak.Make(p)
	if w.Value() != p || w != weak.Make(p) || w == (weak.Pointer[[4]int]{}) {
		t.Error("a weak pointer is not that to its object")
	}
	runtime.KeepAlive(p)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		runtime.GC()
		select {
		case s := <-ended:
			if s != "done" || w.Value() != nil {
				t.Errorf("cleaned %s, but the weak pointer is %v", s, w.Value())
			}
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("the cleanup has not run")
}

func TestPointer(t *testing.T) {
	var p atomic.Pointer[level]
	a, b := new(level), new(level)
	if p.Load() != nil || p.Swap(a) != nil || p.Load() != a {
		t.Error("Swap")
	}
	if p.CompareAndSwap(b, b) || !p.CompareAndSwap(a, b) || p.Load() != b {
		t.Error("CompareAndSwap")
	}
	if p.Store(nil); p.Load() != nil || unsafe.Sizeof(p) != unsafe.Sizeof(a) {
		t.Error("Store")
	}
}

func TestHandle(t *testing.T) {
	if a, b := unique.Make(level(3)), unique.Make(level(3)); a != b || a.Value() != 3 {
		t.Errorf("%v, %v", a, b)
	}
	if unique.Make("a") == unique.Make("b") {
		t.Error("handles of different values are equal")
	}
	if unique.Make[error](nil).Value() != nil || unique.Make[error](level(1)).Value() != level(1) {
		t.Error("handles of interfaces")
	}
}

func TestComparable(t *testing.T) {
	seed := maphash.MakeSeed()
	type key struct {
		a string
		b float64
	}
	sum := func(k key) uint64 {
		var h maphash.Hash
		h.SetSeed(seed)
		ourmaphash.WriteComparable(&h, k)
		return h.Sum64()
	}
	k, same, other := key{"a", 1}, key{"a", 1}, key{"a", 2}
	if ourmaphash.Comparable(seed, k) != ourmaphash.Comparable(seed, same) || sum(k) != sum(same) {
		t.Error("equal values have different hashes")
	}
	if ourmaphash.Comparable(seed, k) == ourmaphash.Comparable(seed, other) || sum(k) == sum(other) {
		t.Error("different values have the same hash")
	}
	equal(t, "Comparable of a slice",
		func() any { return ourmaphash.Comparable[any](seed, []int{}) },
		func() any { return maphash.Comparable[any](seed, []int{}) })
}
