package repl

// This file implements what was typed, of this session and of earlier ones.

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Limits of the history.
const (
	maxHistory = 16 << 20 // bytes of the file; beyond it the older half is dropped
	maxInput   = 1 << 20  // bytes of a cell that is kept; larger ones are not
	maxOutput  = 64 << 10 // bytes of a result that are kept
	maxLine    = 8 << 20  // bytes of a line that is read: a cell and its result, escaped
)

// A HistoryEntry is a cell that was typed and the text of its result, if it had one.
type HistoryEntry struct {
	Session int    `json:"session"`
	Line    int    `json:"line"` // n of In [n]
	Input   string `json:"input"`
	Output  string `json:"output,omitempty"`
}

// A History is what was typed in all sessions of a person, kept in a file that nobody else can
// read, a line of JSON for each cell. Several processes may use the file at once. The methods may
// be called by several goroutines.
type History struct {
	session int

	mu   sync.Mutex
	path string // "" where the history lives in memory
	kept []HistoryEntry
	size int // of what is kept in memory
}

// OpenHistory opens the history in the file at path, which is made if it is not there; an empty
// path is the person's own, in the folder for data of programs. The history is never nil: where
// the error says that the file cannot be used, it lives in memory.
func OpenHistory(path string) (*History, error) {
	h := &History{session: 1}
	if runtime.GOOS == "js" {
		return h, nil
	}
	if err := h.open(path); err != nil {
		return h, fmt.Errorf("history: %w; it ends with this session", err)
	}
	return h, nil
}

