//go:build unix

package install

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// fakePython answers the query with $ANSWER, makes environments unless $NO_VENV is set, and
// installs what it is told unless $NO_PIP is.
const fakePython = `#!/bin/sh
case "$1 $2" in
"-c "*)
	prefix=$(dirname "$(dirname "$0")")
	[ -e "$prefix/installed" ] && ANSWER='{"version": [3, 12], "lab": "4.6.6", "kernels": []}'
	[ -e "$prefix/pyvenv.cfg" ] && [ ! -e "$prefix/installed" ] && ANSWER='{"version": [3, 12]}'
	echo "$ANSWER" ;;
"-m venv")
	[ -z "$NO_VENV" ] || { echo "ensurepip is not available"; exit 1; }
	mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && : >"$3/pyvenv.cfg" ;;
"-m pip")
	echo "Collecting jupyterlab"
	[ -z "$NO_PIP" ] || { echo "ERROR: no network"; echo "and more"; exit 1; }
	for word; do echo "$word"; done >"$(dirname "$(dirname "$0")")/installed" ;;
*) exit 1 ;;
esac
`

// newMachine returns a folder that is all there is on the path but for the system's shell, with a
// python3 that gives the answer, and an empty home folder.
func newMachine(t *testing.T, answer string) (bin string) {
	t.Helper()
	home := t.TempDir()
	bin = filepath.Join(home, "bin")
	write(t, filepath.Join(bin, "python3"), fakePython)
	for _, tool := range []string{"sh", "cp", "mkdir", "dirname"} {
		for _, dir := range []string{"/bin", "/usr/bin"} {
			if _, err := os.Stat(filepath.Join(dir, tool)); err == nil {
				// The second of a tool finds the first, and fails.
				os.Symlink(filepath.Join(dir, tool), filepath.Join(bin, tool))
			}
		}
	}
	for _, name := range []string{"XDG_DATA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "JUPYTER_PATH",
		"JUPYTER_DATA_DIR", "JUPYTER_PLATFORM_DIRS", "NO_VENV", "NO_PIP"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", bin)
	t.Setenv("ANSWER", answer)
	t.Chdir(home)
	return bin
}

const (
	plainPython = `{"version": [3, 12], "prefix": "/usr", "lab": "", "kernels": null}`
	withLab     = `{"version": [3, 12], "prefix": "/usr", "lab": "4.5.0", "kernels": []}`
	withOldLab  = `{"version": [3, 12], "prefix": "/usr", "lab": "3.6.8", "kernels": []}`
)

func TestLabOnPath(t *testing.T) {
	bin := newMachine(t, withLab)
	var out strings.Builder
	argv, err := prepareLab(nil, []string{"--port", "1"}, LabConfig{Out: &out})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(bin, "python3"), "-m", "jupyterlab"}
	if os.Geteuid() == 0 {
		want = append(want, "--allow-root")
	}
	if want = append(want, "--port", "1"); !slices.Equal(argv, want) {
		t.Errorf("%q, want %q", argv, want)
	}
	dir, err := Target{}.Dir(t.Context())
	if err != nil || !isCurrent(dir) {
		t.Errorf("the kernel is not installed: %v", err)
	}
	if !strings.Contains(out.String(), "installed Go (halfnote) in "+dir) {
		t.Errorf("said:\n%s", out.String())
	}
	out.Reset()
	if _, err := prepareLab(nil, nil, LabConfig{Out: &out}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "opening JupyterLab 4.5.0 in .\n" {
		t.Errorf("the second time it said:\n%s", out.String())
	}
}

// TestLabActive: with JupyterLab from the active environment the kernel goes there too, where it is
// found before one of the user's.
func TestLabActive(t *testing.T) {
	newMachine(t, "")
	env := t.TempDir()
	t.Setenv("VIRTUAL_ENV", env)
	t.Setenv("ANSWER", strings.Replace(withLab, "/usr", env, 1))
	if _, err := prepareLab(nil, nil, LabConfig{Out: &strings.Builder{}}); err != nil {
		t.Fatal(err)
	}
	if !isCurrent(filepath.Join(kernelsIn(env), DefaultName)) {
		t.Error("no kernel in the environment")
	}
}

// TestLabHidden: an older kernelspec that is found before the user's is brought up to date.
func TestLabHidden(t *testing.T) {
	newMachine(t, "")
	kernels := t.TempDir()
	t.Setenv("ANSWER", strings.Replace(withLab, "[]", `["`+kernels+`"]`, 1))
	write(t, filepath.Join(kernels, DefaultName, specFile), ownSpec)
	if _, err := prepareLab(nil, nil, LabConfig{Out: &strings.Builder{}}); err != nil {
		t.Fatal(err)
	}
	if !isCurrent(filepath.Join(kernels, DefaultName)) {
		t.Error("the old kernelspec is still there")
	}
}

func TestPrivateLab(t *testing.T) {
	for name, answer := range map[string]string{"none": plainPython, "old": withOldLab} {
		t.Run(name, func(t *testing.T) {
			newMachine(t, answer)
			private := newPrivateLab(thisHost())
			// What an interrupted run has left must not be taken for whole.
			write(t, filepath.Join(private.dir(), "half"), "")
			var out strings.Builder
			argv, err := prepareLab(nil, nil, LabConfig{Out: &out})
			if err != nil {
				t.Fatal(err)
			}
			if argv[0] != private.python() {
				t.Errorf("starts %s, want %s", argv[0], private.python())
			}
			for _, part := range []string{
				private.dir(), "  virtual environment (", "  JupyterLab 4.",
			} {
				if !strings.Contains(out.String(), part) {
					t.Errorf("no %q in\n%s", part, out.String())
				}
			}
			if _, err := os.Stat(filepath.Join(private.dir(), "half")); err == nil {
				t.Error("made on top of what was there")
			}
			asked, err := os.ReadFile(filepath.Join(private.dir(), "installed"))
			pins := strings.Join(private.pins, "\n") + "\n"
			if err != nil || !strings.HasSuffix(string(asked), pins) {
				t.Errorf("pip was asked for\n%s%v", asked, err)
			}
			out.Reset()
			if _, err := prepareLab(nil, nil, LabConfig{Out: &out}); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(out.String(), "virtual environment") {
				t.Errorf("was made twice:\n%s", out.String())
			}
		})
	}
}

func TestPrivateLabErrors(t *testing.T) {
	for name, test := range map[string]struct {
		answer, set string
		want        string
	}{
		"no python":  {"", "", "lab: no Python 3 on the path"},
		"python 2":   {`{"version": [2, 7]}`, "", "lab: no Python 3 on the path"},
		"old python": {`{"version": [3, 9]}`, "", "is older than 3.10, which JupyterLab needs"},
		"no venv":    {plainPython, "NO_VENV", "apt install python3-venv"},
		"no network": {plainPython, "NO_PIP", "pip: no network; its log is in "},
	} {
		t.Run(name, func(t *testing.T) {
			newMachine(t, test.answer)
			if test.set != "" {
				t.Setenv(test.set, "1")
			}
			err := Lab(nil, nil, LabConfig{Out: &strings.Builder{}})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			p, err := newPrivateLab(thisHost()).find(t.Context())
			if p != nil || err != nil {
				t.Errorf("what is left passes for whole: %v, %v", p, err)
			}
		})
	}
}

func TestLabPlace(t *testing.T) {
	newMachine(t, "")
	cfg := LabConfig{
		Out:       &strings.Builder{},
		Notebooks: fstest.MapFS{"01-x.ipynb": {Data: []byte("{}"), Mode: 0o644}},
	}
	place := func(want string, args ...string) {
		t.Helper()
		if got, err := labPlace(args, cfg); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", args, got, err, want)
		}
	}
	place("")
	place("new", "new")
	if _, err := os.Stat("new/01-x.ipynb"); err != nil {
		t.Error("no teaching notebooks in a new folder:", err)
	}
	place("new/01-x.ipynb", "new/01-x.ipynb")
	write(t, "notebooks/readme.txt", "")
	place("")
	write(t, "notebooks/a.ipynb", "{}")
	place("notebooks")
	place("bin", "bin")
	if got, err := labPlace([]string{"none.ipynb"}, cfg); err == nil {
		t.Errorf("a notebook that is not there gave %q", got)
	}
}

