package repl_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/repl"
)

func openHistory(t *testing.T, path string) *repl.History {
	t.Helper()
	h, err := repl.OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// inputs are entries as "session/line input".
func inputs(t *testing.T, entries []repl.HistoryEntry, err error) []string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, fmt.Sprintf("%d/%d %s", e.Session, e.Line, e.Input))
	}
	return list
}

// withHistory has three sessions: two ended ones, whose cells were typed in turn, and its own.
func withHistory(t *testing.T) *repl.History {
	path := filepath.Join(t.TempDir(), "dir", "history.jsonl")
	first, second := openHistory(t, path), openHistory(t, path)
	for i, input := range []string{"x := 1", "x", "for {\n\tx++\n}", "x"} {
		for _, h := range []*repl.History{first, second} {
			if err := h.Append(i+1, input, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	third := openHistory(t, path)
	if err := third.Append(1, `fmt.Println("ü*")`, "ü"); err != nil {
		t.Fatal(err)
	}
	if third.Session() != 3 {
		t.Fatalf("the third session has number %d", third.Session())
	}
	return third
}

func TestHistoryTail(t *testing.T) {
	h := withHistory(t)
	for n, want := range map[int][]string{
		-1: nil,
		0:  nil,
		1:  {"3/1 fmt.Println(\"ü*\")"},
		4:  {"2/2 x", "2/3 for {\n\tx++\n}", "2/4 x", "3/1 fmt.Println(\"ü*\")"},
	} {
		entries, err := h.Tail(n)
		if diff := cmp.Diff(want, inputs(t, entries, err)); diff != "" {
			t.Errorf("tail of %d (-want +got)\n%s", n, diff)
		}
	}
	entries, err := h.Tail(100)
	if len(entries) != 9 || err != nil || entries[8].Output != "ü" {
		t.Errorf("%d entries, %v, the last %v", len(entries), err, entries[len(entries)-1])
	}
}

func TestHistoryRange(t *testing.T) {
	h := withHistory(t)
	for _, test := range []struct {
		session, start, stop int
		want                 []string
	}{
		{0, 1, 0, []string{"3/1 fmt.Println(\"ü*\")"}},
		{0, 2, 0, nil},
		{-1, 2, 4, []string{"2/2 x", "2/3 for {\n\tx++\n}"}},
		{1, 4, 0, []string{"1/4 x"}},
		{1, 3, 3, nil},
		{7, 0, 0, nil},
		{-9, 0, 0, nil},
	} {
		entries, err := h.Range(test.session, test.start, test.stop)
		if diff := cmp.Diff(test.want, inputs(t, entries, err)); diff != "" {
			t.Errorf("%d/%d-%d (-want +got)\n%s", test.session, test.start, test.stop, diff)
		}
	}
}

func TestHistorySearch(t *testing.T) {
	h := withHistory(t)
	for _, test := range []struct {
		pattern string
		n       int
		unique  bool
		want    []string
	}{
		{"x", 0, false, []string{"1/2 x", "1/4 x", "2/2 x", "2/4 x"}},
		{"x", 3, false, []string{"1/4 x", "2/2 x", "2/4 x"}},
		{"x", 0, true, []string{"2/4 x"}},
		{"x*", 0, true, []string{"2/1 x := 1", "2/4 x"}},
		{"x*", 1, true, []string{"2/4 x"}},
		{"?", 1, false, []string{"2/4 x"}},
		{"for*x++*}", 0, true, []string{"2/3 for {\n\tx++\n}"}},
		{"*(\"????)", 0, false, nil},
		{"*(\"??\")", 0, false, []string{"3/1 fmt.Println(\"ü*\")"}},
		{"*ln*ü**", 0, false, []string{"3/1 fmt.Println(\"ü*\")"}},
		{"[x]", 0, false, nil},
		{"", 0, false, nil},
	} {
		entries, err := h.Search(test.pattern, test.n, test.unique)
		if diff := cmp.Diff(test.want, inputs(t, entries, err)); diff != "" {
			t.Errorf("%q, %d, %v (-want +got)\n%s", test.pattern, test.n, test.unique, diff)
		}
	}
}

// TestHistoryPrivate: nobody else can read what was typed.
func TestHistoryPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the person's folders are private there
	}
	dir := filepath.Join(t.TempDir(), "data")
	t.Setenv("XDG_DATA_HOME", dir)
	t.Setenv("HOME", dir)
	openHistory(t, "")
	found := 0
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if err == nil && info.Name() == "history.jsonl" {
			found++
		}
		return err
	})
	if err != nil || found != 1 {
		t.Errorf("%d histories, %v", found, err)
	}
}

