package zmq

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"halfnote/kernel"
)

// A connection is what a connection file says.
type connection struct {
	Transport string `json:"transport"`
	IP        string `json:"ip"`
	Shell     *int   `json:"shell_port"`
	IOPub     *int   `json:"iopub_port"`
	Stdin     *int   `json:"stdin_port"`
	Control   *int   `json:"control_port"`
	Heartbeat *int   `json:"hb_port"`
	Key       string `json:"key"`
	Scheme    string `json:"signature_scheme"`
}

const (
	tcp = "tcp"
	ipc = "ipc"
)

// A port is an address of a connection: the name of its field and of the socket, and its number.
type port struct {
	field  string
	socket kernel.Channel
	number *int
}

func (c *connection) ports() []port {
	return []port{
		{"shell_port", kernel.Shell, c.Shell},
		{"control_port", kernel.Control, c.Control},
		{"stdin_port", kernel.Stdin, c.Stdin},
		{"iopub_port", kernel.IOPub, c.IOPub},
		{"hb_port", heartbeatChannel, c.Heartbeat},
	}
}

// maxConnectionFile is a hundred times what Jupyter writes.
const maxConnectionFile = 64 << 10

// readConnection reads a connection file and checks it.
func readConnection(path string) (*connection, error) {
	text, err := readBounded(path)
	if err == nil {
		var c *connection
		if c, err = parseConnection(text); err == nil {
			return c, nil
		}
	}
	var file *fs.PathError
	if errors.As(err, &file) {
		err = file.Err
	}
	return nil, fmt.Errorf("connection file %s: %w", path, err)
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConnectionFile+1))
	if err == nil && len(text) > maxConnectionFile {
		err = fmt.Errorf("longer than %d bytes", maxConnectionFile)
	}
	return text, err
}

func parseConnection(text []byte) (*connection, error) {
	var c *connection
	if err := json.Unmarshal(text, &c); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			wanted := "a string"
			if wrong.Type.Kind() == reflect.Int {
				wanted = "a whole number"
			}
			return nil, fmt.Errorf("%s: a %s where %s is wanted", wrong.Field, wrong.Value, wanted)
		}
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	switch {
	case c == nil:
		return nil, errors.New("not a JSON object: null")
	case c.Transport != tcp && c.Transport != ipc:
		return nil, fmt.Errorf("transport %q: only tcp and ipc are known", c.Transport)
	case c.Scheme != "hmac-sha256":
		return nil, fmt.Errorf("signature_scheme %q: only hmac-sha256 is known", c.Scheme)
	case c.Key == "":
		return nil, errors.New("key: is empty, and unsigned messages are not accepted")
	case c.IP == "":
		return nil, errors.New("ip: is missing")
	case c.Transport == ipc && strings.HasPrefix(c.IP, "@"):
		return nil, fmt.Errorf("ip %q: anybody may open an abstract socket; give a path", c.IP)
	case strings.ContainsRune(c.IP, 0):
		return nil, fmt.Errorf("ip %q: has a zero byte", c.IP)
	}
	if c.Transport == tcp && c.IP != "*" && c.IP != "localhost" {
		if _, err := netip.ParseAddr(c.IP); err != nil {
			return nil, fmt.Errorf("ip %q: not an IP address", c.IP)
		}
	}
	seen := map[int]string{}
	for _, p := range c.ports() {
		switch {
		case p.number == nil:
			return nil, fmt.Errorf("%s: is missing", p.field)
		case *p.number < 0 || *p.number > 65535:
			return nil, fmt.Errorf("%s: %d is not between 0 and 65535", p.field, *p.number)
		case *p.number == 0: // one is chosen
		case seen[*p.number] != "":
			return nil, fmt.Errorf("%s: %d is also %s", p.field, *p.number, seen[*p.number])
		default:
			seen[*p.number] = p.field
		}
	}
	return c, nil
}

// write puts the ports of c, which may have been chosen here, into the file. Other fields stay.
func (c *connection) write(path string) (err error) {
	text, err := readBounded(path)
	if err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	for _, p := range c.ports() {
		all[p.field] = fmt.Append(nil, *p.number)
	}
	if text, err = json.MarshalIndent(all, "", "  "); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".connection-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
