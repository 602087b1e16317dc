package std_test

import (
	"fmt"
	"strings"

	"halfnote/repl/std"
)

func Example() {
	files, ok := std.Source("maps")
	fmt.Println(ok, strings.Contains(files["maps.go"], "func Keys["))
	fmt.Println(std.Paths()[:3])
	// Output:
	// true true
	// [cmp crypto/hkdf crypto/pbkdf2]
}
