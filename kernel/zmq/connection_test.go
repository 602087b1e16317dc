package zmq

import (
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"halfnote/kernel"
)

const goodFile = `{"shell_port": 5001, "iopub_port": 5002, "stdin_port": 5003, "control_port": 5004,
	"hb_port": 5005, "ip": "127.0.0.1", "key": "a0", "transport": "tcp",
	"signature_scheme": "hmac-sha256", "kernel_name": "halfnote"}`

func TestConnectionFileErrors(t *testing.T) {
	with := func(old, new string) string {
		if !strings.Contains(goodFile, old) {
			t.Fatal(old)
		}
		return strings.Replace(goodFile, old, new, 1)
	}
	for text, want := range map[string]string{
		"":         "not a JSON object: unexpected end of JSON input",
		"{":        "not a JSON object: unexpected end of JSON input",
		"null":     "not a JSON object: null",
		"[]":       "not a JSON object: .*array.*",
		"hello":    "not a JSON object: invalid character 'h' .*",
		"{}":       `transport "": only tcp and ipc are known`,
		"\xff\xfe": "not a JSON object: .*",

		with(`"tcp"`, `"pgm"`):          `transport "pgm": only tcp and ipc are known`,
		with("hmac-sha256", "hmac-md5"): `signature_scheme "hmac-md5": only hmac-sha256 is known`,
		with(`"a0"`, `""`):              "key: is empty, and unsigned messages are not accepted",
		with(`"127.0.0.1"`, `""`):       "ip: is missing",
		with("127.0.0.1", "127.0.0"):    `ip "127.0.0": not an IP address`,
		with("127.0.0.1", "a.b.c.d:5"):  `ip "a.b.c.d:5": not an IP address`,
		with("5002", "65536"):           "iopub_port: 65536 is not between 0 and 65535",
		with("5002", "-1"):              "iopub_port: -1 is not between 0 and 65535",
		with("5002", "5004"):            "iopub_port: 5004 is also control_port",
		with("5002", "1.5"):             "iopub_port: a number 1.5 where a whole number is wanted",
		with("5002", `"5002"`):          "iopub_port: a string where a whole number is wanted",
		with("5002", "1e30"):            "iopub_port: a number 1e30 where a whole number is wanted",
		with(`"hb_port": 5005,`, ""):    "hb_port: is missing",
		with(`"a0"`, "1"):               "key: a number where a string is wanted",
		with(`"tcp"`, `"ipc"`) + "\n{}": "not a JSON object: .*",

		strings.NewReplacer("127.0.0.1", "@x", tcp, ipc).Replace(goodFile)://
		`ip "@x": anybody may open an abstract socket; give a path`,
		goodFile + strings.Repeat(" ", maxConnectionFile): "longer than 65536 bytes",
	} {
		path := filepath.Join(t.TempDir(), "kernel.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readConnection(path)
		full := "^connection file " + regexp.QuoteMeta(path) + ": " + want + "$"
		if err == nil || !regexp.MustCompile(full).MatchString(err.Error()) {
			t.Errorf("%.100s:\ngot  %v\nwant %s", text, err, full)
		}
	}
	if _, err := readConnection(filepath.Join(t.TempDir(), "none.json")); err == nil ||
		strings.Count(err.Error(), "none.json: ") != 1 {
		t.Error(err)
	}
	if _, err := readConnection(t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
}

func TestGoodConnectionFile(t *testing.T) {
	c, err := parseConnection([]byte(goodFile))
	if err != nil {
		t.Fatal(err)
	}
	if c.Key != "a0" || *c.Heartbeat != 5005 || c.of(kernel.IOPub) != "127.0.0.1:5002" {
		t.Errorf("%+v", c)
	}
}

// Ports that the file leaves open are chosen, and written where the client looks for them.
func TestChosenPorts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.json")
	text := regexp.MustCompile("500[1-4]").ReplaceAllString(goodFile, "0")
	text = strings.Replace(text, "5005", strconv.Itoa(freePort(t)), 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := readConnection(path)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := c.listen()
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(bound)
	if err := c.write(path); err != nil {
		t.Fatal(err)
	}
	again, err := readConnection(path)
	if err != nil {
		t.Fatal(err)
	}
	for ch, ln := range bound {
		if got := again.of(ch); got != ln.Addr().String() {
			t.Errorf("%s is at %s, the file says %s", ch, ln.Addr(), got)
		}
	}
	var all map[string]any
	if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &all) != nil {
		t.Fatal(err)
	}
	if all["kernel_name"] != "halfnote" {
		t.Errorf("another field was lost: %v", all)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}

// freePort returns a port that is free, of those that systems do not choose for others meanwhile.
func freePort(t *testing.T) int {
	for range 1000 {
		port := 10_000 + rand.IntN(20_000)
		if ln, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			ln.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	panic("unreachable")
}

func TestPortTaken(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := connectionAt(tcp, "127.0.0.1")
	*c.Stdin = taken.Addr().(*net.TCPAddr).Port
	*c.Shell = freePort(t)
	_, err = c.listen()
	if err == nil || !strings.Contains(err.Error(),
		"bind stdin: stdin_port "+taken.Addr().String()+": is taken;") {
		t.Errorf("got %v", err)
	}
	ln, err := net.Listen("tcp4", c.of(kernel.Shell)) // nothing stays bound
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
}

func TestNotOurAddress(t *testing.T) {
	c := connectionAt(tcp, "192.0.2.1") // for documentation only
	if _, err := c.listen(); err == nil ||
		!strings.HasPrefix(err.Error(), "bind shell: shell_port 192.0.2.1:0: ") {
		t.Errorf("got %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for ip, want := range map[string]string{"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1",
		"*": "0.0.0.0", "0.0.0.0": "0.0.0.0", "::1": "[::1]"} {
		c := connectionAt(tcp, ip)
		bound, err := c.listen()
		if err != nil {
			if probe, ipv6 := net.Listen("tcp6", "[::1]:0"); ip == "::1" && ipv6 != nil {
				continue // a machine without IPv6
			} else if probe != nil {
				probe.Close()
			}
			t.Errorf("%s: %v", ip, err)
			continue
		}
		for _, ln := range bound {
			if got := ln.Addr().String(); !strings.HasPrefix(got, want+":") {
				t.Errorf("%s was bound to %s", ip, got)
			}
		}
		closeAll(bound)
	}
}

func closeAll(bound map[kernel.Channel]net.Listener) {
	for _, ln := range bound {
		ln.Close()
	}
}

func TestSocketFiles(t *testing.T) {
	t.Chdir(t.TempDir()) // whose path may be too long for a socket
	const prefix = "k"
	c := connectionAt(ipc, prefix)
	*c.Shell, *c.Control = 7, 8

	stale, err := net.Listen("unix", prefix+"-7")
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	stale.Close()
	bound, err := c.listen()
	if err != nil {
		t.Fatal(err)
	}
	for ch := range bound {
		info, err := os.Stat(c.of(ch))
		if err != nil || runtime.GOOS != "windows" && info.Mode() != fs.ModeSocket|0o600 {
			t.Errorf("%s: %v, %v", ch, info.Mode(), err)
		}
	}
	// Another kernel's sockets are left alone, and so is a file that is no socket.
	if _, err := c.listen(); err == nil || !strings.Contains(err.Error(), "-7: is taken;") {
		t.Errorf("bound twice: %v", err)
	}
	if _, err := os.Stat(prefix + "-8"); err != nil {
		t.Error(err)
	}
	closeAll(bound)
	if files, _ := os.ReadDir("."); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
	if err := os.WriteFile(prefix+"-7", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.listen(); err == nil || !strings.Contains(err.Error(), "-7: is taken;") {
		t.Errorf("bound over a file: %v", err)
	}
	c.IP = strings.Repeat("x", 110)
	if _, err := c.listen(); err == nil || !strings.Contains(err.Error(), "longer than 103") {
		t.Errorf("long path: %v", err)
	}
	c.IP, *c.Shell = filepath.Join("no", "folder"), 0
	if _, err := c.listen(); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("no folder: %v", err)
	}
}

func FuzzConnectionFile(f *testing.F) {
	f.Add([]byte(goodFile))
	f.Add([]byte(`{"transport":"ipc","ip":"/x","key":"a","signature_scheme":"hmac-sha256"}`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parseConnection(text)
		if err != nil {
			return
		}
		for _, p := range c.ports() {
			if p.number == nil || *p.number < 0 || *p.number > 65535 || c.address(*p.number) == "" {
				t.Errorf("%s was accepted", p.field)
			}
		}
		if c.Key == "" || c.IP == "" {
			t.Errorf("%+v was accepted", c)
		}
	})
}
