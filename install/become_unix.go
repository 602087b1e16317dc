//go:build unix

package install

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// become replaces this process by a program, which so gets every signal, the terminal and the exit
// code that a parent would have to hand on.
func become(argv []string) error {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	err = syscall.Exec(path, argv, os.Environ())
	return fmt.Errorf("%s: %w", path, err)
}
