//go:build cuda

package cuda

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"gorgonia.org/cu"
)

// Tests on the stand-in for the driver mean something where it finds what a GPU would not forgive.
// Faults are planted here, each in a process of its own, as a GPU is lost to one that makes them.

// faultArgs is FaultArgs in standin/testdata/faults.cu.
type faultArgs struct {
	Out, X uint64
	N      int64
}

// A plant is a fault and what must be told of it.
type plant struct {
	name  string // of the kernel, or what is done
	grid  grid
	n     int64 // for the kernel
	do    func(f *field)
	want  string // of the output, a regular expression
	setup []string
}

const planted = 64 // elements of the arrays that faults have

var one = grid{Blocks: [3]int{1}, Threads: [3]int{planted}}

var plants = []plant{
	{name: "missing_barrier", grid: one,
		want: `faults.cu:\d+: it (reads|writes) 4 bytes of shared memory \(lines in .*\) that thread .*: a barrier is missing`},
	{name: "missing_warp_barrier", grid: one, want: `: a barrier is missing`},
	{name: "early_overwrite", grid: one, want: `: a barrier is missing`},
	{name: "divergent_barrier", grid: one, want: `divergent barriers: it is in the one at .*faults.cu:\d+, thread .* in that at .*faults.cu:\d+`},
	{name: "off_by_one", grid: one, n: planted, want: `faults.cu:\d+: it writes 4 bytes at .* 0 beyond the end of an allocation of 256`},
	{name: "before_first", grid: one, want: `it reads 4 bytes at .*CUDA_ERROR_ILLEGAL_ADDRESS`},
	{name: "misaligned", grid: one, want: `it reads 16 bytes at an address that is no multiple of that.*CUDA_ERROR_MISALIGNED_ADDRESS`},
	{name: "shared_index", grid: one, want: `faults.cu:\d+: index 17 is out of bounds of an array 'float \[17\]'`},
	{name: "shared_pointer", grid: one, n: 64, want: `beyond the end of a shared variable \(lines in .* \+ 256\)`},
	{name: "dynamic_shared", grid: grid{one.Blocks, one.Threads, 4 * planted}, want: `at offset 256 of the launch's 256 of dynamic shared memory`},
	{name: "stale_shared", grid: grid{Blocks: [3]int{2}, Threads: [3]int{planted / 2}}, want: `all NaN`},
	{name: "uninitialised", grid: one, do: func(f *field) { f.args.X = f.alloc(4 * planted) }, want: `all NaN`},
	{name: "missing_lanes", grid: one, want: `a shuffle at .* waits for lane 16, which is in __syncthreads`},
	{name: "left_out", grid: one, want: `mask 0xffff, which leaves out the thread's own lane 16`},
	{name: "missing_wait", grid: one, want: `all NaN`},
	{name: "endless_stack", grid: one, want: `more stack than it has`},
	{name: "by_zero", grid: one, want: `divides an integer by zero`},
	{name: "trap", grid: one, want: `__trap.*CUDA_ERROR_LAUNCH_FAILED`},

	// Of programs.
	{name: "freed", grid: one, do: func(f *field) { f.free(f.args.X) }, want: `in freed memory`},
	{name: "host_memory", grid: one, do: func(f *field) { f.args.X = uint64(uintptr(unsafe.Pointer(&f.host[0]))) },
		want: `which is no memory of a device`},
	{name: "arguments_exchanged", grid: one, do: func(f *field) { f.args.Out, f.args.X = f.args.X, f.args.Out }, want: `all NaN`},
	{name: "other_device", grid: one, setup: []string{"HALFNOTE_STANDIN_DEVICES=2"}, do: (*field).elsewhere,
		want: `in memory of device 1, but runs on device 0`},
	{name: "read_early", grid: one, do: func(f *field) { f.early = true }, want: `all NaN`},
	{name: "copied_early", grid: one, do: (*field).overtake, want: `all NaN`},
	{name: "too_many_threads", grid: grid{Blocks: [3]int{1}, Threads: [3]int{1025}}, want: `CUDA_ERROR_INVALID_VALUE`},
	{name: "too_many_blocks", grid: grid{Blocks: [3]int{1, 65536}, Threads: [3]int{1}}, want: `CUDA_ERROR_INVALID_VALUE`},
	{name: "bounded", grid: one, want: `CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`},
	{name: "longer", grid: one, want: `kernel longer takes 32 bytes in the PTX, and 24 as compiled`},
	{name: "unknown", grid: one, want: `kernel unknown is in the PTX, and was not compiled`},
	{name: "out_of_memory", grid: one, setup: []string{"HALFNOTE_STANDIN_MEMORY=1000000"}, do: func(f *field) { f.alloc(2000000) },
		want: `[oO]ut *[oO]f *[mM]emory`},
}