func TestInterpreterOf(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "line", "jupyter-lab"), "#!/opt/x/bin/python3.12\nimport re\n")
	write(t, filepath.Join(dir, "long", "jupyter-lab"), "#!/bin/sh\n'''exec' /a b/python \"$0\"\n")
	write(t, filepath.Join(dir, "long", "python3"), "")
	write(t, filepath.Join(dir, "shim", "jupyter-lab"), "#!/usr/bin/env bash\nexec x\n")
	write(t, filepath.Join(dir, "bin", "x"), "")
	link := filepath.Join(dir, "bin", "jupyter-lab")
	if err := os.Symlink(filepath.Join(dir, "line", "jupyter-lab"), link); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"line/jupyter-lab": "/opt/x/bin/python3.12",
		"bin/jupyter-lab":  "/opt/x/bin/python3.12",
		"long/jupyter-lab": filepath.Join(dir, "long", "python3"),
		"shim/jupyter-lab": "",
		"none/jupyter-lab": "",
	} {
		if got := interpreterOf(filepath.Join(dir, script)); got != want && !sameFolder(got, want) {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}

func TestKernelspecs(t *testing.T) {
	newMachine(t, plainPython)
	first, second := t.TempDir(), t.TempDir()
	look := func() []Finding { return kernelspecs(t.Context(), []string{first, second, "/none"}) }
	one := func(state State, text, fix string) {
		t.Helper()
		found := look()
		if len(found) != 1 || found[0].State != state || !strings.Contains(found[0].Text, text) ||
			!strings.HasSuffix(found[0].Fix, fix) {
			t.Errorf("%+v, want one with state %d, %q and %q", found, state, text, fix)
		}
	}
	one(Broken, "not installed", " install")
	write(t, filepath.Join(first, "gonb", specFile), foreignSpec)
	one(Broken, "not installed", " install")

	dir := filepath.Join(second, DefaultName)
	if err := Install(dir, false); err != nil {
		t.Fatal(err)
	}
	one(Fine, "Go (halfnote) in "+dir+", this build", "")

	program := filepath.Join(dir, programFile())
	write(t, program, "#!/bin/sh\necho halfnote v0\n")
	one(Note, "another build than this one: halfnote v0", " install --prefix "+second)
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	one(Broken, "does not run", " install --prefix "+second)

	write(t, filepath.Join(first, DefaultName, specFile), "{")
	one(Broken, "not a kernelspec", " install")
}

func TestWritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "")
	for path, want := range map[string]State{
		file:                             Fine,
		filepath.Join(dir, "new", "new"): Fine,
		filepath.Join(file, "below"):     Note,
		dir:                              Note,
	} {
		if f := Writable("history", path); f.State != want || f.State == Note && f.Fix == "" {
			t.Errorf("%s: %+v, want state %d", path, f, want)
		}
	}
	if got := namesIn(t, dir); len(got) != 1 {
		t.Errorf("looking has left %q", got)
	}
}

func TestDriverVersion(t *testing.T) {
	for text, want := range map[string]string{
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5": "550.54.15",
		"something else": "found",
	} {
		var proc fs.FS = fstest.MapFS{"version": {Data: []byte(text)}}
		if got := driverVersion(proc); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := driverVersion(fstest.MapFS{}); got != "" {
		t.Errorf("no driver: %q", got)
	}
}
