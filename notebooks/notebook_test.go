package notebooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRefuses(t *testing.T) {
	const meta = `"metadata": {}, "nbformat": 4, "nbformat_minor": 5`
	for _, test := range []struct{ name, src, want string }{
		{"empty", "", "x.ipynb: not JSON: the file is empty"},
		{"text", "hello", "x.ipynb:1:1: not JSON: invalid character 'h' looking for beginning of value"},
		{"cut", "{\n \"cells\": [\n", "x.ipynb:2:12: not JSON: unexpected end of JSON input"},
		{"syntax", "{\n \"cells\": [,]\n}",
			"x.ipynb:2:12: not JSON: invalid character ',' looking for beginning of value"},
		{"two", "{} {}", "x.ipynb:1:4: not JSON: invalid character '{' after top-level value"},
		{"array", "[]", "x.ipynb: not a notebook: cannot unmarshal array"},
		{"other_json", `{"a": 1}`, "x.ipynb: not a notebook: no field nbformat"},
		{"no_cells", `{` + meta + `}`, "x.ipynb: not a notebook: no field cells"},
		{"old", `{"nbformat": 3, "worksheets": []}`, "x.ipynb: nbformat 3 is older than 4; " +
			"convert it with jupyter nbconvert --to notebook --nbformat 4 x.ipynb"},
		{"new", `{"nbformat": 5, "cells": []}`, "x.ipynb: nbformat 5 is newer than 4"},
		{"python", `{"cells": [], "metadata": {"kernelspec": {"name": "python3"},
			"language_info": {"name": "python"}}, "nbformat": 4}`,
			`x.ipynb: made for kernel "python3" (python), not for Go`},
		{"rust", `{"cells": [], "metadata": {"language_info": {"name": "rust"}}, "nbformat": 4}`,
			"x.ipynb: written in rust, not in Go"},
		{"kernel", `{"cells": [], "metadata": {"kernelspec": {"name": "ir"}}, "nbformat": 4}`,
			`x.ipynb: made for kernel "ir", not for Go`},
		{"metadata", `{"cells": [], "metadata": 1, "nbformat": 4}`, "x.ipynb: metadata: "},
		{"cell_type", `{"cells": [{"cell_type": "heading"}], ` + meta + `}`,
			`x.ipynb: cells[0]: cell type "heading" is none of code, markdown, raw`},
		{"no_type", `{"cells": [{}], ` + meta + `}`, "x.ipynb: cells[0]: no field cell_type"},
		{"source", `{"cells": [{"cell_type": "code", "source": 3}], ` + meta + `}`,
			"x.ipynb: cells[0]: "},
		{"cell_metadata", `{"cells": [{"cell_type": "code", "metadata": []}], ` + meta + `}`,
			"x.ipynb: cells[0]: field metadata is not a JSON object"},
		{"output", `{"cells": [{"cell_type": "code", "outputs": [{"output_type": "pyout"}]}], ` +
			meta + `}`, `x.ipynb: cells[0]: output 1: output type "pyout" is none of stream,`},
		{"null_output", `{"cells": [{"cell_type": "code", "outputs": [null]}], ` + meta + `}`,
			"x.ipynb: cells[0]: output 1: null"},
		{"nbformat_type", `{"cells": [], "nbformat": "4"}`,
			"x.ipynb: not a notebook: field nbformat cannot be a JSON string"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("x.ipynb", []byte(test.src))
			var format *FormatError
			if !errors.As(err, &format) {
				t.Fatalf("error %v", err)
			}
			if !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
		})
	}
}

func TestParseAcceptsOtherGoKernels(t *testing.T) {
	for _, meta := range []string{
		`{}`, `{"kernelspec": {"name": "halfnote"}}`,
		`{"kernelspec": {"name": "gophernotes", "language": "go"}}`,
		`{"language_info": {"name": "go", "version": "1.26"}}`,
	} {
		src := fmt.Appendf(nil, `{"cells":[],"metadata":%s,"nbformat":4}`, meta)
		if _, err := Parse("x", src); err != nil {
			t.Errorf("%s: %v", meta, err)
		}
	}
}

