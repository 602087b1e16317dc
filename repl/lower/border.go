package lower

// This file implements the border to compiled functions that look inside the values they get.
// Interface values of the program's own types carry their type in a way that such functions do not
// know. Some want only the storage, and get it; for the others a value of the program is refused
// rather than shown wrongly.
//
//	sort.Slice(ps, less)      →   sort.Slice(interface{}(ps), less)      ps is []P
//	json.Unmarshal(b, &p)     →   json.Unmarshal(b, rt.JSONTarget(…))
//	xml.Marshal(p)            →   halfnote cannot run xml.Marshal of a value of type P yet

import (
	"go/ast"
	"go/types"

	"halfnote/repl/ir"
)

// wantStorage lists functions that work on the storage of their arguments of type any.
var wantStorage = map[string]bool{
	"sort.Slice": true, "sort.SliceStable": true, "sort.SliceIsSorted": true,
	"fmt.Scan": true, "fmt.Scanf": true, "fmt.Scanln": true,
	"fmt.Sscan": true, "fmt.Sscanf": true, "fmt.Sscanln": true,
	"fmt.Fscan": true, "fmt.Fscanf": true, "fmt.Fscanln": true,
	"runtime.SetFinalizer": true, "runtime.KeepAlive": true,
	"encoding/binary.Read": true, "encoding/binary.Write": true, "encoding/binary.Size": true,
}

// lookInside lists packages whose functions and methods show or fill the parts of a value of type
// any by way of reflection.
var lookInside = map[string]bool{
	"encoding/xml": true, "encoding/gob": true, "encoding/asn1": true,
	"text/template": true, "html/template": true, "reflect": true, "net/rpc": true,
	"testing/quick": true, "database/sql": true,
}

// callee returns the compiled function or method that a call names, or nil.
func (f *fn) callee(x *ast.CallExpr) *types.Func {
	id := lastIdent(ast.Unparen(x.Fun))
	if id == nil {
		return nil
	}
	obj, ok := f.info.Uses[id].(*types.Func)
	if !ok || obj.Pkg() == nil || f.decls[obj.Origin()] != nil {
		return nil
	}
	return obj
}

// borderArg lowers an argument of type any for a compiled function that looks inside it; ok is
// false for other functions.
func (f *fn) borderArg(fun *types.Func, arg ast.Expr) (e ir.Expr, ok bool) {
	path := fun.Pkg().Path()
	from := f.typ(arg)
	if isNil(from) || f.info.Types[arg].IsNil() {
		return nil, false
	}
	switch {
	case wantStorage[path+"."+fun.Name()]:
		if types.IsInterface(from) {
			return f.call(arg.Pos(), "Unbox", f.erase(f.expr(arg), from)), true
		}
		return f.iface(f.conv(arg, defaultType(from)), anyStore), true
	case path == "encoding/json" && (fun.Name() == "Unmarshal" || fun.Name() == "Decode"):
		return f.call(arg.Pos(), "JSONTarget", f.erase(f.expr(arg), from)), true
	case !lookInside[path] || path+"."+fun.Name() == "reflect.DeepEqual":
		return nil, false
	case types.IsInterface(from):
		what := stringConst(arg.Pos(), fun.Pkg().Name()+"."+fun.Name())
		return f.call(arg.Pos(), "Plain", f.erase(f.expr(arg), from), what), true
	case f.types.NeedsBox(defaultType(from)):
		fail(arg.Pos(), "%s.%s of a value of type %s", fun.Pkg().Name(), fun.Name(),
			types.TypeString(from, func(*types.Package) string { return "" }))
	}
	return nil, false
}
