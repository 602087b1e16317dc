package repl_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"halfnote/repl"
)

// TestReadmeRecipe runs the recipe of the README as it stands, in one cell.
func TestReadmeRecipe(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, recipe, _ := strings.Cut(string(page), "\n## The recipe\n")
	_, recipe, _ = strings.Cut(recipe, "\n```go\n")
	recipe, _, _ = strings.Cut(recipe, "\n```\n")
	if !strings.Contains(recipe, "scaler.Update()") {
		t.Fatalf("no recipe in the README: %q", recipe)
	}
	imports := `import (
	"halfnote/amp"
	"halfnote/amp/monitor"
	"halfnote/repl/display"
	"halfnote/tensor"
	"halfnote/tensor/data"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

`
	for name, src := range map[string]string{"alone": recipe, "with imports": imports + recipe} {
		t.Run(name, func(t *testing.T) {
			s := repl.New(repl.Config{})
			lines := strings.Split(strings.TrimSpace(eval(t, s, src)), "\n")
			var accuracy float64
			for _, line := range lines {
				if v, err := strconv.ParseFloat(line, 64); err == nil {
					accuracy = v
				}
			}
			if accuracy < 0.9 {
				t.Errorf("accuracy %v: %q", accuracy, lines)
			}
		})
	}
}
