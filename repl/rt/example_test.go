package rt_test

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"

	"halfnote/repl/rt"
)

func Example() {
	// type Point struct { X, y int }, as a cell declares it.
	pkg := types.NewPackage("main", "main")
	integer := types.Typ[types.Int]
	point := types.NewNamed(types.NewTypeName(token.NoPos, pkg, "Point", nil), types.NewStruct(
		[]*types.Var{
			types.NewField(token.NoPos, pkg, "X", integer, false),
			types.NewField(token.NoPos, pkg, "y", integer, false),
		}, nil), nil)

	ts := rt.NewTypes(func(path, name string) (reflect.Type, bool) { return nil, false })
	d := ts.Real(point)
	v := reflect.New(d.R).Elem()
	v.Field(0).SetInt(1)
	v.Field(1).SetInt(2)
	p := rt.B(d, v.Interface())
	fmt.Printf("%T %+v %t\n", p, p, rt.Eq(p, rt.B(d, v.Interface())))
	fmt.Println(rt.Unbox(p, d) == v.Interface())
	// Output:
	// main.Point {X:1 y:2} true
	// true
}
