package memory

import (
	"flag"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
)

// limit is what SetLimit was given; 0 is the default.
var limit atomic.Uint64

// NoLimit is a limit that nothing reaches.
const NoLimit = 1<<63 - 1

// SetLimit sets how many bytes the process may have before cells that ask for more are stopped. The
// garbage collector works harder when that comes near.
func SetLimit(bytes uint64) {
	limit.Store(min(bytes, NoLimit))
	debug.SetMemoryLimit(int64(Limit()))
}

// Limit returns the bytes that the process may have: what SetLimit was given, or else three
// quarters of the machine's memory.
func Limit() uint64 {
	if n := limit.Load(); n > 0 {
		return n
	}
	size, err := Size()
	if err != nil {
		return NoLimit
	}
	return size / 4 * 3
}

// InUse returns the bytes that the process has of the machine, without those of C code.
func InUse() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

// Live returns the bytes of InUse that hold something, garbage since the last collection included.
func Live() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
	}
	metrics.Read(samples)
	have := samples[0].Value.Uint64()
	for _, s := range samples[1:] {
		have -= s.Value.Uint64()
	}
	return have
}

// units are those of Parse, the longest first.
var units = []struct {
	name  string
	bytes float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1}, {"", 1},
}

// Parse reads a number of bytes such as 500MB, 2GiB, 1.5G, or none for NoLimit.
func Parse(text string) (uint64, error) {
	lower := strings.ToLower(strings.TrimSpace(text))
	if lower == "none" {
		return NoLimit, nil
	}
	for _, u := range units {
		number, ok := strings.CutSuffix(lower, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(n*u.bytes >= 1 && n*u.bytes < NoLimit) {
			break
		}
		return uint64(n * u.bytes), nil
	}
	return 0, fmt.Errorf("%q is no size such as 500MB, 2GiB or none", text)
}

// Text writes a number of bytes in two digits or more.
func Text(bytes uint64) string {
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"EB", 1e18}, {"PB", 1e15}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if n := float64(bytes) / u.bytes; n >= 9.95 {
			return fmt.Sprintf("%.0f %s", n, u.name)
		} else if n >= 1 {
			return fmt.Sprintf("%.1f %s", n, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Flag declares the flag --max-memory, whose text is passed to set when it is a size.
func Flag(fs *flag.FlagSet, set func(text string, bytes uint64)) {
	fs.Func("max-memory", "stop cells when the process has more than `SIZE`, as in 4GB, or none",
		func(text string) error {
			bytes, err := Parse(text)
			if err == nil {
				set(text, bytes)
			}
			return err
		})
}
