package gen

// This file writes the archives of type information.

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// archive packs the entries, name → export data, the same bytes each time. The comment says which
// Go release they were made from.
func archive(entries map[string][]byte, comment string) ([]byte, error) {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(entries[name]); err != nil {
			return nil, err
		}
	}
	if err := w.SetComment(comment); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// exportData encodes what importers of pkg need to know. It holds no positions: they would name
// folders of the machine that ran the generator.
func exportData(pkg *types.Package) ([]byte, error) {
	var buf bytes.Buffer
	if err := gcexportdata.Write(&buf, token.NewFileSet(), pkg); err != nil {
		return nil, fmt.Errorf("%s: %w", pkg.Path(), err)
	}
	return buf.Bytes(), nil
}

// describe tells what of obj other packages can see.
func describe(obj types.Object) string {
	var b strings.Builder
	switch obj := obj.(type) {
	case *types.Const:
		fmt.Fprintf(&b, "%v = %s", obj, value(obj.Val()))
	case *types.TypeName:
		fmt.Fprintf(&b, "type %s ", obj.Name())
		if s, ok := obj.Type().Underlying().(*types.Struct); ok {
			b.WriteString("struct")
			for f := range s.Fields() {
				if f.Exported() {
					fmt.Fprintf(&b, "\n%v", f)
				}
			}
		} else {
			b.WriteString(types.TypeString(obj.Type().Underlying(), nil))
		}
		methods := types.NewMethodSet(types.NewPointer(obj.Type()))
		for m := range methods.Methods() {
			if m.Obj().Exported() {
				fmt.Fprintf(&b, "\n%v", m.Obj())
			}
		}
	default:
		fmt.Fprint(&b, obj)
	}
	return b.String()
}

// value is v, a float as its float64: export data does not hold all its digits.
func value(v constant.Value) string {
	if v.Kind() == constant.Float {
		f, _ := constant.Float64Val(v)
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return v.ExactString()
}

// API describes all that pkg exports.
func API(pkg *types.Package) string {
	var b strings.Builder
	objs := exported(pkg)
	for _, name := range slices.Sorted(maps.Keys(objs)) {
		b.WriteString(describe(objs[name]) + "\n")
	}
	return strings.ReplaceAll(b.String(), "interface{}", "any") // export data can lose the alias
}

// exported yields the exported objects of pkg by name.
func exported(pkg *types.Package) map[string]types.Object {
	objs := map[string]types.Object{}
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			objs[name] = obj
		}
	}
	return objs
}

// differ reports whether the exported API of two variants of a package differs, and takes from
// common the names that are not the same kind of symbol in both.
func differ(a, b *types.Package, common map[string]types.Object) bool {
	as, bs := exported(a), exported(b)
	diff := len(as) != len(bs)
	for name, obj := range as {
		other, ok := bs[name]
		if !ok || fmt.Sprintf("%T", other) != fmt.Sprintf("%T", obj) {
			delete(common, name)
		}
		if !ok || describe(obj) != describe(other) {
			diff = true
		}
	}
	return diff
}
