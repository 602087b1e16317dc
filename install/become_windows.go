package install

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
)

// become runs a program to its end, as the last thing this process does. Ctrl-C reaches both; this
// process leaves it to the program.
func become(argv []string) error {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return ended(exit.ExitCode())
	}
	return err
}

// ended is the exit code of the program, which becomes ours.
type ended int

func (e ended) Error() string { return fmt.Sprintf("JupyterLab ended with exit status %d", int(e)) }

// ExitStatus is what the process ends with.
func (e ended) ExitStatus() int { return int(e) }
