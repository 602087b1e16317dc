package notebooks

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// What a notebook says about its kernel and language.
const (
	kernelName   = "halfnote"
	languageName = "go"
)

var ownMetadata = map[string]map[string]string{
	"kernelspec": {
		"display_name": "Go (halfnote)",
		"language":     languageName,
		"name":         kernelName,
	},
	"language_info": {
		"file_extension": ".go",
		"mimetype":       "text/x-go",
		"name":           languageName,
	},
}

// markRun names kernel and language in the metadata, as a Jupyter client does after a run. What
// already says the same, with more fields perhaps, stays as it is.
func (nb *Notebook) markRun() error {
	var metadata map[string]json.RawMessage
	if err := json.Unmarshal(nb.Metadata, &metadata); err != nil {
		return err
	}
	changed := false
	for name, own := range ownMetadata {
		var have map[string]any
		if json.Unmarshal(metadata[name], &have) == nil && have["name"] == own["name"] {
			continue
		}
		raw, err := encode(own)
		if err != nil {
			return err
		}
		metadata[name] = raw
		changed = true
	}
	if !changed {
		return nil
	}
	raw, err := encode(metadata)
	nb.Metadata = raw
	return err
}

// Bytes returns the notebook as Jupyter writes it: indented by one space, fields in alphabetical
// order, text split into lines, a newline at the end. So a diff shows only what has changed.
func (nb *Notebook) Bytes() ([]byte, error) {
	// Metadata stays in the order of the file it came from.
	compact, err := encode(struct {
		Cells    []*Cell         `json:"cells"`
		Metadata json.RawMessage `json:"metadata"`
		Format   int             `json:"nbformat"`
		Minor    int             `json:"nbformat_minor"`
	}{append([]*Cell{}, nb.Cells...), object(nb.Metadata), nbformat, max(nbformatMinor, nb.minor)})
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := json.Indent(&buf, compact, "", " "); err != nil {
		return nil, err
	}
	buf.WriteByte('\n')
	return buf.Bytes(), nil
}

// MarshalJSON writes the fields that a cell of this type has.
func (c *Cell) MarshalJSON() ([]byte, error) {
	if c.Type == Code {
		return encode(struct {
			Type           CellType        `json:"cell_type"`
			ExecutionCount *int            `json:"execution_count"`
			ID             string          `json:"id"`
			Metadata       json.RawMessage `json:"metadata"`
			Outputs        []*Output       `json:"outputs"`
			Source         lines           `json:"source"`
		}{
			c.Type, count(c.ExecutionCount), c.ID, object(c.Metadata),
			append([]*Output{}, c.Outputs...), lines(c.Source),
		})
	}
	return encode(struct {
		Attachments json.RawMessage `json:"attachments,omitempty"`
		Type        CellType        `json:"cell_type"`
		ID          string          `json:"id"`
		Metadata    json.RawMessage `json:"metadata"`
		Source      lines           `json:"source"`
	}{c.Attachments, c.Type, c.ID, object(c.Metadata), lines(c.Source)})
}

// count writes the number of a cell that has not run as null.
func count(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// lines is a text that files keep as a list of lines, each with its newline.
type lines string

// MarshalJSON writes the list.
func (l lines) MarshalJSON() ([]byte, error) {
	list := []string{}
	for line := range strings.Lines(string(l)) {
		list = append(list, line)
	}
	return encode(list)
}

// UnmarshalJSON reads a string or a list of strings.
func (l *lines) UnmarshalJSON(src []byte) error {
	if len(src) > 0 && src[0] == '[' {
		var list []string
		if err := json.Unmarshal(src, &list); err != nil {
			return err
		}
		*l = lines(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(src, (*string)(l))
}

// encode is json.Marshal that leaves <, > and & readable, as Jupyter does.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// WriteFile writes the notebook, complete or not at all; an existing file keeps its mode.
func (nb *Notebook) WriteFile(file string) error {
	return writeFile(file, nb.write)
}

func (nb *Notebook) write(w io.Writer) error {
	src, err := nb.Bytes()
	if err != nil {
		return err
	}
	_, err = w.Write(src)
	return err
}

// writeFile writes beside the file and renames, so that a reader never sees half of it.
func writeFile(file string, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	mode := os.FileMode(0o666) // less the umask
	info, statErr := os.Stat(file)
	if statErr == nil {
		if !info.Mode().IsRegular() {
			return writeInto(file, write)
		}
		mode = info.Mode().Perm()
	}
	beside := filepath.Join(filepath.Dir(file), ".halfnote-"+rand.Text())
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(beside)
		}
	}()
	err = write(f)
	if statErr == nil && err == nil {
		err = f.Chmod(mode)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(beside, file)
}

// writeInto writes to what cannot be replaced, such as /dev/stdout.
func writeInto(file string, write func(io.Writer) error) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
