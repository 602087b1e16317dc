package display

// This file puts the keys of maps in order.

import (
	"cmp"
	"reflect"
	"slices"
)

// sortedKeys is how many keys are sorted: a map of more shows any of its keys, for that would take
// too long.
const sortedKeys = 10_000

// someKeys returns the first n keys of a map in the order in which fmt prints them, or any n of a
// map that is too large to be sorted.
func someKeys(v reflect.Value, n int) []reflect.Value {
	if v.Len() <= sortedKeys {
		keys := v.MapKeys()
		sortKeys(keys)
		return keys[:min(n, len(keys))]
	}
	keys := make([]reflect.Value, 0, n)
	for entries := v.MapRange(); len(keys) < n && entries.Next(); {
		keys = append(keys, entries.Key())
	}
	sortKeys(keys)
	return keys
}

// sortKeys puts the keys of a map in the order in which fmt prints them.
func sortKeys(keys []reflect.Value) { slices.SortStableFunc(keys, compareKeys) }

// compareKeys compares keys of one type: nil comes first, NaN before numbers, and composites are
// compared part by part. Keys in interfaces of several types are in the order of their kinds.
func compareKeys(a, b reflect.Value) int {
	switch a.Kind() {
	case reflect.Interface:
		a, b = a.Elem(), b.Elem()
		if a.Kind() != b.Kind() || !a.IsValid() {
			return cmp.Compare(a.Kind(), b.Kind())
		}
		if a.Type() != b.Type() {
			return cmp.Compare(a.Type().String(), b.Type().String())
		}
		return compareKeys(a, b)
	case reflect.Bool:
		switch {
		case a.Bool() == b.Bool():
			return 0
		case a.Bool():
			return 1
		}
		return -1
	case reflect.String:
		return cmp.Compare(a.String(), b.String())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return cmp.Or(cmp.Compare(real(x), real(y)), cmp.Compare(imag(x), imag(y)))
	case reflect.Struct:
		for i := range a.NumField() {
			if order := compareKeys(a.Field(i), b.Field(i)); order != 0 {
				return order
			}
		}
		return 0
	case reflect.Array:
		for i := range a.Len() {
			if order := compareKeys(a.Index(i), b.Index(i)); order != 0 {
				return order
			}
		}
		return 0
	}
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	}
	return cmp.Compare(a.Pointer(), b.Pointer())
}