// TestCUDAPlantedFaults plants faults in kernels and in what launches them.
func TestCUDAPlantedFaults(t *testing.T) {
	if name := os.Getenv("HALFNOTE_PLANT"); name != "" {
		for _, p := range plants {
			if p.name == name {
				newField(t).run(&p)
			}
		}
		if name == "sound" {
			newField(t).run(&plant{name: name, grid: grid{Blocks: [3]int{2}, Threads: [3]int{planted / 2}, Shared: 4 * planted}})
		}
		return
	}
	lib := buildStandin(t, "standin/testdata", "-O1")
	for _, order := range []string{"forward", "reverse", "5"} {
		out := runPlant(t, lib, "sound", "HALFNOTE_STANDIN_ORDER="+order)
		if !strings.Contains(out, "all as they should be") {
			t.Fatalf("a kernel without a fault in order %s:\n%s", order, out)
		}
	}
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			out := runPlant(t, lib, p.name, p.setup...)
			if !regexp.MustCompile("(?s)" + p.want).MatchString(out) {
				t.Errorf("not found out; the output has no %s:\n%s", p.want, out)
			}
		})
	}
}

// TestCUDAPlantedFaultsInKernels plants faults in the package's own kernels: one of the tests must fail.
func TestCUDAPlantedFaultsInKernels(t *testing.T) {
	for _, f := range []struct{ name, file, from, to, test, want string }{
		{"barrier", "scan.cu", "__syncthreads();", ";", "TestCUDAScan", "a barrier is missing"},
		{"bound", "copy.cu", "i < a.walk.total", "i <= a.walk.total", "TestCUDACopy", "beyond the end of an allocation"},
		{"arguments", "copy.cu", "Array out, x;", "Array x, out;", "TestCUDACopy", "on the GPU"},
	} {
		t.Run(f.name, func(t *testing.T) {
			folder := t.TempDir()
			headers, _ := filepath.Glob("kernels/*.cuh")
			for _, path := range append(headers, filepath.Join("kernels", f.file)) {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if changed := bytes.ReplaceAll(text, []byte(f.from), []byte(f.to)); filepath.Base(path) == f.file {
					if bytes.Equal(changed, text) {
						t.Fatalf("%s has no %s", path, f.from)
					}
					text = changed
				}
				if err := os.WriteFile(filepath.Join(folder, filepath.Base(path)), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(os.Args[0], "-test.run=^"+f.test+"$")
			cmd.Env = append(os.Environ(), "HALFNOTE_LIBCUDA="+buildStandin(t, folder, "-O1"))
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), f.want) {
				t.Errorf("not found out; the output has no %q:\n%s", f.want, out)
			}
		})
	}
}

// buildStandin builds a stand-in with the kernels of a folder.
func buildStandin(t *testing.T, kernels, optimise string) string {
	t.Helper()
	from, err := filepath.Abs(kernels)
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	build := exec.Command("bash", "../../../install/cuda.sh", "standin")
	build.Env = append(os.Environ(), "HALFNOTE_STANDIN_KERNELS="+from, "HALFNOTE_STANDIN_BUILD="+to, "HALFNOTE_STANDIN_FLAGS="+optimise)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(to, "libcuda.so.1")
}

