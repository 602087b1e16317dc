// Package sql is halfnote's source of the generic type of Go's package database/sql.
package sql

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
)

// Null is a T that may be null.
type Null[T any] struct {
	V     T
	Valid bool // V is not null
}

// Scan implements [sql.Scanner].
func (n *Null[T]) Scan(value any) error {
	if value == nil {
		var zero T
		n.V, n.Valid = zero, false
		return nil
	}
	n.Valid = true
	if s, ok := any(&n.V).(sql.Scanner); ok {
		return s.Scan(value)
	}
	if v, ok := value.(T); ok {
		n.V = v
		return nil
	}
	return convert(reflect.ValueOf(&n.V).Elem(), value)
}

// Value implements [driver.Valuer].
func (n Null[T]) Value() (driver.Value, error) {
	if !n.Valid {
		return nil, nil
	}
	v := any(n.V)
	if valuer, ok := v.(driver.Valuer); ok {
		r := reflect.ValueOf(v)
		if r.Kind() == reflect.Pointer && r.IsNil() &&
			r.Type().Elem().Implements(reflect.TypeOf((*driver.Valuer)(nil)).Elem()) {
			return nil, nil
		}
		val, err := valuer.Value()
		if err != nil {
			return val, err
		}
		v = val
	}
	return driver.DefaultParameterConverter.ConvertValue(v)
}

// convert sets dest to value.
func convert(dest reflect.Value, value any) error {
	switch dest.Kind() {
	case reflect.Bool:
		return through[bool](dest, value)
	case reflect.String:
		return through[string](dest, value)
	case reflect.Int:
		return through[int](dest, value)
	case reflect.Int8:
		return through[int8](dest, value)
	case reflect.Int16:
		return through[int16](dest, value)
	case reflect.Int32:
		return through[int32](dest, value)
	case reflect.Int64:
		return through[int64](dest, value)
	case reflect.Uint:
		return through[uint](dest, value)
	case reflect.Uint8:
		return through[uint8](dest, value)
	case reflect.Uint16:
		return through[uint16](dest, value)
	case reflect.Uint32:
		return through[uint32](dest, value)
	case reflect.Uint64:
		return through[uint64](dest, value)
	case reflect.Float32:
		return through[float32](dest, value)
	case reflect.Float64:
		return through[float64](dest, value)
	case reflect.Pointer:
		dest.Set(reflect.New(dest.Type().Elem()))
		return convert(dest.Elem(), value)
	case reflect.Slice:
		if dest.Type().Elem().Kind() == reflect.Uint8 {
			return through[[]byte](dest, value)
		}
	}
	return fmt.Errorf("unsupported Scan, storing driver.Value type %T into type %s",
		value, dest.Addr().Type())
}

// through sets dest, of B's kind, as Go's package sets a B.
func through[B any](dest reflect.Value, value any) error {
	var n sql.Null[B]
	err := n.Scan(value)
	if err == nil {
		dest.Set(reflect.ValueOf(n.V).Convert(dest.Type()))
	}
	return err
}
