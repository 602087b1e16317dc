package tensor

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// MemoryUse is how much memory tensors take on a device, in bytes. Each counts with the size of its
// elements, however many views it has. Tensors of less than 16 KB on the CPU are left out: they are
// small objects of Go's own, which tells nobody when it takes one back, unless that is asked for at
// several times the price of an op. runtime.MemStats counts them, among all others.
type MemoryUse struct {
	Device    Device
	InUse     int64 // by tensors that the program can reach, or that no collection has found yet
	Peak      int64 // the most that was in use, since ResetPeakMemoryStats
	Reserved  int64 // in use, or kept for tensors to come
	Allocated int64 // by all tensors ever

	Allocations int64 // how many tensors got memory
	Reused      int64 // how many of them got some that an earlier one had
}

// MemoryStats returns how much memory tensors take on the default device, or on
// the device given. Memory that
// nothing uses any more counts as in use until Go's garbage collector has found it. What only the
// library has seen comes back at once: gradients that Backward is done with, casts that autocast
// made and what the layers of package nn pass on to each other, as soon as Backward needs it no
// more, and gradients that SetGrad drops before Grad has given them to anybody. So the memory of a
// training loop over layers of nn is level from its second step on, but for what the program is given
// itself, such as the output of a model, and for small tensors of GPUs; that of one that calls ops itself
// is when the first collections are over, which come when 8 MB (32 MB in a session, and for a GPU), or a
// quarter of what is used, may be garbage.
func MemoryStats(device ...Device) MemoryUse {
	d := oneDevice("memory_stats", device)
	s := d.backend("memory_stats").MemoryStats()
	return MemoryUse{Device: d, InUse: s.InUse, Peak: s.Peak, Reserved: s.Reserved,
		Allocated: s.Allocated, Allocations: s.Allocations, Reused: s.Reused}
}

// ResetPeakMemoryStats sets the peak of the default device, or of the device given, to what is in use now.
func ResetPeakMemoryStats(device ...Device) {
	oneDevice("reset_peak_memory_stats", device).backend("reset_peak_memory_stats").ResetPeak()
}

// EmptyCache gives memory back that is kept for tensors to come, on the default device or on the device given: to
// the system and to the driver, for other programs. Tensors lose nothing, and new ones wait longer for
// their memory. What a GPU's tensors have cut in pieces goes when all pieces are unused.
func EmptyCache(device ...Device) {
	oneDevice("empty_cache", device).backend("empty_cache").EmptyCache()
}

// String returns the figures as a table.
func (m MemoryUse) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "memory on %s\t\t\n", m.Device)
	for _, line := range []struct {
		name  string
		bytes int64
	}{{"in use", m.InUse}, {"peak", m.Peak}, {"reserved", m.Reserved}, {"allocated", m.Allocated}} {
		fmt.Fprintf(w, "%s\t%s\t\n", line.name, byteText(line.bytes))
	}
	fmt.Fprintf(w, "allocations\t%d\t\n", m.Allocations)
	fmt.Fprintf(w, "reused\t%d\t\n", m.Reused)
	w.Flush()
	return b.String()
}

// byteText returns a number of bytes with three digits and a unit.
func byteText(n int64) string {
	v, units := float64(n), []string{"B", "KB", "MB", "GB", "TB"}
	for v >= 999.5 && len(units) > 1 {
		v, units = v/1000, units[1:]
	}
	return fmt.Sprintf("%.3g %s", v, units[0])
}
