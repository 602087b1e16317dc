package check

// This file says how cells write what go/types knows, for messages and help.

import "go/types"

// IsCells reports whether p is the package of a cell.
func IsCells(p *types.Package) bool { return p != nil && p.Path() == "main" }

// Usable reports whether cells can name a field or method.
func Usable(obj types.Object) bool { return obj.Exported() || IsCells(obj.Pkg()) }

// TypeText is a type as cells write it: packages by their names, and what cells declare without one.
func TypeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if IsCells(p) {
			return ""
		}
		return p.Name()
	})
}
