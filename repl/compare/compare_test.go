package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTaken(t *testing.T) {
	for name, test := range map[string]struct {
		src      string
		all, run bool
	}{
		"run":           {"// run\n\npackage main\n", true, true},
		"arguments":     {"// run -race\n\npackage main\n", true, false},
		"other action":  {"// errorcheck\n\npackage main\n", true, false},
		"no action":     {"package main\n", true, false},
		"not first":     {"// Copyright\n// run\n\npackage main\n", true, false},
		"other package": {"// run\n\npackage p\n", false, false},
		"constraint":    {"// run\n\n//go:build linux\n\npackage main\n", false, false},
		"old form":      {"// run\n\n// +build linux\n\npackage main\n", false, false},
		"spoken of":     {"// run\n\n// a //go:build line\n\npackage main\n", true, true},
		"no Go":         {"// run\n\nmain package\n", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := taken(test.src, true); got != test.all {
				t.Errorf("of all: %v", got)
			}
			if got := taken(test.src, false); got != test.run {
				t.Errorf("of those to run: %v", got)
			}
		})
	}
}

func TestPrograms(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	write(t, dir, "b.go", "// run\n\npackage main\n")
	write(t, dir, "b.out", "b\n")
	write(t, dir, "a.go", "// run\n\npackage main\n")
	write(t, dir, "a_test.go", "// run\n\npackage main\n")
	write(t, dir, "c.go", "package main\n")
	write(t, filepath.Join(dir, "d.go"), "e.go", "// run\n\npackage main\n")
	found, err := programs(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range found {
		got = append(got, p.name())
	}
	if diff := cmp.Diff([]string{"p/a.go", "p/b.go"}, got); diff != "" {
		t.Fatalf("wanted - got +\n%s", diff)
	}
	if got := []string{*found[0].want, *found[1].want}; got[0] != "" || got[1] != "b\n" {
		t.Errorf("wanted outputs: %q", got)
	}
	if all, err := programs(dir, true); err != nil || len(all) != 3 || all[2].want != nil {
		t.Errorf("all: %+v, %v", all, err)
	}
	other := program{dir: filepath.Join(t.TempDir(), "p"), file: "a.go"}
	if err := distinct(append(found, other)); err == nil {
		t.Error("two programs of one name are not told")
	}
}

func TestJudge(t *testing.T) {
	text := func(s string) *string { return &s }
	most := limit{10 * time.Second, 2 << 30}
	const crash = "fatal error: all goroutines are asleep\n\ngoroutine 1 [select]:\nmain.main()\n"
	for name, test := range map[string]struct {
		did  ended
		want wanted
		kind kind
		line string
	}{
		"any output":   {ended{output: "x\n"}, wanted{}, "", ""},
		"its output":   {ended{output: "x\n"}, wanted{output: text("x\n")}, "", ""},
		"other output": {ended{output: "x\ny\n"}, wanted{output: text("x\nz\n")}, output, `line 2: "y\n", want "z\n"`},
		"less output":  {ended{}, wanted{output: text("x\n")}, output, `line 1: "", want "x\n"`},
		"failed": {ended{output: "\nbad\n", exit: 1}, wanted{output: text("x\n")}, exit,
			"exit status 1: bad"},
		"did not fail": {ended{output: "x\n"}, wanted{output: text("x\nexit status 3\n"), fails: true}, exit,
			"exit status 0: x"},
		"late":   {ended{exit: -1, late: true}, wanted{}, late, "not ended after 10s"},
		"memory": {ended{memory: 3 << 30}, wanted{}, memory, "3072 MiB"},
		"refused": {ended{output: "x\na.go:1:2: halfnote cannot run this yet\n", exit: 1}, wanted{}, refused,
			"a.go:1:2: halfnote cannot run this yet"},
		"refused where Go fails": {ended{output: "halfnote cannot run this yet\n", exit: 1},
			wanted{output: text("x\n"), fails: true}, refused, "halfnote cannot run this yet"},
		"speaks of a refusal": {ended{output: "halfnote cannot run this yet\n"}, wanted{}, "", ""},
		"signal":              {ended{exit: -1}, wanted{}, internal, "ended by a signal: no output"},
		"crash":               {ended{output: crash, exit: 2}, wanted{}, internal, "fatal error: all goroutines are asleep"},
		"fault": {ended{output: "internal error: x\n", exit: 1}, wanted{}, internal,
			"internal error: x"},
		"panic": {ended{output: "x\na.go:3:2: panic: sorry\n    panic(s)\n", exit: 1},
			wanted{output: text("x\n"), fails: true, dies: true, panics: "sorry"}, "", ""},
		"other panic": {ended{output: "x\na.go:3:2: panic: sorry\n", exit: 1},
			wanted{output: text("x\n"), fails: true, dies: true, panics: "glad"}, output,
			`no panic "glad" in "a.go:3:2: panic: sorry"`},
		"panic too early": {ended{output: "a.go:3:2: panic: sorry\n", exit: 1},
			wanted{output: text("x\n"), fails: true, dies: true, panics: "sorry"}, output,
			`line 1: "a.", want "x\n"`},
	} {
		t.Run(name, func(t *testing.T) {
			k, line := judge(test.did, test.want, most)
			if k != test.kind || line != test.line {
				t.Errorf("%q, %q; want %q, %q", k, line, test.kind, test.line)
			}
		})
	}
}

func TestAsGoRun(t *testing.T) {
	const trace = "\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/a.go:4 +0x18\n"
	for name, test := range map[string]struct {
		did         ended
		output      string
		fails, dies bool
		panics      string
	}{
		"success": {did: ended{output: "x\n"}, output: "x\n"},
		"status":  {did: ended{output: "x\n", exit: 3}, output: "x\nexit status 3\n", fails: true},
		"panic": {did: ended{output: "x\npanic: sorry\n" + trace, exit: 2},
			output: "x\n", fails: true, dies: true, panics: "sorry"},
		"panic again": {did: ended{output: "panic: sorry [recovered, repanicked]\n" + trace, exit: 2},
			fails: true, dies: true, panics: "sorry"},
		"panic with an address": {did: ended{output: "panic: (main.T) 0xc0000\n" + trace, exit: 2},
			fails: true, dies: true},
		"prints a panic": {did: ended{output: "panic: sorry\n", exit: 1},
			output: "panic: sorry\nexit status 1\n", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			got := asGoRun(test.did)
			if *got.output != test.output || got.fails != test.fails || got.dies != test.dies ||
				got.panics != test.panics {
				t.Errorf("%q, %+v", *got.output, got)
			}
		})
	}
}

