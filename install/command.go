package install

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"halfnote/internal/memory"
)

// usageError is a mistake on the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

// ExitStatus is what the process ends with.
func (usageError) ExitStatus() int { return 2 }

// Target says where a kernelspec goes. The zero Target is the user's own folder and the name
// halfnote.
type Target struct {
	User      bool
	SysPrefix bool   // the active environment, or that of the Python on the path
	Prefix    string // a folder such as /usr/local
	Name      string
}

func (t *Target) flags(fs *flag.FlagSet) {
	fs.BoolVar(&t.User, "user", false, "for this user (the default)")
	fs.BoolVar(&t.SysPrefix, "sys-prefix", false,
		"for the active virtual environment, or that of the python3 on the path")
	fs.StringVar(&t.Prefix, "prefix", "", "for all who look below `DIR`, as in /usr/local")
	fs.StringVar(&t.Name, "name", DefaultName, "call the kernel `NAME`")
}

// public reports whether the kernelspec is meant for more than one user.
func (t Target) public() bool { return t.SysPrefix || t.Prefix != "" }

// Dir returns the folder of the kernelspec, by Jupyter's own rules.
func (t Target) Dir(ctx context.Context) (string, error) {
	name := t.Name
	if name == "" {
		name = DefaultName
	}
	name, err := kernelName(name)
	if err != nil {
		return "", err
	}
	h := thisHost()
	kernels := filepath.Join(h.jupyterData(), "kernels")
	switch prefix := h.activePrefix(); {
	case t.User && t.public() || t.SysPrefix && t.Prefix != "":
		return "", usageError("give one of --user, --sys-prefix and --prefix")
	case t.Prefix != "":
		kernels = kernelsIn(t.Prefix)
	case t.SysPrefix && prefix != "":
		kernels = kernelsIn(prefix)
	case t.SysPrefix:
		p, err := findPython(ctx)
		if err == errNoPython {
			return "", errors.New("--sys-prefix: no active environment and no Python on the " +
				"path; use --user or --prefix")
		}
		if err != nil {
			return "", err
		}
		kernels = kernelsIn(p.Prefix)
	}
	return filepath.Abs(filepath.Join(kernels, name))
}

// wayOut adds to an error of writing what else can be done.
func wayOut(op string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) || errors.As(err, new(*os.LinkError)) {
		return fmt.Errorf("%s: %w; use --user, or --prefix with a folder that you may write to",
			op, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// KernelFlags declares the flags with which kernels are started and collects what they say in args.
func KernelFlags(fs *flag.FlagSet, args *[]string) {
	memory.Flag(fs, func(text string, _ uint64) { *args = []string{"--max-memory", text} })
}

// Command declares the flags of halfnote install and returns what runs it.
func Command(fs *flag.FlagSet) func(args, rest []string) error {
	var t Target
	var kernel []string
	t.flags(fs)
	KernelFlags(fs, &kernel)
	return func(_, _ []string) error {
		dir, err := t.dirFor("install")
		if err != nil {
			return err
		}
		display := displayName(dir)
		if err := Install(dir, t.public(), kernel...); err != nil {
			return wayOut("install", err)
		}
		fmt.Printf("installed %s in %s\n", display, dir)
		if t.Prefix != "" && !slices.Contains(thisHost().kernelDirs(), filepath.Dir(dir)) {
			fmt.Printf("A Jupyter of another prefix finds it with JUPYTER_PATH=%s\n",
				filepath.Dir(filepath.Dir(dir)))
			return nil
		}
		fmt.Printf("Choose %s in JupyterLab, Notebook or VS Code, or try: %s lab\n",
			display, invocation())
		return nil
	}
}

// UninstallCommand declares the flags of halfnote uninstall and returns what runs it.
func UninstallCommand(fs *flag.FlagSet) func(args, rest []string) error {
	var t Target
	t.flags(fs)
	return func(_, _ []string) error {
		dir, err := t.dirFor("uninstall")
		if err != nil {
			return err
		}
		switch found, err := Uninstall(dir); {
		case err != nil:
			return fmt.Errorf("uninstall: %w", err)
		case !found:
			fmt.Println("nothing to uninstall in", dir)
		default:
			fmt.Println("uninstalled", dir)
			if left, err := os.ReadDir(dir); err == nil {
				fmt.Printf("kept in it: %d files that install has not written\n", len(left))
			}
		}
		return nil
	}
}

// dirFor returns the folder that the command line means.
func (t Target) dirFor(op string) (string, error) {
	ctx, stop := interruptible()
	defer stop()
	dir, err := t.Dir(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	return dir, nil
}

// interruptible returns a context that Ctrl-C ends.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// invocation returns how the user can start this program again.
func invocation() string {
	path, err := os.Executable()
	if err != nil {
		return "halfnote"
	}
	if strings.Contains(filepath.ToSlash(path), "/go-build") {
		return "go run ."
	}
	if found, err := exec.LookPath("halfnote"); err == nil {
		if found, err = filepath.Abs(found); err == nil && found == path {
			return "halfnote"
		}
	}
	return path
}
