package install

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/cpu"

	"halfnote/internal/memory"
	"halfnote/repl/display"
	"halfnote/tensor"
)

// A Finding is one line of the doctor: what was looked at, how it is, and what mends it.
type Finding struct {
	State State
	Name  string
	Text  string
	Fix   string
}

// State says how something is.
type State int

// The states of a finding.
const (
	Fine   State = iota
	Note         // works, but less than it could
	Broken       // keeps the kernel from working in Jupyter
)

var stateWords = [...]string{Fine: "ok", Note: "note", Broken: "broken"}

var stateStyles = [...]display.Style{
	Fine: display.StyleInput, Note: display.StyleHelp, Broken: display.StyleError,
}

// doctorTime is how long the programs that are asked may take together on a machine that is busy or
// cold.
const doctorTime = time.Minute

// Doctor prints what is there and what is missing, a line each with the fix; more are the findings
// of other packages. Its error says that something which Jupyter needs is broken.
func Doctor(out io.Writer, color bool, more ...Finding) error {
	ctx, stop := interruptible()
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	checks := []func() []Finding{
		one(version),
		func() []Finding { return []Finding{goToolchain(ctx)} },
		func() []Finding { return jupyter(ctx) },
		func() []Finding { return more },
		one(processor), one(mainMemory), gpus, made,
	}
	found := make([][]Finding, len(checks))
	var running sync.WaitGroup
	for i, check := range checks {
		running.Go(func() { found[i] = check() })
	}
	running.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("doctor: %w", err)
	}
	broken := 0
	for _, f := range slices.Concat(found...) {
		f.print(out, color)
		if f.State == Broken {
			broken++
		}
	}
	if broken > 0 {
		return fmt.Errorf("doctor: %d broken", broken)
	}
	return nil
}

func one(check func() Finding) func() []Finding {
	return func() []Finding { return []Finding{check()} }
}

func (f Finding) print(out io.Writer, color bool) {
	word := fmt.Sprintf("%-6s", stateWords[f.State])
	fmt.Fprintf(out, "%s  %-10s  %s\n", stateStyles[f.State].Paint(word, color), f.Name, f.Text)
	if f.Fix != "" {
		fmt.Fprintf(out, "%20s%s\n", "", display.StyleHelp.Paint("help: "+f.Fix, color))
	}
}

func version() Finding {
	info, _ := debug.ReadBuildInfo() // nil only in a binary built without modules
	return Finding{Name: "halfnote", Text: fmt.Sprintf("%s, built with %s for %s/%s",
		info.Main.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)}
}

// goToolchain: cells are checked and run without one.
func goToolchain(ctx context.Context) Finding {
	f := Finding{Name: "go"}
	path, err := exec.LookPath("go")
	if err != nil {
		f.State, f.Text = Note, "not found; cells run without it"
		f.Fix = "install Go for help on the standard library and for other modules"
		return f
	}
	out, err := exec.CommandContext(ctx, path, "env", "GOVERSION").Output()
	if err != nil {
		f.State, f.Text = Note, fmt.Sprintf("%s does not run: %v", path, err)
		return f
	}
	f.Text = strings.TrimSpace(string(out)) + " at " + path
	return f
}

// jupyter finds JupyterLab and the kernelspecs that its Jupyter, or any other, would find.
func jupyter(ctx context.Context) []Finding {
	lab := Finding{Name: "jupyterlab"}
	p, err := findLab(ctx)
	own := ""
	if err == nil && (p == nil || p.tooOld()) {
		if mine, err := newPrivateLab(thisHost()).find(ctx); err == nil && mine != nil {
			p, own = mine, ", halfnote's own"
		}
	}
	dirs := thisHost().kernelDirs()
	switch {
	case p == nil:
		lab.State, lab.Text = Note, "not found"
		lab.Fix = fmt.Sprintf("%s lab gets one; VS Code needs none", invocation())
	case p.tooOld():
		lab.State = Note
		lab.Text = fmt.Sprintf("%s in %s is older than %d", p.Lab, p.Prefix, oldestLab)
		lab.Fix = fmt.Sprintf("%s lab gets a newer one", invocation())
	default:
		lab.Text = fmt.Sprintf("%s in %s%s", p.Lab, p.Prefix, own)
	}
	if p != nil {
		dirs = append(slices.Clip(p.Kernels), dirs...)
	}
	return append([]Finding{lab}, kernelspecs(ctx, dirs)...)
}

// kernelspecs looks at each kernelspec of ours in the folders of kernels; the first of a name hides
// the others, as it does for Jupyter.
func kernelspecs(ctx context.Context, dirs []string) []Finding {
	var found []Finding
	seen := map[string]bool{}
	for _, kernels := range dirs {
		entries, err := os.ReadDir(kernels)
		if err != nil {
			continue // most of the folders do not exist
		}
		for _, e := range entries {
			dir := filepath.Join(kernels, e.Name())
			s, err := readSpec(dir)
			name := strings.ToLower(e.Name())
			if err == nil && s == nil || seen[name] {
				continue
			}
			seen[name] = true
			switch {
			case err != nil && name == DefaultName:
				found = append(found, Finding{State: Broken, Name: "kernelspec", Text: err.Error(),
					Fix: "remove " + dir + " and run " + invocation() + " install"})
			case err == nil && s.isOurs():
				found = append(found, kernelspec(ctx, dir, s))
			}
		}
	}
	if len(found) == 0 {
		return []Finding{{State: Broken, Name: "kernelspec", Text: "not installed",
			Fix: invocation() + " install"}}
	}
	return found
}

