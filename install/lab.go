package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// LabConfig says how Lab reports, and which notebooks it can hand out.
type LabConfig struct {
	Notebooks fs.FS // written into a folder that does not exist yet
	Out       io.Writer
	Live      bool     // Out is a terminal, where lines can be rewritten
	Kernel    []string // arguments with which kernels are started
}

// oldestLab is the first major version of JupyterLab that the kernel is tested with.
const oldestLab = 4

// Lab installs the kernel and becomes JupyterLab, in the folder or with the notebook that args
// name; rest goes to JupyterLab as it is. Without a JupyterLab on the path it uses, and makes if
// need be, a private one. It returns only when something is wrong, or on Windows when JupyterLab
// has ended.
func Lab(args, rest []string, cfg LabConfig) error {
	if len(args) > 1 {
		return usageError(
			"lab takes one folder or notebook; what is for JupyterLab stands after --")
	}
	argv, err := prepareLab(args, rest, cfg)
	if err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return become(argv)
}

// prepareLab does all that comes before JupyterLab, and returns its command line.
func prepareLab(args, rest []string, cfg LabConfig) ([]string, error) {
	private := newPrivateLab(thisHost())
	p, err := labOnPath(cfg.Out)
	if err == nil && p == nil {
		p, err = private.ensure(cfg)
	}
	if err != nil {
		return nil, err
	}
	place, err := labPlace(args, cfg)
	if err != nil {
		return nil, err
	}
	if err := installFor(p, cfg); err != nil {
		return nil, err
	}
	argv := []string{p.Path, "-m", "jupyterlab"}
	if os.Geteuid() == 0 {
		argv = append(argv, "--allow-root")
	}
	if place != "" {
		argv = append(argv, place)
	}
	fmt.Fprintf(cfg.Out, "opening JupyterLab %s in %s\n", p.Lab, filepath.Clean(place))
	return append(argv, rest...), nil
}

// labOnPath returns the user's own JupyterLab, nil if there is none that is new enough.
func labOnPath(out io.Writer) (*python, error) {
	ctx, stop := interruptible()
	defer stop()
	p, err := findLab(ctx)
	if err != nil || p == nil {
		return nil, err
	}
	if p.tooOld() {
		fmt.Fprintf(out, "JupyterLab %s in %s is older than %d: not used\n",
			p.Lab, p.Prefix, oldestLab)
		return nil, nil
	}
	return p, nil
}

// tooOld reports whether p's JupyterLab is older than those the kernel is tested with.
func (p *python) tooOld() bool {
	major, _, _ := strings.Cut(p.Lab, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n < oldestLab
}

// ensure returns the private JupyterLab and makes it if it is not there or not whole.
func (l *privateLab) ensure(cfg LabConfig) (*python, error) {
	unlock, err := l.lock() // before signals are caught: one who waits here can be interrupted
	if err != nil {
		return nil, err
	}
	defer unlock()
	ctx, stop := interruptible()
	defer stop()
	if p, err := l.find(ctx); err != nil || p != nil {
		return p, err
	}
	fmt.Fprintf(cfg.Out, "no JupyterLab found; making one in %s, once, of about 250 MB\n", l.dir())
	return l.make(ctx, &steps{out: cfg.Out, live: cfg.Live})
}

// installFor installs the kernel where p's Jupyter finds it first, unless it is there already.
func installFor(p *python, cfg LabConfig) error {
	active := thisHost().activePrefix()
	t := Target{SysPrefix: active != "" && sameFolder(active, p.Prefix)}
	dir, err := t.Dir(context.Background())
	if err != nil {
		return err
	}
	for _, kernels := range p.Kernels {
		if kernels == filepath.Dir(dir) {
			break
		}
		// An older kernelspec that would hide the new one is brought up to date.
		hiding := filepath.Join(kernels, DefaultName)
		if s, err := readSpec(hiding); err == nil && s != nil {
			dir, t.SysPrefix = hiding, true
			break
		}
	}
	if isCurrent(dir, cfg.Kernel...) {
		return nil
	}
	if err := Install(dir, t.public(), cfg.Kernel...); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cfg.Out, "installed %s in %s\n", displayName(dir), dir)
	return err
}

func sameFolder(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// labPlace returns what JupyterLab opens: what is named, else ./notebooks if it has any, else "",
// the current folder. A folder that does not exist is made, with the teaching notebooks in it.
func labPlace(args []string, cfg LabConfig) (string, error) {
	const usual = "notebooks"
	if len(args) == 0 {
		if found, _ := filepath.Glob(filepath.Join(usual, "*.ipynb")); len(found) > 0 {
			return usual, nil
		}
		return "", nil
	}
	place := args[0]
	_, err := os.Stat(place)
	switch {
	case err == nil || !errors.Is(err, fs.ErrNotExist):
		return place, err
	case filepath.Ext(place) != "":
		return "", fmt.Errorf("%s: no such file", place)
	}
	if err := os.CopyFS(place, cfg.Notebooks); err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(cfg.Out, "made %s with the teaching notebooks\n", place)
	return place, err
}
