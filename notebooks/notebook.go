package notebooks

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

const (
	nbformat      = 4
	nbformatMinor = 5 // the first with cell ids

	// maxFileSize is checked before a file is read. Notebooks with many pictures have some 50 MB.
	maxFileSize = 512 << 20
)

// Notebook is a notebook in nbformat 4.5.
type Notebook struct {
	Cells    []*Cell
	Metadata json.RawMessage // an object
	minor    int             // nbformat_minor, at least 5
}

// CellType is the kind of a cell, as nbformat writes it.
type CellType string

// The cell types of nbformat 4.
const (
	Code     CellType = "code"
	Markdown CellType = "markdown"
	Raw      CellType = "raw"
)

// Cell is one cell. ExecutionCount and Outputs belong to code cells.
type Cell struct {
	ID             string
	Type           CellType
	Source         string
	Metadata       json.RawMessage // an object
	Attachments    json.RawMessage // an object, or nil
	ExecutionCount int             // 0 if the cell has not run
	Outputs        []*Output
}

// Tagged reports whether the cell's metadata has this tag.
func (c *Cell) Tagged(tag string) bool {
	var metadata struct{ Tags []string }
	if json.Unmarshal(c.Metadata, &metadata) != nil {
		return false
	}
	for _, t := range metadata.Tags {
		if t == tag {
			return true
		}
	}
	return false
}

// FormatError says why a file is not a notebook that halfnote can run.
type FormatError struct {
	File string
	Line int // of the file, counted from 1; 0 if the whole file is meant
	Col  int
	Msg  string
}

func (e *FormatError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}

// ReadFile reads the notebook in a file. A file that is not a notebook for Go in nbformat 4 is a
// *FormatError.
func ReadFile(file string) (*Notebook, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &FormatError{File: file, Msg: "a folder, not a notebook"}
	}
	if info.Size() > maxFileSize {
		return nil, &FormatError{File: file, Msg: fmt.Sprintf(
			"%d MB, more than the %d MB a notebook may have", info.Size()>>20, maxFileSize>>20)}
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, src)
}

// Parse reads a notebook from src. File is its name in errors, which are a *FormatError. Cells
// without an id, or with one that another cell has or nbformat does not allow, get a new one.
func Parse(file string, src []byte) (*Notebook, error) {
	if err := checkJSON(file, src); err != nil {
		return nil, err
	}
	refuse := func(format string, args ...any) (*Notebook, error) {
		return nil, &FormatError{File: file, Msg: fmt.Sprintf(format, args...)}
	}
	var top struct {
		Cells    []json.RawMessage `json:"cells"`
		Metadata json.RawMessage   `json:"metadata"`
		Format   *int              `json:"nbformat"`
		Minor    int               `json:"nbformat_minor"`
	}
	if err := json.Unmarshal(src, &top); err != nil {
		return refuse("not a notebook: %s", jsonReason(err))
	}
	switch {
	case top.Format == nil:
		return refuse("not a notebook: no field nbformat")
	case *top.Format < nbformat:
		return refuse("nbformat %d is older than 4; convert it with "+
			"jupyter nbconvert --to notebook --nbformat 4 %s", *top.Format, file)
	case *top.Format > nbformat:
		return refuse("nbformat %d is newer than 4; save it as nbformat 4", *top.Format)
	case top.Cells == nil:
		return refuse("not a notebook: no field cells")
	}
	nb := &Notebook{Metadata: object(top.Metadata), minor: max(nbformatMinor, top.Minor)}
	if err := nb.checkLanguage(); err != nil {
		return refuse("%v", err)
	}
	for i, raw := range top.Cells {
		cell, err := parseCell(raw)
		if err != nil {
			return refuse("cells[%d]: %s", i, jsonReason(err))
		}
		nb.Cells = append(nb.Cells, cell)
	}
	nb.giveIDs()
	return nb, nil
}

