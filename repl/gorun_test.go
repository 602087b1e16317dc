package repl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"halfnote/repl"
)

// goRun returns what programs print when Go compiles and runs them; each is one file. They become
// packages of one program, since most of the time of `go run` is for linking. A program that does
// not end well has an error instead.
func goRun(t testing.TB, programs []string) (outputs []string, errs []error) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var imports, list strings.Builder
	for i, src := range programs {
		src = strings.Replace(src, "package main\n", fmt.Sprintf("package main%d\n", i), 1)
		src = strings.Replace(src, "\nfunc main() {", "\nfunc Main() {", 1)
		write(fmt.Sprintf("main%d/main.go", i), src)
		write(fmt.Sprintf("main%d/begin.go", i), fmt.Sprintf("package main%d\n\nimport \"os\"\n\n"+
			"var _, _ = os.Stdout.WriteString(\"\\x01%d\\x02\")\n", i, i))
		fmt.Fprintf(&imports, "import \"programs/main%d\"\n", i)
		fmt.Fprintf(&list, "main%d.Main, ", i)
	}
	write("go.mod", "module programs\n\ngo 1.26\n")
	write("main.go", "package main\n\nimport \"os\"\nimport \"strconv\"\n"+imports.String()+
		"\nfunc main() {\n\tn, _ := strconv.Atoi(os.Args[1])\n"+
		"\tos.Stdout.WriteString(\"\\x01\" + os.Args[1] + \"\\x02\")\n\t[]func(){"+list.String()+"}[n]()\n}\n")
	build := exec.Command("go", "build", "-o", "programs", ".")
	build.Dir = dir
	outputs, errs = make([]string, len(programs)), make([]error, len(programs))
	if text, err := build.CombinedOutput(); err != nil {
		if len(programs) > 1 { // those that can be built go on without the others
			for i, src := range programs {
				out, err := goRun(t, []string{src})
				outputs[i], errs[i] = out[0], err[0]
			}
			return outputs, errs
		}
		return []string{string(text)}, []error{fmt.Errorf("go build: %w", err)}
	}
	atOnce(len(programs), func(i int) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, filepath.Join(dir, "programs"), fmt.Sprint(i))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		errs[i] = cmd.Run()
		// All packages are initialised; what each prints then stands behind its number.
		for _, part := range strings.Split(out.String(), "\x01")[1:] {
			if text, own := strings.CutPrefix(part, fmt.Sprintf("%d\x02", i)); own {
				outputs[i] += text
			}
		}
		own := regexp.MustCompile(fmt.Sprintf(`\b(?:programs/)?main%d\.`, i))
		outputs[i] = own.ReplaceAllString(outputs[i], "main.")
	})
	return outputs, errs
}

// atOnce calls f for 0 to n-1, as many at once as there are processors.
func atOnce(n int, f func(i int)) {
	var wg sync.WaitGroup
	free := make(chan bool, runtime.GOMAXPROCS(0))
	for i := range n {
		free <- true
		wg.Go(func() {
			defer func() { <-free }()
			f(i)
		})
	}
	wg.Wait()
}

// ownRun returns what a program prints in a session of its own, and why it did not end well.
func ownRun(src string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out recorder
	err := repl.New(repl.Config{}).Program(ctx, []repl.File{{Name: "p.go", Src: src}}, &out)
	return withFault(out.String(), err)
}

// ownCells returns what a program prints when its declarations are one cell and the statements of
// main another.
func ownCells(src string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	src = strings.TrimPrefix(src, "package main\n")
	decls, rest, _ := strings.Cut(src, "\nfunc main() {\n")
	body, after, _ := strings.Cut(rest, "\n}\n")
	s := repl.New(repl.Config{})
	var out recorder
	_, err := s.Eval(ctx, decls+"\n"+after, &out)
	if err == nil {
		_, err = s.Eval(ctx, body, &out)
	}
	return withFault(out.String(), err)
}

// withFault adds what ended a program.
func withFault(out string, err error) string {
	if err == nil {
		return out
	}
	out += "error: " + err.Error() + "\n"
	var e *repl.Error
	if errors.As(err, &e) && e.Kind == repl.KindUnsupported {
		out += fmt.Sprint(e.Value) + "\n"
	}
	return out
}
