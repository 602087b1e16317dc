package display

// This file implements the form of bundles in Jupyter's messages and files.

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Wire returns the bundle as Jupyter's messages and files carry it: each form is a string (source
// text, or base64 of a binary form) or a json.RawMessage, so that every encoder takes it. Neither
// map is nil. A form that JSON cannot hold is left out, and the text says why.
func (b Bundle) Wire() (data, metadata map[string]any) {
	b = withText(b)
	data, metadata = make(map[string]any, len(b.Data)), make(map[string]any, len(b.Metadata))
	var refused []string
	for _, mime := range slices.Sorted(maps.Keys(b.Data)) {
		form, err := wireForm(mime, b.Data[mime])
		if err != nil {
			refused = append(refused, fmt.Sprintf("(no %s: %v)", mime, err))
			continue
		}
		data[mime] = form
	}
	for _, key := range slices.Sorted(maps.Keys(b.Metadata)) {
		raw, err := encode(b.Metadata[key])
		if err != nil {
			refused = append(refused, fmt.Sprintf("(no metadata %s: %v)", key, err))
			continue
		}
		metadata[key] = raw
	}
	data[MIMEText] = strings.Join(append([]string{b.Text()}, refused...), "\n")
	return data, metadata
}

// IsText reports whether forms of this MIME type are text, which files keep line by line.
func IsText(mime string) bool {
	return strings.HasPrefix(mime, "text/") || mime == MIMESVG || mime == "application/javascript"
}

func isJSON(mime string) bool { return mime == MIMEJSON || strings.HasSuffix(mime, "+json") }

func wireForm(mime string, form any) (any, error) {
	if isJSON(mime) {
		if text, ok := form.(string); ok && !json.Valid([]byte(text)) {
			return text, nil // a JSON string is a JSON value, too
		}
		return rawJSON(form)
	}
	switch form := form.(type) {
	case string:
		return form, nil
	case []byte:
		if IsText(mime) {
			return string(form), nil
		}
		return base64.StdEncoding.EncodeToString(form), nil
	}
	if IsText(mime) {
		return Text(form), nil
	}
	return encode(form)
}

// rawJSON returns the JSON that v holds or that encoding/json makes of it.
func rawJSON(v any) (json.RawMessage, error) {
	var text []byte
	switch v := v.(type) {
	case string:
		text = []byte(v)
	case []byte:
		text = v
	case json.RawMessage:
		text = v
	default:
		return encode(v)
	}
	var raw bytes.Buffer
	if err := json.Compact(&raw, text); err != nil {
		return nil, err
	}
	if raw.Len() == 0 {
		return nil, errors.New("no JSON value")
	}
	return raw.Bytes(), nil
}

// encode is json.Marshal without HTML's escapes. A panic of v's own method is an error.
func encode(v any) (raw json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
