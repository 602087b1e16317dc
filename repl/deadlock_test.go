package repl

import "testing"

// TestCanWake: packages that compute on goroutines of their own can wake a program that waits.
func TestCanWake(t *testing.T) {
	for name, test := range map[string]struct {
		src  string
		want bool
	}{
		"alone":  {"package main\nimport \"sync\"\nvar wg sync.WaitGroup\nfunc main() { wg.Wait() }", false},
		"sleeps": {"package main\nimport \"time\"\nfunc main() { time.Sleep(1) }", false},
		"timer":  {"package main\nimport \"time\"\nfunc main() { <-time.After(1) }", true},
		"gonum": {"package main\nimport \"gonum.org/v1/gonum/mat\"\nfunc main() { mat.NewDense(1, 1, nil) }",
			true},
		"tensor": {"package main\nimport \"halfnote/tensor\"\nfunc main() { tensor.Zeros(1) }", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Config{})
			cell, ds := s.checker.Program([]File{{Name: "main.go", Src: test.src}})
			if len(ds) > 0 {
				t.Fatal(ds)
			}
			if got := canWake(cell); got != test.want {
				t.Errorf("canWake is %t, want %t", got, test.want)
			}
		})
	}
}
