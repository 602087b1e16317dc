package install

import (
	"cmp"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// host is what the directory rules look at. They are functions of it alone, so that the rules of
// every operating system are tested on each.
type host struct {
	os  string // as runtime.GOOS
	env func(string) string
}

// thisHost returns the host of this process.
func thisHost() host {
	return host{os: runtime.GOOS, env: func(name string) string {
		value := os.Getenv(name)
		if name == "HOME" && value == "" { // a service; Python looks there too
			if u, err := user.Current(); err == nil {
				value = u.HomeDir
			}
		}
		return value
	}}
}

func (h host) home() string {
	if h.os == "windows" {
		return h.env("USERPROFILE")
	}
	return h.env("HOME")
}

// jupyterData returns the folder of a user's Jupyter files, by the rules of
// jupyter_core.paths.jupyter_data_dir.
func (h host) jupyterData() string {
	if dir := h.env("JUPYTER_DATA_DIR"); dir != "" {
		return dir
	}
	if h.isSet("JUPYTER_PLATFORM_DIRS") {
		return filepath.Join(h.userData(), "jupyter")
	}
	switch h.os {
	case "darwin":
		return filepath.Join(h.home(), "Library", "Jupyter")
	case "windows":
		if dir := h.env("APPDATA"); dir != "" {
			return filepath.Join(dir, "jupyter")
		}
		config := cmp.Or(h.env("JUPYTER_CONFIG_DIR"), filepath.Join(h.home(), ".jupyter"))
		return filepath.Join(config, "data")
	}
	return filepath.Join(h.userData(), "jupyter")
}

// isSet reports whether a variable of Jupyter is switched on.
func (h host) isSet(name string) bool {
	off := []string{"", "no", "n", "false", "off", "0", "0.0"}
	return !slices.Contains(off, strings.ToLower(h.env(name)))
}

// userData returns where programs keep a user's files.
func (h host) userData() string {
	switch h.os {
	case "darwin":
		return filepath.Join(h.home(), "Library", "Application Support")
	case "windows":
		return cmp.Or(h.env("LOCALAPPDATA"), filepath.Join(h.home(), "AppData", "Local"))
	}
	return cmp.Or(h.env("XDG_DATA_HOME"), filepath.Join(h.home(), ".local", "share"))
}

// ownData returns where halfnote keeps what it has fetched for the user.
func (h host) ownData() string { return filepath.Join(h.userData(), "halfnote") }

// activePrefix returns the virtual environment that the user has activated, or "".
func (h host) activePrefix() string { return cmp.Or(h.env("VIRTUAL_ENV"), h.env("CONDA_PREFIX")) }

// kernelsIn returns the folder of kernels below a prefix.
func kernelsIn(prefix string) string { return filepath.Join(prefix, "share", "jupyter", "kernels") }

// kernelDirs returns the folders of kernels that Jupyter looks into, as far as they are known
// without asking a Python, in its order.
func (h host) kernelDirs() []string {
	var dirs []string
	for dir := range strings.SplitSeq(h.env("JUPYTER_PATH"), string(os.PathListSeparator)) {
		if dir != "" {
			dirs = append(dirs, filepath.Join(dir, "kernels"))
		}
	}
	if prefix := h.activePrefix(); prefix != "" {
		dirs = append(dirs, kernelsIn(prefix))
	}
	dirs = append(dirs, filepath.Join(h.jupyterData(), "kernels"))
	if h.os != "windows" {
		dirs = append(dirs, kernelsIn("/usr/local"), kernelsIn("/usr"))
	}
	return dirs
}
