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
	name    string
	what    string
	tensors bool          // Python needs PyTorch for it, and yaegi cannot do it
	wanted  float64       // how many times as fast as another halfnote is to be, or
	than    string        // the name of that one
	most    time.Duration // what it may take
}

// tolerance allows for a tenth more time than yaegi takes.
const tolerance = 1 / 1.1

var works = []work{
	{name: "fib", what: "fib(32)", wanted: tolerance, than: "yaegi"},
	{name: "loop", what: "5M steps of a loop", wanted: tolerance, than: "yaegi"},
	{name: "methods", what: "1M method calls", wanted: 3, than: "yaegi"},
	{name: "maps", what: "1M map inserts", wanted: tolerance, than: "yaegi"},
	{name: "strings", what: "2M writes into a string", wanted: tolerance, than: "yaegi"},
	{name: "start", what: "a program that ends at once", most: 60 * time.Millisecond},
	{name: "forward", what: "100k ops of 4×4 tensors", tensors: true, wanted: 3, than: "PyTorch"},
	{name: "backward", what: "20k × op, sum, backward, 4×4", tensors: true, wanted: 6, than: "PyTorch"},
	{name: "train", what: "a step of training, float16", tensors: true, wanted: 1 / 1.05,
		than: "go build"},
}

func main() {
	halfnote := flag.String("halfnote", "", "measure `PATH`; it is built if not given")
	python := flag.String("python", "python3", "compare with the Python of `PATH`")
	torch := flag.String("torch", "", "compare tensors with the PyTorch of the Python of `PATH`")
	rounds := flag.Int("rounds", 5, "take the best of `N`")
	yaegi := flag.String("yaegi", "", "only run `FILE`, in yaegi as it is")
	flag.Parse()
	err := error(nil)
	if *yaegi != "" {
		err = interpret(*yaegi)
	} else {
		err = compare(*halfnote, *python, *torch, *rounds, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// compare measures the works named, or all, and prints the table.
func compare(halfnote, python, torch string, rounds int, names []string) error {
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
	runners, err := peers(folder, halfnote, python, torch, chosen)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "best of ", rounds, ", ms\t")
	for _, p := range runners {
		fmt.Fprintf(t, "%s\t", p.name)
	}
	for _, name := range against {
		fmt.Fprintf(t, "against %s\t", name)
	}
	fmt.Fprint(t, "wanted\t\n")
	for _, w := range chosen {
		best, err := measure(runners, w, filepath.Join(folder, "testdata"), rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		printRow(t, w, runners, best)
	}
	return t.Flush()
}

// against are the names of those that halfnote is compared with.
var against = []string{"go build", "Python", "PyTorch", "yaegi"}

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
			if !p.does(w) {
				continue
			}
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
		if took, ok := best[p.name]; ok {
			fmt.Fprintf(t, "%.2f", took.Seconds()*1000)
		}
		fmt.Fprint(t, "\t")
	}
	ratio := func(name string) float64 { return best[name].Seconds() / best["halfnote"].Seconds() }
	for _, name := range against {
		if _, ok := best[name]; ok {
			fmt.Fprintf(t, "%.2f ×", ratio(name))
		}
		fmt.Fprint(t, "\t")
	}
	missed := ""
	if _, ok := best[w.than]; ok && ratio(w.than) < w.wanted ||
		best["halfnote"] > w.most && w.most > 0 {
		missed = ": missed"
	}
	if w.most > 0 {
		fmt.Fprintf(t, "≤ %d ms%s\t\n", w.most.Milliseconds(), missed)
		return
	}
	fmt.Fprintf(t, "≥ %.2f × %s%s\t\n", w.wanted, w.than, missed)
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
