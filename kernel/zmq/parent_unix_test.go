//go:build unix

package zmq

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
)

func TestParentGone(t *testing.T) {
	if gone := watchedParent(strconv.Itoa(os.Getppid())); gone() {
		t.Error("our own parent is gone")
	}
	// A process that is not our parent, as when a shell stands between.
	cmd := exec.Command("cat")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := watchedParent(strconv.Itoa(cmd.Process.Pid))
	if gone() {
		t.Error("gone too early")
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !gone() {
		t.Error("not noticed")
	}
	// One that was never seen may be of another process namespace; unless we are an orphan.
	if gone := watchedParent(strconv.Itoa(cmd.Process.Pid)); gone() != (os.Getppid() == 1) {
		t.Error("a process that was never there is missed")
	}
}