// checkJSON finds the place of a syntax error.
func checkJSON(file string, src []byte) error {
	var any json.RawMessage
	err := json.Unmarshal(src, &any)
	var syntax *json.SyntaxError
	if err == nil {
		return nil
	}
	if len(bytes.TrimSpace(src)) == 0 {
		return &FormatError{File: file, Msg: "not JSON: the file is empty"}
	}
	if !errors.As(err, &syntax) {
		return &FormatError{File: file, Msg: "not JSON: " + jsonReason(err)}
	}
	before := src[:max(0, min(int(syntax.Offset)-1, len(src)))]
	return &FormatError{
		File: file,
		Line: 1 + bytes.Count(before, []byte("\n")),
		Col:  len(before) - bytes.LastIndexByte(before, '\n'),
		Msg:  "not JSON: " + jsonReason(err),
	}
}

func jsonReason(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Sprintf("field %s cannot be a JSON %s", wrong.Field, wrong.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// checkLanguage refuses a notebook that names another language than Go.
func (nb *Notebook) checkLanguage() error {
	var metadata struct {
		Kernelspec struct {
			Name     string `json:"name"`
			Language string `json:"language"`
		} `json:"kernelspec"`
		LanguageInfo struct {
			Name string `json:"name"`
		} `json:"language_info"`
	}
	if err := json.Unmarshal(nb.Metadata, &metadata); err != nil {
		return fmt.Errorf("metadata: %s", jsonReason(err))
	}
	kernel, language := metadata.Kernelspec.Name, metadata.LanguageInfo.Name
	if language == "" {
		language = metadata.Kernelspec.Language
	}
	switch {
	case strings.EqualFold(language, languageName):
		return nil
	case language == "" && (kernel == "" || kernel == kernelName):
		return nil
	case language == "":
		return fmt.Errorf("made for kernel %q, not for Go", kernel)
	case kernel == "":
		return fmt.Errorf("written in %s, not in Go", language)
	}
	return fmt.Errorf("made for kernel %q (%s), not for Go", kernel, language)
}

// cellJSON is a cell of a file, of any type.
type cellJSON struct {
	Type           CellType        `json:"cell_type"`
	ID             string          `json:"id"`
	Metadata       json.RawMessage `json:"metadata"`
	Attachments    json.RawMessage `json:"attachments"`
	Source         lines           `json:"source"`
	ExecutionCount *int            `json:"execution_count"`
	Outputs        []*Output       `json:"outputs"`
}

func parseCell(raw json.RawMessage) (*Cell, error) {
	var c cellJSON
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	cell := &Cell{
		ID: c.ID, Type: c.Type, Source: string(c.Source),
		Metadata: object(c.Metadata), Attachments: c.Attachments,
	}
	switch c.Type {
	case Code:
		cell.Outputs = c.Outputs
		if c.ExecutionCount != nil {
			cell.ExecutionCount = *c.ExecutionCount
		}
	case Markdown, Raw:
	case "":
		return nil, errors.New("no field cell_type")
	default:
		return nil, fmt.Errorf("cell type %q is none of code, markdown, raw", c.Type)
	}
	for _, part := range [...]struct {
		name string
		raw  json.RawMessage
	}{{"metadata", cell.Metadata}, {"attachments", cell.Attachments}} {
		if len(part.raw) > 0 && part.raw[0] != '{' {
			return nil, fmt.Errorf("field %s is not a JSON object", part.name)
		}
	}
	for i, out := range cell.Outputs {
		if err := out.check(); err != nil {
			return nil, fmt.Errorf("output %d: %w", i+1, err)
		}
	}
	return cell, nil
}

// object returns an empty object for a field that is not there.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}

var allowedID = regexp.MustCompile(`^[a-zA-Z0-9-_]{1,64}$`)

// giveIDs gives an id to each cell that has none of its own. It depends only on the cell's text and
// place, so that two runs of one file write the same.
func (nb *Notebook) giveIDs() {
	taken := map[string]bool{}
	var without []int
	for i, c := range nb.Cells {
		if taken[c.ID] || !allowedID.MatchString(c.ID) {
			without = append(without, i)
			continue
		}
		taken[c.ID] = true
	}
	for _, i := range without {
		c := nb.Cells[i]
		for n := 0; ; n++ {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", i, n, c.Source))
			c.ID = hex.EncodeToString(sum[:4])
			if !taken[c.ID] {
				break
			}
		}
		taken[c.ID] = true
	}
}
