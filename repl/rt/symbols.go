package rt

import (
	"maps"
	"reflect"
)

// Symbols returns the functions that emitted code calls, under their names.
func (ts *Types) Symbols() map[string]reflect.Value {
	functions := map[string]any{
		"B": B, "Unbox": Unbox, "Is": Is, "Has": Has,
		"Impl": Impl, "Case": Case, "Bad": Bad, "Eq": Eq, "Key": Key, "MethodOf": MethodOf,
		"Bound": ts.Bound, "Unsafe": Unsafe,
		"BuiltinPrint": BuiltinPrint, "BuiltinPrintln": BuiltinPrintln,
		"SetMethod": SetMethod, "Do": ts.Do, "Push": Push, "Me": Me,
		"Forwards": Forwards, "Declines": Declines, "Recover": Recover,
		"RecoverDeferred": RecoverDeferred, "Go": ts.Go, "Callback": ts.Callback,
		"Panic": ts.Panic, "NilPanic": NilPanic, "WrapPanic": WrapPanic,
		"RangePanic": RangePanic, "ShiftPanic": ShiftPanic,
		"Elements": Elements, "Len": Len, "Cap": Cap, "Hint": Hint,
		"UnsafeAdd": UnsafeAdd, "UnsafeSlice": UnsafeSlice, "SliceData": SliceData,
		"UnsafeString": UnsafeString, "StringData": StringData,
		"LockerUnlock": LockerUnlock,
		"DecodeRune":   DecodeRune, "Select": ts.Select, "Clear": Clear,
		"MinFloat": MinFloat, "MaxFloat": MaxFloat,
		"Float32FromInt": Float32FromInt, "Float32FromUint": Float32FromUint,
		"Print": Print, "Printf": Printf, "Println": Println,
	}
	maps.Copy(functions, Prints)
	maps.Copy(functions, zeroSymbols)
	for name, f := range typeMethods {
		functions[TypeMethod(name)] = f
	}
	symbols := map[string]reflect.Value{}
	for name, f := range functions {
		symbols[name] = reflect.ValueOf(f)
	}
	return symbols
}
