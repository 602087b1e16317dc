package tensor_test

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestFree: the memory is there for the next tensor at once, and whoever shares the elements and is
// used afterwards is told so.
func TestFree(t *testing.T) {
	x := tensor.Ones(100, 1000).SetName("x")
	view, y := x.T(), tensor.Ones(100, 1000)
	before := tensor.MemoryStats()
	x.Free()
	if got := before.InUse - tensor.MemoryStats().InUse; got != 400_000 {
		t.Errorf("Free gave %d bytes back, want 400000", got)
	}
	x.Free()
	for want, f := range map[string]func(){
		"add: a tensor of shape [1000 100] was freed: its elements are gone": func() { view.Add(1) },
		"mul: x of shape [100 1000] was freed: its elements are gone":        func() { y.Mul(x) },
		"copy: x of shape [100 1000] was freed: its elements are gone":       func() { x.Float32s() },
	} {
		if got := reference.Mistake(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	want := "tensor(freed, shape=[100 1000], dtype=float32)"
	if text, page := fmt.Sprint(x), x.HTML(); withoutDevice(text) != want || page != text {
		t.Errorf("it is shown as %s and %s", text, page)
	}
}

// TestFreeKept: a gradient that needs freed elements is an error, not a wrong number.
func TestFreeKept(t *testing.T) {
	x, w := tensor.Ones(3), tensor.Ones(3).SetRequiresGrad(true)
	y := w.Mul(x).Sum()
	x.Free()
	got := reference.Mistake(func() { y.Backward() })
	want := "backward: mul kept a float32 tensor of shape [3] for its gradient, which was freed afterwards"
	if !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFreedArguments: each op that is given a freed tensor, or a view of one, says so, or does not
// look at it.
func TestFreedArguments(t *testing.T) {
	all := map[string]reflect.Value{}
	for name, f := range takers {
		all[name] = reflect.ValueOf(f)
	}
	one := reflect.TypeFor[*T]()
	for i := range one.NumMethod() {
		m := one.Method(i)
		all["(*Tensor)."+m.Name] = m.Func
	}
	delete(all, "Checkpoint")       // looks at no elements itself
	delete(all, "(*Tensor).Format") // shows that it was freed
	for name, f := range all {
		for _, shape := range [][]int{{2, 3}, {3}, {1, 2, 3, 3}, {40, 40, 40}} {
			for i := range f.Type().NumIn() {
				in := f.Type().In(i)
				if in != one && in != reflect.TypeFor[any]() && in != reflect.TypeFor[[]*T]() {
					continue
				}
				checkFreed(t, name, f, i, shape)
			}
		}
	}
}

// checkFreed calls f with a freed tensor as argument i.
func checkFreed(t *testing.T, name string, f reflect.Value, i int, shape []int) {
	t.Helper()
	x, gone := tensor.Ones(shape...), tensor.Ones(shape...)
	view := gone.Narrow(0, 0, shape[0])
	gone.Free()
	var args []reflect.Value
	for j := range f.Type().NumIn() {
		in := f.Type().In(j)
		if f.Type().IsVariadic() && j == f.Type().NumIn()-1 {
			if i != j {
				continue
			}
			in = in.Elem()
		}
		if i == j {
			args = append(args, dummy(in, view))
			continue
		}
		arg := dummy(in, x)
		if in == reflect.TypeFor[io.Writer]() {
			arg = reflect.ValueOf(io.Discard)
		}
		args = append(args, arg)
	}
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s of %v with argument %d freed: %v", name, shape, i+1, p)
		}
	}()
	var got []reflect.Value
	if reference.Mistake(func() { got = f.Call(args) }) != "no panic" {
		return
	}
	for _, v := range got {
		if out, ok := v.Interface().(*T); ok && out != nil && out != view && !out.IsView() &&
			reference.Mistake(func() { out.Float64s() }) == "no panic" {
			t.Errorf("%s of %v with argument %d freed gives a tensor", name, shape, i+1)
		}
	}
}
