package notebooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"halfnote/repl/display"
)

// OutputType is the kind of an output, as nbformat writes it.
type OutputType string

// The output types of nbformat 4.
const (
	Stream        OutputType = "stream"
	DisplayData   OutputType = "display_data"
	ExecuteResult OutputType = "execute_result"
	Error         OutputType = "error"
)

// Output is one output of a code cell. Which fields are used depends on its type.
type Output struct {
	Type OutputType

	Name string // stream: stdout or stderr
	Text string // stream

	Data           map[string]json.RawMessage // display_data, execute_result: by MIME type
	Metadata       json.RawMessage            // display_data, execute_result: an object
	ExecutionCount int                        // execute_result

	EName     string   // error
	EValue    string   // error
	Traceback []string // error: lines with ANSI colours

	text strings.Builder // a stream that is being written
}

// form returns the text of one MIME type: source, base64 of a binary form, or an indented JSON
// value.
func (o *Output) form(mime string) (string, bool) {
	raw, ok := o.Data[mime]
	if !ok {
		return "", false
	}
	var text lines
	if json.Unmarshal(raw, &text) == nil {
		return string(text), true
	}
	var tree bytes.Buffer
	json.Indent(&tree, raw, "", "  ")
	return tree.String(), true
}

// setBundle stores a bundle in the form that files keep.
func (o *Output) setBundle(b display.Bundle) {
	data, metadata := b.Wire()
	o.Data = make(map[string]json.RawMessage, len(data))
	for mime, form := range data {
		if text, ok := form.(string); ok && display.IsText(mime) {
			form = lines(text)
		}
		o.Data[mime], _ = encode(form) // what Wire returns can be encoded
	}
	o.Metadata, _ = encode(metadata)
}

// The fields of each output type, in the alphabetical order in which Jupyter writes them.
type (
	streamJSON struct {
		Name string     `json:"name"`
		Type OutputType `json:"output_type"`
		Text lines      `json:"text"`
	}
	displayJSON struct {
		Data     map[string]json.RawMessage `json:"data"`
		Metadata json.RawMessage            `json:"metadata"`
		Type     OutputType                 `json:"output_type"`
	}
	resultJSON struct {
		Data           map[string]json.RawMessage `json:"data"`
		ExecutionCount *int                       `json:"execution_count"`
		Metadata       json.RawMessage            `json:"metadata"`
		Type           OutputType                 `json:"output_type"`
	}
	errorJSON struct {
		EName     string     `json:"ename"`
		EValue    string     `json:"evalue"`
		Type      OutputType `json:"output_type"`
		Traceback []string   `json:"traceback"`
	}
)

// MarshalJSON writes the fields of the output's type.
func (o *Output) MarshalJSON() ([]byte, error) {
	switch o.Type {
	case Stream:
		return encode(streamJSON{o.Name, o.Type, lines(o.Text)})
	case DisplayData:
		return encode(displayJSON{o.Data, object(o.Metadata), o.Type})
	case ExecuteResult:
		return encode(resultJSON{o.Data, count(o.ExecutionCount), object(o.Metadata), o.Type})
	case Error:
		traceback := o.Traceback
		if traceback == nil {
			traceback = []string{}
		}
		return encode(errorJSON{o.EName, o.EValue, o.Type, traceback})
	}
	return nil, fmt.Errorf("output type %q", o.Type)
}

// UnmarshalJSON reads an output of any type.
func (o *Output) UnmarshalJSON(src []byte) error {
	var all struct {
		Type           OutputType                 `json:"output_type"`
		Name           string                     `json:"name"`
		Text           lines                      `json:"text"`
		Data           map[string]json.RawMessage `json:"data"`
		Metadata       json.RawMessage            `json:"metadata"`
		ExecutionCount *int                       `json:"execution_count"`
		EName          string                     `json:"ename"`
		EValue         string                     `json:"evalue"`
		Traceback      []string                   `json:"traceback"`
	}
	if err := json.Unmarshal(src, &all); err != nil {
		return err
	}
	*o = Output{
		Type: all.Type, Name: all.Name, Text: string(all.Text),
		Data: all.Data, Metadata: all.Metadata,
		EName: all.EName, EValue: all.EValue, Traceback: all.Traceback,
	}
	if all.ExecutionCount != nil {
		o.ExecutionCount = *all.ExecutionCount
	}
	return nil
}

func (o *Output) check() error {
	if o == nil {
		return errors.New("null instead of an output")
	}
	switch o.Type {
	case Stream, Error:
		return nil
	case DisplayData, ExecuteResult:
		if o.Data == nil {
			o.Data = map[string]json.RawMessage{}
		}
		return nil
	case "":
		return errors.New("no field output_type")
	}
	return fmt.Errorf("output type %q is none of stream, display_data, execute_result, error",
		o.Type)
}