// TestKeepsWhatItDoesNotKnow: a notebook as Jupyter writes it comes back byte for byte.
func TestKeepsWhatItDoesNotKnow(t *testing.T) {
	src, err := os.ReadFile("testdata/kept.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	nb, err := Parse("kept.ipynb", src)
	if err != nil {
		t.Fatal(err)
	}
	got, err := nb.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(src), string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCellIDs(t *testing.T) {
	const src = `{"cells": [
		{"cell_type": "code", "source": "1"},
		{"cell_type": "code", "source": "2", "id": "a"},
		{"cell_type": "code", "source": "3", "id": "a"},
		{"cell_type": "code", "source": "4", "id": "not allowed"}
	], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}`
	var first []string
	for range 2 {
		nb, err := Parse("x", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		seen := map[string]bool{}
		for _, c := range nb.Cells {
			if !allowedID.MatchString(c.ID) || seen[c.ID] {
				t.Errorf("id %q", c.ID)
			}
			seen[c.ID] = true
			ids = append(ids, c.ID)
		}
		if ids[1] != "a" {
			t.Errorf("the first a became %s", ids[1])
		}
		if first != nil && !cmp.Equal(first, ids) {
			t.Errorf("ids differ from run to run: %v, %v", first, ids)
		}
		first = ids
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadFile(filepath.Join(dir, "none.ipynb")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	_, err := ReadFile(dir)
	if err == nil || !strings.HasSuffix(err.Error(), "a folder, not a notebook") {
		t.Errorf("folder: %v", err)
	}
	big := filepath.Join(dir, "big.ipynb")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, maxFileSize+1); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(big); err == nil || !strings.Contains(err.Error(), "more than the 512 MB") {
		t.Errorf("big file: %v", err)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.ipynb")
	link := filepath.Join(dir, "link.ipynb")
	if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o640); err != nil { // whatever the umask
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	nb := &Notebook{Cells: []*Cell{{Type: Code, ID: "a", Source: "1\n2"}}}
	if err := nb.WriteFile(link); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(file); err != nil {
		t.Errorf("the link's target: %v", err)
	}
	info, err := os.Lstat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}

	before, _ := os.ReadFile(file)
	bad := &Notebook{Cells: []*Cell{{Type: Code, Outputs: []*Output{{Type: "x"}}}}}
	if err := bad.WriteFile(file); err == nil {
		t.Error("no error for an output without a type")
	}
	after, _ := os.ReadFile(file)
	if string(before) != string(after) {
		t.Error("a write that failed has changed the file")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
	long := filepath.Join(dir, strings.Repeat("x", 249)+".ipynb") // the longest name there is
	if err := nb.WriteFile(long); err != nil {
		t.Error(err)
	}
}

// valid checks what nbformat 4.5's schema asks of a notebook that this package writes.
func valid(t *testing.T, src []byte) {
	t.Helper()
	var nb struct {
		Cells         []map[string]any `json:"cells"`
		Metadata      map[string]any   `json:"metadata"`
		Nbformat      int              `json:"nbformat"`
		NbformatMinor int              `json:"nbformat_minor"`
	}
	if err := json.Unmarshal(src, &nb); err != nil {
		t.Fatal(err)
	}
	if nb.Nbformat != 4 || nb.NbformatMinor < 5 || nb.Metadata == nil || nb.Cells == nil {
		t.Errorf("top level: %d.%d", nb.Nbformat, nb.NbformatMinor)
	}
	fields := map[string]string{
		"code":           "cell_type execution_count id metadata outputs source",
		"markdown":       "attachments? cell_type id metadata source",
		"raw":            "attachments? cell_type id metadata source",
		"stream":         "name output_type text",
		"display_data":   "data metadata output_type",
		"execute_result": "data execution_count metadata output_type",
		"error":          "ename evalue output_type traceback",
	}
	check := func(what string, object map[string]any, kind any) {
		allowed := map[string]bool{}
		for _, f := range strings.Fields(fields[fmt.Sprint(kind)]) {
			name, optional := strings.CutSuffix(f, "?")
			allowed[name] = true
			if _, ok := object[name]; !ok && !optional {
				t.Errorf("%s has no field %s", what, name)
			}
		}
		for name := range object {
			if !allowed[name] {
				t.Errorf("%s has a field %s", what, name)
			}
		}
		if m, ok := object["metadata"]; ok {
			if _, ok := m.(map[string]any); !ok {
				t.Errorf("%s has metadata %v", what, m)
			}
		}
		for _, name := range []string{"source", "text", "traceback"} {
			if v, ok := object[name]; ok {
				if _, ok := v.([]any); !ok {
					t.Errorf("%s has %s %T", what, name, v)
				}
			}
		}
	}
	for i, c := range nb.Cells {
		what := fmt.Sprintf("cell %d", i+1)
		check(what, c, c["cell_type"])
		outputs, _ := c["outputs"].([]any)
		for _, o := range outputs {
			o := o.(map[string]any)
			check(what+": output", o, o["output_type"])
			if data, ok := o["data"].(map[string]any); ok && data["text/plain"] == nil {
				t.Errorf("%s: data without text/plain", what)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	src, err := os.ReadFile("testdata/kept.ipynb")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src)
	f.Add([]byte(`{"cells":[{"cell_type":"code","outputs":[{"output_type":"error"}]}],"nbformat":4}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		nb, err := Parse("x", src)
		if err != nil {
			return
		}
		out, err := nb.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("x", out)
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%s", err, out)
		}
		if out2, err := again.Bytes(); err != nil || string(out2) != string(out) {
			t.Errorf("written twice, %v:\n%s\n%s", err, out, out2)
		}
		if err := nb.WriteHTML(new(strings.Builder)); err != nil {
			t.Error(err)
		}
	})
}
