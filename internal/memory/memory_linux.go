package memory

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Size returns the bytes of the machine's memory, or of its container's or the process's limit if
// that is less.
func Size() (uint64, error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, err
	}
	size := uint64(info.Totalram) * uint64(info.Unit)
	for _, path := range []string{
		"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
	} {
		text, _ := os.ReadFile(path) // one of them, or none
		if limit, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil {
			size = min(size, limit)
		}
	}
	var limit unix.Rlimit // ulimit -v
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err == nil {
		size = min(size, limit.Cur)
	}
	return size, nil
}
