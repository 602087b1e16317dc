package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

//go:embed testdata
var sources embed.FS

// A work is what is measured.
type work struct {
	name   string
	what   string
	wanted float64       // how many times as fast as yaegi halfnote is to be, or
	most   time.Duration // what it may take
}

// tolerance allows for a tenth more time than yaegi takes.
const tolerance = 1 / 1.1

var works = []work{
	{name: "fib", what: "fib(32)", wanted: tolerance},
	{name: "loop", what: "5M steps of a loop", wanted: tolerance},
	{name: "methods", what: "1M method calls", wanted: 3},
	{name: "maps", what: "1M map inserts", wanted: tolerance},
	{name: "strings", what: "2M writes into a string", wanted: tolerance},
	{name: "start", what: "a program that ends at once", most: 60 * time.Millisecond},
}

func main() {
	halfnote := flag.String("halfnote", "", "measure `PATH`; it is built if not given")
	python := flag.String("python", "python3", "compare with the Python of `PATH`")
	rounds := flag.Int("rounds", 5, "take the best of `N`")
	yaegi := flag.String("yaegi", "", "only run `FILE`, in yaegi as it is")
	flag.Parse()
	err := error(nil)
	if *yaegi != "" {
		err = interpret(*yaegi)
	} else {
		err = compare(*halfnote, *python, *rounds, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// compare measures the works named, or all, and prints the table.
func compare(halfnote, python string, rounds int, names []string) error {
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := os.CopyFS(folder, sources); err != nil {
		return err
	}
	runners, err := peers(folder, halfnote, python)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "best of ", rounds, ", ms\t")
	for _, p := range runners {
		fmt.Fprintf(t, "%s\t", p.name)
	}
	fmt.Fprint(t, "against Python\tagainst yaegi\twanted\t\n")
	for _, w := range chosen {
		best, err := measure(runners, w, filepath.Join(folder, "testdata"), rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		printRow(t, w, runners, best)
	}
	return t.Flush()
}

func choose(names []string) ([]work, error) {
	if len(names) == 0 {
		return works, nil
	}
	var chosen []work
	for _, name := range names {
		i := slices.IndexFunc(works, func(w work) bool { return w.name == name })
		if i < 0 {
			return nil, fmt.Errorf("nothing to measure is called %q", name)
		}
		chosen = append(chosen, works[i])
	}
	return chosen, nil
}

// measure returns the best time of each peer; all must come to one result.
func measure(runners []peer, w work, folder string, rounds int) (map[string]time.Duration, error) {
	best := map[string]time.Duration{}
	result := ""
	for range max(1, rounds) {
		for _, p := range runners {
			got, took, err := p.run(filepath.Join(folder, w.name))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			if result == "" {
				result = got
			}
			if got != result {
				return nil, fmt.Errorf("%s: %q, and not %q", p.name, got, result)
			}
			if old, ok := best[p.name]; !ok || took < old {
				best[p.name] = took
			}
		}
	}
	return best, nil
}

func printRow(t *tabwriter.Writer, w work, runners []peer, best map[string]time.Duration) {
	fmt.Fprintf(t, "%s\t", w.what)
	for _, p := range runners {
		fmt.Fprintf(t, "%.1f\t", best[p.name].Seconds()*1000)
	}
	ratio := func(name string) float64 { return best[name].Seconds() / best["halfnote"].Seconds() }
	for _, name := range []string{"Python", "yaegi"} {
		if _, ok := best[name]; !ok {
			fmt.Fprint(t, "\t")
			continue
		}
		fmt.Fprintf(t, "%.2f ×\t", ratio(name))
	}
	missed := ""
	if best["halfnote"] > w.most && w.most > 0 || ratio("yaegi") < w.wanted {
		missed = ": missed"
	}
	if w.most > 0 {
		fmt.Fprintf(t, "≤ %d ms%s\t\n", w.most.Milliseconds(), missed)
		return
	}
	fmt.Fprintf(t, "≥ %.1f × yaegi%s\t\n", w.wanted, missed)
}

// build compiles a package or a file.
func build(path, what string) error {
	out, err := exec.Command("go", "build", "-o", path, what).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build %s: %w\n%s", what, err, out)
	}
	return nil
}

// outputOf runs a command and returns what it has printed, less the blanks around it.
func outputOf(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
