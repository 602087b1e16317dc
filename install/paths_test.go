package install

import (
	"path/filepath"
	"testing"
)

// TestJupyterData holds the rules against those of jupyter_core 5.9.
func TestJupyterData(t *testing.T) {
	type env map[string]string
	for name, test := range map[string]struct {
		os      string
		env     env
		want    string
		ownData string
	}{
		"linux": {"linux", env{"HOME": "/home/ada"},
			"/home/ada/.local/share/jupyter", "/home/ada/.local/share/halfnote"},
		"linux/XDG_DATA_HOME": {"linux", env{"HOME": "/home/ada", "XDG_DATA_HOME": "/data"},
			"/data/jupyter", "/data/halfnote"},
		"linux/JUPYTER_DATA_DIR": {"linux",
			env{"HOME": "/home/ada", "XDG_DATA_HOME": "/data", "JUPYTER_DATA_DIR": "/j"},
			"/j", "/data/halfnote"},
		"freebsd": {"freebsd", env{"HOME": "/home/ada"},
			"/home/ada/.local/share/jupyter", "/home/ada/.local/share/halfnote"},
		"darwin": {"darwin", env{"HOME": "/Users/ada", "XDG_DATA_HOME": "/data"},
			"/Users/ada/Library/Jupyter", "/Users/ada/Library/Application Support/halfnote"},
		"darwin/JUPYTER_PLATFORM_DIRS": {"darwin",
			env{"HOME": "/Users/ada", "JUPYTER_PLATFORM_DIRS": "1"},
			"/Users/ada/Library/Application Support/jupyter",
			"/Users/ada/Library/Application Support/halfnote"},
		"darwin/JUPYTER_PLATFORM_DIRS off": {"darwin",
			env{"HOME": "/Users/ada", "JUPYTER_PLATFORM_DIRS": "False"},
			"/Users/ada/Library/Jupyter", "/Users/ada/Library/Application Support/halfnote"},
		"windows": {"windows",
			env{"USERPROFILE": "C:/Users/ada", "APPDATA": "C:/Users/ada/AppData/Roaming",
				"LOCALAPPDATA": "C:/Users/ada/AppData/Local", "HOME": "/c/ada"},
			"C:/Users/ada/AppData/Roaming/jupyter", "C:/Users/ada/AppData/Local/halfnote"},
		"windows/JUPYTER_PLATFORM_DIRS": {"windows",
			env{"USERPROFILE": "C:/Users/ada", "APPDATA": "C:/R", "LOCALAPPDATA": "C:/L",
				"JUPYTER_PLATFORM_DIRS": "yes"},
			"C:/L/jupyter", "C:/L/halfnote"},
		"windows/no APPDATA": {"windows", env{"USERPROFILE": "C:/Users/ada"},
			"C:/Users/ada/.jupyter/data", "C:/Users/ada/AppData/Local/halfnote"},
		"windows/JUPYTER_CONFIG_DIR": {"windows",
			env{"USERPROFILE": "C:/Users/ada", "JUPYTER_CONFIG_DIR": "C:/conf"},
			"C:/conf/data", "C:/Users/ada/AppData/Local/halfnote"},
	} {
		t.Run(name, func(t *testing.T) {
			h := host{os: test.os, env: func(name string) string { return test.env[name] }}
			if got := filepath.ToSlash(h.jupyterData()); got != test.want {
				t.Errorf("Jupyter's data: %s, want %s", got, test.want)
			}
			if got := filepath.ToSlash(h.ownData()); got != test.ownData {
				t.Errorf("own data: %s, want %s", got, test.ownData)
			}
		})
	}
}

func TestTargetDir(t *testing.T) {
	data, active := t.TempDir(), t.TempDir()
	t.Setenv("JUPYTER_DATA_DIR", data)
	t.Setenv("VIRTUAL_ENV", active)
	t.Setenv("CONDA_PREFIX", data)
	for name, test := range map[string]struct {
		target Target
		want   string
	}{
		"default": {Target{}, filepath.Join(data, "kernels", "halfnote")},
		"user": {Target{User: true, Name: "Half-1.0_x"},
			filepath.Join(data, "kernels", "half-1.0_x")},
		"sys-prefix": {Target{SysPrefix: true}, filepath.Join(kernelsIn(active), "halfnote")},
		"prefix":     {Target{Prefix: data}, filepath.Join(kernelsIn(data), "halfnote")},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := test.target.Dir(t.Context()); err != nil || got != test.want {
				t.Errorf("%s, %v, want %s", got, err, test.want)
			}
		})
	}
	for name, wrong := range map[string]Target{
		"two places":  {User: true, Prefix: data},
		"two others":  {SysPrefix: true, Prefix: data},
		"blank":       {Name: "a b"},
		"slash":       {Name: "../x"},
		"dots":        {Name: ".."},
		"not ASCII":   {Name: "hälfte"},
		"with a line": {Name: "a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := wrong.Dir(t.Context()); err == nil {
				t.Errorf("gave %s, want a usage error", got)
			} else if _, ok := err.(usageError); !ok {
				t.Errorf("%T %v, want a usage error", err, err)
			}
		})
	}
}