// kernelspec looks at the program that a kernelspec starts.
func kernelspec(ctx context.Context, dir string, s *spec) Finding {
	f := Finding{Name: "kernelspec", Text: s.DisplayName + " in " + dir}
	fix := invocation() + " install"
	if name := strings.ToLower(filepath.Base(dir)); name != DefaultName {
		fix += " --name " + name
	}
	if user := filepath.Join(thisHost().jupyterData(), "kernels"); filepath.Dir(dir) != user {
		prefix := strings.TrimSuffix(filepath.ToSlash(filepath.Dir(dir)), "/share/jupyter/kernels")
		fix += " --prefix " + filepath.FromSlash(prefix)
	}
	out, err := exec.CommandContext(ctx, s.Argv[0], "version").Output()
	switch {
	case err != nil:
		f.State, f.Fix = Broken, fix
		f.Text += fmt.Sprintf(": its program does not run: %v", err)
	case sameAsSelf(s.Argv[0]):
		f.Text += ", this build"
	default:
		f.State, f.Fix = Note, fix
		f.Text += ", another build than this one: " + strings.TrimSpace(string(out))
	}
	return f
}

// Writable looks whether the file at path can be written, or made.
func Writable(name, path string) Finding {
	f := Finding{Name: name, Text: path}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		file.Close()
		return f
	}
	if os.IsNotExist(err) {
		dir := filepath.Dir(path)
		for dir != filepath.Dir(dir) && !isFolder(dir) {
			dir = filepath.Dir(dir)
		}
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".halfnote-"); err == nil {
			probe.Close()
			os.Remove(probe.Name())
			return f
		}
	}
	f.State, f.Text = Note, "cannot be written: "+err.Error()
	f.Fix = "nothing is kept of it until that file and its folder are yours"
	return f
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// processor names what the tensor kernels can use, and what they do use.
func processor() Finding {
	var has []string
	for _, feature := range []struct {
		name string
		here bool
	}{
		{"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA}, {"f16c", cpu.X86.HasF16C},
		{"avx512f", cpu.X86.HasAVX512F}, {"avx512_bf16", cpu.X86.HasAVX512BF16},
		{"amx_bf16", cpu.X86.HasAMXBF16},
		{"asimd", cpu.ARM64.HasASIMD}, {"asimdhp", cpu.ARM64.HasASIMDHP},
		{"asimdfhm", cpu.ARM64.HasASIMDFHM}, {"sve", cpu.ARM64.HasSVE},
	} {
		if feature.here {
			has = append(has, feature.name)
		}
	}
	path, err := tensor.CPUPath()
	f := Finding{Name: "cpu", Text: fmt.Sprintf("%s, %d cores: %s; tensors use %s",
		runtime.GOARCH, runtime.NumCPU(), strings.Join(has, " "), path)}
	if err != nil {
		f.State = Note
		f.Fix = err.Error()
	}
	return f
}

// mainMemory tells what the machine has, or what the container may use.
func mainMemory() Finding {
	size, err := memory.Size()
	if err != nil {
		return Finding{State: Note, Name: "memory", Text: "size unknown: " + err.Error()}
	}
	return Finding{Name: "memory", Text: fmt.Sprintf("%.1f GiB", float64(size)/(1<<30))}
}

// gpus tells which GPUs tensors can go to. Where there is no driver that is as it should be.
func gpus() []Finding {
	list, err := tensor.CUDADevices()
	if err != nil {
		return []Finding{noGPU(err, nvidiaDriver())}
	}
	var found []Finding
	for _, d := range list {
		f := Finding{Name: "gpu", Text: d.String()}
		if d.Err != nil {
			f.State = Note
		}
		found = append(found, f)
	}
	return found
}

// noGPU tells why there is none, where the kernel of the system may have a driver.
func noGPU(why error, driver string) Finding {
	f := Finding{Name: "gpu"}
	const absent = "no NVIDIA driver"
	text := why.Error()
	if driver == "" {
		f.Text = "none (" + text + ")"
		if !strings.Contains(text, absent) {
			f.Text = "none, " + absent + " (" + text + ")"
		}
		return f
	}
	f.State, f.Text = Note, fmt.Sprintf("NVIDIA driver %s, not used: %s", driver, text)
	switch {
	case strings.Contains(text, "without tag cuda"):
		f.Fix = "bash install/cuda.sh, in halfnote's sources, builds halfnote-cuda, which uses it"
	case strings.Contains(text, absent):
		f.Fix = "its library libcuda.so.1 is not to be found; a container gets it by --gpus all"
	default:
		f.Fix = "nvidia-smi may tell more"
	}
	return f
}

// made tells where tensors are made, unless that is the processor.
func made() []Finding {
	home, err := tensor.DefaultDevice()
	switch {
	case err != nil:
		return []Finding{{State: Note, Name: "device", Text: err.Error(),
			Fix: "no tensors are made until HALFNOTE_DEVICE names one that is there"}}
	case home != tensor.CPU:
		return []Finding{{Name: "device", Text: "tensors are made on " + home.String()}}
	}
	return nil
}

// nvidiaDriver returns the version of the GPU's driver, "" if there is none.
func nvidiaDriver() string {
	if runtime.GOOS == "windows" {
		dll := filepath.Join(os.Getenv("SystemRoot"), "System32", "nvcuda.dll")
		if _, err := os.Stat(dll); err == nil {
			return "found"
		}
		return ""
	}
	return driverVersion(os.DirFS("/proc/driver/nvidia"))
}

// driverVersion reads it from the folder in which Linux shows the driver.
func driverVersion(proc fs.FS) string {
	text, err := fs.ReadFile(proc, "version")
	if err != nil {
		return ""
	}
	for word := range strings.FieldsSeq(string(text)) {
		if word[0] >= '0' && word[0] <= '9' && strings.Contains(word, ".") {
			return word
		}
	}
	return "found"
}