func (h *History) open(path string) error {
	if path == "" {
		var err error
		if path, err = HistoryPath(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// Both files are to be private from their first byte on.
	for _, name := range []string{path, counterPath(path)} {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	session := 0
	err := lockedfile.Transform(counterPath(path), func(last []byte) ([]byte, error) {
		n, err := strconv.Atoi(strings.TrimSpace(string(last)))
		if err != nil || n < 0 { // new or damaged
			if n, err = lastSession(path); err != nil {
				return nil, err
			}
		}
		session = n + 1
		return fmt.Appendln(nil, session), nil
	})
	if err != nil {
		return err
	}
	h.path, h.session = path, session
	return nil
}

// counterPath is the file with the number of the newest session. Who changes the history holds its
// lock.
func counterPath(path string) string { return path + ".session" }

// HistoryPath is the file of the person's own history.
func HistoryPath() (string, error) {
	dir, err := dataDir()
	return filepath.Join(dir, "halfnote", "history.jsonl"), err
}

// dataDir is the folder in which programs keep a person's data.
func dataDir() (string, error) {
	switch runtime.GOOS {
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return dir, nil
		}
		return "", errors.New("%LocalAppData% is not set")
	case "darwin", "ios":
		home, err := os.UserHomeDir()
		return filepath.Join(home, "Library", "Application Support"), err
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}

// Session is the number of this session, which no other one in the history has.
func (h *History) Session() int { return h.session }

// Append adds a cell of this session. One that is larger than a person types is not kept, and of a
// long result only the beginning.
func (h *History) Append(line int, input, output string) error {
	if len(input) > maxInput {
		return nil
	}
	if len(output) > maxOutput {
		cut := maxOutput
		for !utf8.RuneStart(output[cut]) {
			cut--
		}
		output = output[:cut] + "…"
	}
	e := HistoryEntry{h.session, line, input, output}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.path == "" {
		h.keep(e)
		return nil
	}
	if err := h.write(e); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	return nil
}

// keep adds e to memory, which is bounded as the file is.
func (h *History) keep(e HistoryEntry) {
	h.kept = append(h.kept, e)
	h.size += len(e.Input) + len(e.Output)
	if h.size <= maxHistory {
		return
	}
	drop := 0
	for ; h.size > maxHistory/2; drop++ {
		h.size -= len(h.kept[drop].Input) + len(h.kept[drop].Output)
	}
	h.kept = slices.Clone(h.kept[drop:])
}

// write adds e to the file.
func (h *History) write(e HistoryEntry) (err error) {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	lock, err := lockedfile.Edit(counterPath(h.path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	// Opened anew, for another process may have put a shorter one in its place.
	f, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if size > 0 { // end the line of a process that died while it wrote
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			text = append([]byte{'\n'}, text...)
		}
	}
	if _, err := f.Write(append(text, '\n')); err != nil {
		return err
	}
	if size > maxHistory {
		return shorten(f)
	}
	return nil
}

// shorten puts a file with the newer half in the place of f. The caller holds the lock.
func shorten(f *os.File) error {
	if _, err := f.Seek(-maxHistory/2, io.SeekEnd); err != nil {
		return err
	}
	r := bufio.NewReader(f)
	if _, err := r.ReadString('\n'); err != nil && err != io.EOF { // the rest of a line
		return err
	}
	beside, err := os.CreateTemp(filepath.Dir(f.Name()), filepath.Base(f.Name())+".*") // is 0600
	if err != nil {
		return err
	}
	_, err = io.Copy(beside, r)
	if err = errors.Join(err, beside.Close()); err == nil {
		err = os.Rename(beside.Name(), f.Name())
	}
	if err != nil {
		return errors.Join(err, os.Remove(beside.Name()))
	}
	return nil
}

// all yields every entry, in the order in which they were added.
func (h *History) all(yield func(HistoryEntry)) error {
	h.mu.Lock()
	path, kept := h.path, h.kept
	h.mu.Unlock()
	if path == "" {
		for _, e := range kept {
			yield(e)
		}
		return nil
	}
	if err := readHistory(path, yield); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	return nil
}

// readHistory yields the entries of a file but for damaged lines, among them those too long to be
// ours.
func readHistory(path string, yield func(HistoryEntry)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch err {
		case nil, io.EOF:
		case bufio.ErrBufferFull:
			continue
		default:
			return err
		}
		var e HistoryEntry
		if !long && json.Unmarshal(line, &e) == nil && e.Session > 0 {
			yield(e)
		}
		if err == io.EOF {
			return nil
		}
		line, long = line[:0], false
	}
}

// lastSession is the highest number of a session in the file.
func lastSession(path string) (int, error) {
	last := 0
	err := readHistory(path, func(e HistoryEntry) { last = max(last, e.Session) })
	return last, err
}

// Tail returns the newest n entries, oldest first. The order is that of sessions, and of cells in
// each.
func (h *History) Tail(n int) ([]HistoryEntry, error) {
	return h.newest(n, func(HistoryEntry) bool { return true })
}

// Search returns the newest n entries whose whole input, of any number of lines, matches pattern,
// oldest first; all of them where n is 0. In the pattern * stands for any text and ? for any
// character. With unique, only the last of equal inputs counts.
func (h *History) Search(pattern string, n int, unique bool) ([]HistoryEntry, error) {
	if n <= 0 {
		n = maxHistory // there are not so many
	}
	if !unique {
		return h.newest(n, func(e HistoryEntry) bool { return glob(pattern, e.Input) })
	}
	last := map[string]HistoryEntry{}
	err := h.all(func(e HistoryEntry) {
		if old, ok := last[e.Input]; (!ok || byLine(old, e) <= 0) && glob(pattern, e.Input) {
			last[e.Input] = e
		}
	})
	found := make([]HistoryEntry, 0, len(last))
	for _, e := range last {
		found = append(found, e)
	}
	slices.SortFunc(found, byLine)
	return found[max(0, len(found)-n):], err
}

// Range returns the entries of one session from line start to the one before stop; a stop of 0 is
// the end. Session 0 is this one, -1 the one before, and so on; other numbers are as they stand in
// entries.
func (h *History) Range(session, start, stop int) ([]HistoryEntry, error) {
	if session <= 0 {
		session += h.session
	}
	var found []HistoryEntry
	err := h.all(func(e HistoryEntry) {
		if e.Session == session && e.Line >= start && (stop == 0 || e.Line < stop) {
			found = append(found, e)
		}
	})
	slices.SortStableFunc(found, byLine)
	return found, err
}

// newest returns the last n entries that match, in order.
func (h *History) newest(n int, match func(HistoryEntry) bool) ([]HistoryEntry, error) {
	n = max(n, 0)
	var found []HistoryEntry
	trim := func() {
		slices.SortStableFunc(found, byLine)
		found = slices.Delete(found, 0, max(0, len(found)-n))
	}
	err := h.all(func(e HistoryEntry) {
		if !match(e) {
			return
		}
		if found = append(found, e); len(found) > 2*n+1000 {
			trim()
		}
	})
	trim()
	return found, err
}

func byLine(a, b HistoryEntry) int {
	return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Line, b.Line))
}

// glob reports whether all of text matches pattern.
func glob(pattern, text string) bool {
	p, t := 0, 0
	star, from := -1, 0 // the last * and where in text it ends for now
	for t < len(text) {
		_, size := utf8.DecodeRuneInString(text[t:])
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
			continue
		case p < len(pattern) && pattern[p] == '?':
			p, t = p+1, t+size
			continue
		case p < len(pattern) && strings.HasPrefix(pattern[p:], text[t:t+size]):
			p, t = p+size, t+size
			continue
		case star < 0:
			return false
		}
		_, size = utf8.DecodeRuneInString(text[from:])
		from += size
		p, t = star+1, from
	}
	return strings.Trim(pattern[min(p, len(pattern)):], "*") == ""
}
