package docs

import (
	"bytes"
	"compress/gzip"
	_ "embed" // for own.json.gz
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
)

// Packages are what the source of packages says: import path → name → entry. A package's own
// comment has the name "".
type Packages map[string]map[string]Entry

//go:embed own.json.gz
var ownData []byte

// own are the entries of this module's packages. They are unpacked when they are first asked for.
var own = sync.OnceValue(func() Packages {
	p, err := decode(ownData)
	if err != nil {
		panic(fmt.Sprintf("docs: own.json.gz: %v", err))
	}
	return p
})

// Own returns the entries of this module's packages, which are not to be changed.
func Own() Packages { return own() }

// Encode returns the entries as a file.
func (p Packages) Encode() ([]byte, error) {
	var buf bytes.Buffer
	zip, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	enc := json.NewEncoder(zip)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return nil, err
	}
	err = zip.Close()
	return buf.Bytes(), err
}

func decode(data []byte) (Packages, error) {
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		return nil, err
	}
	var p Packages
	err = json.Unmarshal(text, &p)
	return p, err
}

// Read returns the entries of the package whose source is in dir.
func Read(dir string) (map[string]Entry, error) {
	files, err := sourceFiles(dir)
	if err != nil {
		return nil, err
	}
	found := map[string]Entry{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		entries, err := entriesOf(file, text)
		if err != nil {
			return nil, err
		}
		for name, e := range entries {
			if e != (Entry{}) {
				found[name] = e
			}
		}
	}
	doc, err := packageDoc(files)
	if doc != "" {
		found[""] = Entry{Doc: doc}
	}
	return found, err
}