func TestTable(t *testing.T) {
	const text = "# head\n\n a/b.go  time a reason of  words\na/a.go exit ?\n"
	rows, err := readTable(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []row{{"a/b.go", late, "a reason of words"}, {"a/a.go", exit, noReason}}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(row{})); diff != "" {
		t.Fatalf("wanted - got +\n%s", diff)
	}
	var b bytes.Buffer
	if err := writeTable(&b, rows); err != nil {
		t.Fatal(err)
	}
	sorted, err := readTable(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]row{want[1], want[0]}, sorted, cmp.AllowUnexported(row{})); diff != "" {
		t.Fatalf("written: wanted - got +\n%s", diff)
	}
	for text, msg := range map[string]string{
		"a.go exit":                  "line 1: want a program, a kind and a reason",
		"\na.go wrong ?":             `line 2: no kind of failure is "wrong"`,
		"a.go exit ?\na.go output ?": "line 2: a.go has a row already",
	} {
		if _, err := readTable(strings.NewReader(text)); err == nil || err.Error() != msg {
			t.Errorf("%q: %v, want %s", text, err, msg)
		}
	}
}

// TestUpdated: what a run changes in the table.
func TestUpdated(t *testing.T) {
	rows := []row{
		{"d/fails.go", exit, "for a reason"},
		{"d/passes.go", exit, "was slow"},
		{"d/otherwise.go", late, "takes long"},
		{"d/notjudged.go", output, "prints an address"},
		{"d/notrun.go", refused, "has no reflect"},
		{"d/slow.go", late, "has a long loop"},
		{"d/faster.go", late, "had a long loop"},
	}
	var results []result
	for file, k := range map[string]kind{
		"fails.go": exit, "passes.go": "", "otherwise.go": output, "notjudged.go": "", "new.go": memory,
		"good.go": "", "slow.go": "", "faster.go": "",
	} {
		res := result{program: program{dir: "/d", file: file}, kind: k}
		if file == "slow.go" {
			res.slow = time.Second
		}
		results = append(results, res)
	}
	got := updated(rows, results, func(p program) bool { return p.file != "notjudged.go" })
	var text bytes.Buffer
	if err := writeTable(&text, got); err != nil {
		t.Fatal(err)
	}
	const want = tableHead + `d/fails.go                           exit     for a reason
d/new.go                             memory   ?
d/notjudged.go                       output   prints an address
d/notrun.go                          refused  has no reflect
d/otherwise.go                       output   ?
d/slow.go                            time     has a long loop
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("wanted - got +\n%s", diff)
	}
}

// TestFailures: the table of this folder is as it would be written.
func TestFailures(t *testing.T) {
	data, err := os.ReadFile("failures.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readTable(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := writeTable(&b, rows); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(data)); diff != "" {
		t.Errorf("wanted - got +\n%s", diff)
	}
}

// TestMain makes this test's own process stand in for halfnote where it is run as such.
func TestMain(m *testing.M) {
	if os.Getenv("HALFNOTE_STANDS_IN") == "" {
		os.Exit(m.Run())
	}
	standIn(os.Args[len(os.Args)-1])
}

// standIn does what a program's name says.
func standIn(program string) {
	switch program {
	case "fine.go", "wrong.go":
		fmt.Print("out\n")
		fmt.Fprint(os.Stderr, "err\n")
		fmt.Print("out again\n")
	case "starts.go":
		cmd := exec.Command(os.Args[0], "hangs.go")
		cmd.Stdout = os.Stdout
		cmd.Run()
	case "hangs.go":
		time.Sleep(time.Hour)
	case "dies.go":
		panic("sorry")
	case "fails.go":
		fmt.Println("bad")
		os.Exit(1)
	}
}

// TestRun: what does not end is ended, and all that it has started.
func TestRun(t *testing.T) {
	t.Setenv("HALFNOTE_STANDS_IN", "yes")
	for _, program := range []string{"hangs.go", "starts.go"} {
		did, err := run(t.Context(), 50*time.Millisecond, ".", executable(t), "run", program)
		if err != nil || !did.late {
			t.Errorf("%s: %+v, %v", program, did, err)
		}
	}
	did, err := run(t.Context(), time.Minute, ".", executable(t), "run", "fails.go")
	if err != nil || did.late || did.exit != 1 || did.output != "bad\n" {
		t.Errorf("%+v, %v", did, err)
	}
	if _, err := run(t.Context(), time.Minute, ".", "no such program"); err == nil {
		t.Error("no error for a program that is not there")
	}
}

func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReport runs all of it on a folder, with a stand-in for halfnote.
func TestReport(t *testing.T) {
	t.Setenv("HALFNOTE_STANDS_IN", "yes")
	work := t.TempDir()
	c := config{
		halfnote: executable(t), table: filepath.Join(work, "failures.txt"),
		all: true, jobs: 4, most: limit{time.Minute, 2 << 30},
	}
	dir := filepath.Join(work, "p")
	for file, out := range map[string]string{
		"fine": "out\nerr\nout again\n", "wrong": "out\n", "dies": "", "fails": "",
	} {
		write(t, dir, file+".go", "package main\n")
		write(t, dir, file+".out", out)
	}
	write(t, work, "failures.txt", "p/fails.go exit it fails\np/fine.go exit it failed\n")
	ok, report := c.try(t, dir)
	if ok {
		t.Error("ok, with failures that the table has not")
	}
	const want = `p/dies.go: internal, not in the table
	panic: sorry
p/fails.go: exit, known: it fails
	exit status 1: bad
p/wrong.go: output, not in the table
	line 2: "err\n", want ""
p/fine.go: passes now, in the table as exit

  folder  passed  taken  output  exit  time  memory  refused  internal
       p       1      4       1     1     0       0        0         1

2 failures are not in the table
1 row of the table passes now
`
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("wanted - got +\n%s", diff)
	}
	c.update = true
	if ok, _ := c.try(t, dir); !ok {
		t.Error("not ok, with an update")
	}
	c.update = false
	if ok, report := c.try(t, dir); !ok {
		t.Errorf("not ok after an update:\n%s", report)
	}
	c.strict = true
	if ok, _ := c.try(t, dir); ok {
		t.Error("ok, with rows without a reason")
	}
}

// try runs the program on a folder.
func (c config) try(t *testing.T, dir string) (ok bool, report string) {
	t.Helper()
	var b strings.Builder
	ok, err := c.main(t.Context(), &b, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	return ok, b.String()
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestInGo: what Go wants of programs.
func TestInGo(t *testing.T) {
	for name, test := range map[string]struct {
		body   string
		want   wanted
		output string
		same   bool
	}{
		"ends":    {`println("x")`, wanted{}, "x\n", true},
		"exits":   {`println("x"); os.Exit(3)`, wanted{fails: true}, "x\nexit status 3\n", true},
		"panics":  {`println("x"); panic("sorry")`, wanted{fails: true, dies: true, panics: "sorry"}, "x\n", true},
		"changes": {`println(os.Getpid())`, wanted{}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "a.go", "package main\n\nimport \"os\"\n\nvar _ = os.Args\n\nfunc main() { "+test.body+" }\n")
			want, used, again, err := inGo(t.Context(), program{dir: dir, file: "a.go"}, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if test.same && *want.output != test.output {
				t.Errorf("output %q, want %q", *want.output, test.output)
			}
			want.output = nil
			if want != test.want {
				t.Errorf("%+v, want %+v", want, test.want)
			}
			if used.time <= 0 || used.late {
				t.Errorf("used %+v", used)
			}
			if same, err := again(); err != nil || same != test.same {
				t.Errorf("prints the same: %v, %v", same, err)
			}
		})
	}
	t.Run("does not compile", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, "a.go", "package main\n\nfunc main() { x := 1 }\n")
		want, _, again, err := inGo(t.Context(), program{dir: dir, file: "a.go"}, t.TempDir())
		if err != nil || want != (wanted{fails: true}) || again != nil {
			t.Errorf("%+v, %v", want, err)
		}
	})
}
