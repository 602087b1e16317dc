//go:build !amd64 && !arm64

package rt_test

import (
	"reflect"
	"testing"

	"halfnote/repl/rt"
)

// TestCallerRefusesAll: where Go passes arguments otherwise, every call is left to reflect.
func TestCallerRefusesAll(t *testing.T) {
	if rt.NewCaller(reflect.TypeFor[func()](), nil) != nil {
		t.Error("func() would be called with registers that this processor's Go does not use")
	}
}
