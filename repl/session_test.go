package repl_test

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"halfnote/repl"
	"halfnote/repl/display"
)

var update = flag.Bool("update", false, "rewrite the wanted outputs in testdata")

// patience is after how long what has not ended on a busy machine does not end.
const patience = 5 * time.Minute

// recorder is an Output that keeps everything as one text.
type recorder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.b, format, args...)
}

func (r *recorder) Stream(name, text string) { r.add("%s", text) }
func (r *recorder) Clear(bool)               { r.add("[clear]\n") }
func (r *recorder) Display(b display.Bundle, id string) {
	r.add("[display] %v\n", b.Data["text/plain"])
}
func (r *recorder) Update(b display.Bundle, id string) {
	r.add("[update] %v\n", b.Data["text/plain"])
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

// eval runs a cell and returns everything that a person would see of it.
func eval(t testing.TB, s *repl.Session, src string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out recorder
	res, err := s.Eval(ctx, src, &out)
	var b strings.Builder
	for _, n := range res.Notices {
		fmt.Fprintln(&b, n)
	}
	b.WriteString(out.String())
	if err != nil {
		fmt.Fprintln(&b, repl.Render(err, false))
	}
	if res.Shown {
		fmt.Fprintf(&b, "Out[%d]: %v\n", res.Count, res.Bundle.Data["text/plain"])
	}
	return b.String()
}

// TestCells runs the archives of testdata: cells as they are typed, each followed by what it
// prints, shows or is told.
func TestCells(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			s := repl.New(repl.Config{})
			checkArchive(t, file, func(cell txtar.File) string { return eval(t, s, string(cell.Data)) })
		})
	}
}

// checkArchive compares what each file of an archive gives with the file named out behind it; -update
// rewrites the archive.
func checkArchive(t *testing.T, file string, answer func(txtar.File) string) {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []txtar.File
	for _, f := range ar.Files {
		if f.Name == "out" {
			continue
		}
		got = append(got, f)
		if text := answer(f); text != "" {
			got = append(got, txtar.File{Name: "out", Data: []byte(text)})
		}
	}
	text := txtar.Format(&txtar.Archive{Comment: ar.Comment, Files: got})
	if *update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(ar)), string(text)); diff != "" {
		t.Errorf("wanted - got +\n%s", diff)
	}
}

// TestPrograms runs the programs of testdata/programs. What each must print stands beside it and
// was printed by `go run`.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/programs/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	logger, writer := slog.Default(), log.Writer()
	t.Cleanup(func() { // the programs' are no longer the process's
		slog.SetDefault(logger)
		log.SetOutput(writer)
	})
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".go")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
			if err != nil {
				t.Fatal(err)
			}
			var out recorder
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			err = repl.New(repl.Config{}).Program(ctx, []repl.File{{Name: name + ".go", Src: string(src)}}, &out)
			if err != nil {
				t.Errorf("%v", err)
			}
			if diff := cmp.Diff(string(want), out.String()); diff != "" {
				t.Errorf("go run - halfnote +\n%s", diff)
			}
		})
	}
}
