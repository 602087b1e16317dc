package rt

import (
	"go/token"
	"go/types"
	"testing"
)

// TestQuietly: within it values of the program have no methods, on that goroutine only.
func TestQuietly(t *testing.T) {
	ts := NewTypes(nil)
	pkg := types.NewPackage("main", "main")
	named := types.NewNamed(types.NewTypeName(token.NoPos, pkg, "T", nil), types.Typ[types.Int], nil)
	d := ts.Desc(named)
	Meth(d, "String", func(any) string { return "called" })
	box := B(d, 1).(Box)
	if got := box.GoText(); got != "called" {
		t.Errorf("got %s", got)
	}
	ran := ts.Quietly(func() {
		if got := box.GoText(); got != "1" {
			t.Errorf("quietly got %s", got)
		}
		if ts.Quietly(func() {}) {
			t.Error("called within itself")
		}
		other := make(chan string)
		go func() { other <- box.GoText() }()
		if got := <-other; got != "called" {
			t.Errorf("another goroutine got %s", got)
		}
	})
	if got := box.GoText(); !ran || got != "called" {
		t.Errorf("afterwards got %s", got)
	}
}