// runPlant runs this test in a process that has one fault, and returns what it says.
func runPlant(t *testing.T, lib, name string, setup ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestCUDAPlantedFaults$")
	cmd.Env = append(append(os.Environ(), "HALFNOTE_LIBCUDA="+lib, "HALFNOTE_PLANT="+name), setup...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Run() // which may fail or not
	return out.String()
}

// A field is where a fault is planted: device memory with numbers in x, and NaNs in out.
type field struct {
	t     *testing.T
	b     *Backend
	args  faultArgs
	host  []float32
	early bool // reads before the kernel is done
}

func newField(t *testing.T) *field {
	f := &field{t: t, b: gpu(t), host: make([]float32, planted)}
	for i := range f.host {
		f.host[i] = float32(i + 1)
	}
	f.load()
	f.args = faultArgs{Out: f.alloc(4 * planted), X: f.alloc(4 * planted)}
	f.must(f.b.gpu.do(func() error {
		return cu.MemcpyHtoD(cu.DevicePtr(f.args.X), unsafe.Pointer(&f.host[0]), 4*planted)
	}))
	return f
}

// load has the kernels in testdata loaded as if nvcc had compiled them.
func (f *field) load() {
	ptx := ".version 9.0\n.target sm_75\n.address_size 64\n"
	add := func(name string, bytes int, tuning string) {
		ptx += fmt.Sprintf(".visible .entry %s(\n\t.param .align 8 .b8 %s_param_0[%d]\n)\n%s{\n\tret;\n}\n", name, name, bytes, tuning)
	}
	source, err := os.ReadFile("standin/testdata/faults.cu")
	f.must(err)
	for _, m := range regexp.MustCompile(`KERNEL\((\w+),`).FindAllSubmatch(source, -1) {
		switch name := string(m[1]); name {
		case "longer":
			add(name, 32, "")
		case "bounded":
			add(name, 24, ".maxntid 32, 1, 1\n")
		default:
			add(name, 24, "")
		}
	}
	add("unknown", 24, "")
	f.must(f.b.gpu.do(func() error {
		m, err := cu.LoadData(ptx)
		if modules.loaded[f.b.gpu] == nil {
			modules.loaded[f.b.gpu] = map[string]cu.Module{}
		}
		modules.loaded[f.b.gpu]["faults"] = m
		return err
	}))
}

func (f *field) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *field) alloc(bytes int64) (address uint64) {
	f.t.Helper()
	f.must(f.b.gpu.do(func() error {
		p, err := cu.MemAlloc(bytes)
		address = uint64(p)
		return err
	}))
	return address
}

func (f *field) free(address uint64) {
	f.must(f.b.gpu.do(func() error { return cu.MemFree(cu.DevicePtr(address)) }))
}

// elsewhere puts x on the second GPU.
func (f *field) elsewhere() {
	other, err := Open(1)
	f.must(err)
	first := f.b.gpu
	f.b.gpu = other
	f.args.X = f.alloc(4 * planted)
	f.b.gpu = first
}

// overtake copies to out on another stream, which the kernel's does not wait for.
func (f *field) overtake() {
	other, err := f.b.gpu.NewStream()
	f.must(err)
	x := f.alloc(4 * planted)
	f.must(f.b.gpu.do(func() error {
		return cu.MemcpyHtoDAsync(cu.DevicePtr(x), unsafe.Pointer(&f.host[0]), 4*planted, other.handle)
	}))
	f.args.X = x
}

// run runs a fault, and prints what comes of it.
func (f *field) run(p *plant) {
	if p.do != nil {
		p.do(f)
	}
	f.args.N = p.n
	k := newKernel[faultArgs]("faults", p.kernel())
	k.launch(f.b, p.grid, f.args)
	got := make([]float32, planted)
	f.must(f.b.gpu.do(func() error {
		return cu.MemcpyDtoHAsync(unsafe.Pointer(&got[0]), cu.DevicePtr(f.args.Out), 4*planted, f.b.stream.handle)
	}))
	if !f.early {
		f.must(f.b.stream.Wait())
	}
	nans, right := 0, 0
	half := planted / 2
	for i, v := range got {
		if v != v {
			nans++
		}
		if v == float32(i%half+1+i/half) {
			right++
		}
	}
	switch planted {
	case nans:
		fmt.Println("all NaN")
	case right:
		fmt.Println("all as they should be")
	default:
		fmt.Println("values", got)
	}
}

// kernel returns the one that shows the fault.
func (p *plant) kernel() string {
	switch p.name {
	case "freed", "host_memory", "arguments_exchanged", "other_device", "read_early", "copied_early", "too_many_threads",
		"too_many_blocks", "out_of_memory":
		return "plain"
	}
	return p.name
}