// TestHistoryDamaged: lines that are no entries are passed over and stay; a line that was not ended
// harms no later one.
func TestHistoryDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	damaged := "nonsense\n\n{\"session\":1,\"line\":1,\"input\":\"a\"}\n" +
		"\x00\xff\n[1]\n{\"line\":3}\n" +
		"{\"session\":4,\"line\":2,\"input\":\"" + strings.Repeat("x", 9<<20) + "\"}\n" +
		"{\"session\":4,\"line\":1,\"inp"
	if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	h := openHistory(t, path)
	if err := h.Append(1, "b", ""); err != nil {
		t.Fatal(err)
	}
	entries, err := h.Tail(10)
	if diff := cmp.Diff([]string{"1/1 a", "2/1 b"}, inputs(t, entries, err)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), damaged+"\n") {
		t.Errorf("what was there has changed: %v", err)
	}
	if err := os.WriteFile(path+".session", []byte("??"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := openHistory(t, path).Session(); n != 3 {
		t.Errorf("without a number the next session is %d", n)
	}
}

// TestHistoryShortened: a file that has grown too large loses its older half.
func TestHistoryShortened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	h := openHistory(t, path)
	big := strings.Repeat("x", 1<<20-1)
	for i := range 20 {
		if err := h.Append(i+1, big, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Append(21, big+"xx", ""); err != nil {
		t.Fatal(err)
	}
	entries, err := h.Tail(100)
	if err != nil || len(entries) < 7 || len(entries) > 16 || entries[len(entries)-1].Line != 20 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	if files, _ := filepath.Glob(path + "*"); len(files) != 2 {
		t.Errorf("files %q", files)
	}
}

// TestHistoryInMemory: where no file can be made, the session still has its own history.
func TestHistoryInMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := repl.OpenHistory(filepath.Join(path, "history.jsonl"))
	if err == nil || !strings.HasSuffix(err.Error(), "; it ends with this session") {
		t.Errorf("error %v", err)
	}
	if err := h.Append(1, "x", strings.Repeat("ü", 100_000)); err != nil {
		t.Error(err)
	}
	entries, err := h.Range(0, 1, 0)
	if diff := cmp.Diff([]string{"1/1 x"}, inputs(t, entries, err)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := len(entries[0].Output); n > 66_000 {
		t.Errorf("an output of %d bytes is kept", n)
	}
}

// TestHistoryProcesses: several processes that write at once lose nothing, and each is a session.
func TestHistoryProcesses(t *testing.T) {
	const processes, cells = 4, 50
	if path := os.Getenv("HALFNOTE_TEST_HISTORY"); path != "" {
		h := openHistory(t, path)
		for i := range cells {
			if err := h.Append(i+1, strings.Repeat("x", 1000), ""); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	path := filepath.Join(t.TempDir(), "history.jsonl")
	var running []*exec.Cmd
	for range processes {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHistoryProcesses$")
		cmd.Env = append(os.Environ(), "HALFNOTE_TEST_HISTORY="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	h := openHistory(t, path)
	if n := h.Session(); n != processes+1 {
		t.Errorf("the next session is %d", n)
	}
	entries, err := h.Tail(processes*cells + 1)
	seen := map[string]bool{}
	for _, text := range inputs(t, entries, err) {
		seen[text] = true
	}
	if len(entries) != processes*cells || len(seen) != len(entries) {
		t.Errorf("%d entries, %d different ones", len(entries), len(seen))
	}
}

// TestSessionHistory: every cell that a person types is kept, also one that fails; silent ones and
// blank ones are not.
func TestSessionHistory(t *testing.T) {
	h := openHistory(t, filepath.Join(t.TempDir(), "history.jsonl"))
	s := repl.New(repl.Config{History: h})
	eval(t, s, "x := 6\nx * 7")
	eval(t, s, "y")
	eval(t, s, " \n")
	_, err := s.EvalWith(t.Context(), "x", &recorder{}, repl.EvalOptions{Silent: true})
	if err != nil {
		t.Fatal(err)
	}
	eval(t, s, "%help")
	entries, err := h.Range(0, 1, 0)
	want := []string{"1/1 x := 6\nx * 7", "1/2 y", "1/4 %help"}
	if diff := cmp.Diff(want, inputs(t, entries, err)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if entries[0].Output != "42" || entries[1].Output != "" {
		t.Errorf("outputs %q, %q", entries[0].Output, entries[1].Output)
	}
}

func BenchmarkHistoryAppend(b *testing.B) {
	h, err := repl.OpenHistory(filepath.Join(b.TempDir(), "history.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := h.Append(1, "x := 1", ""); err != nil {
			b.Fatal(err)
		}
	}
}
