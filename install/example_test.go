package install_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"halfnote/install"
)

func Example() {
	prefix, err := os.MkdirTemp("", "halfnote")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(prefix)

	dir, err := install.Target{Prefix: prefix}.Dir(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(install.Install(dir, true))
	_, err = os.Stat(filepath.Join(dir, "kernel.json"))
	fmt.Println(err)
	fmt.Println(install.Uninstall(dir))
	// Output:
	// <nil>
	// <nil>
	// true <nil>
}
