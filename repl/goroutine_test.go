package repl_test

import (
	"testing"

	"halfnote/repl"
)

// TestConcurrentMaps: goroutines that use the same maps, where Go ends the process, end nothing.
func TestConcurrentMaps(t *testing.T) {
	s := repl.New(repl.Config{})
	got := eval(t, s, `type key struct{ a, b int }
counts, names := map[int]int{}, map[key]string{}
work := func(g int) {
	for i := range 5000 {
		counts[i%100]++
		counts[i%7] += g
		counts[i] = i
		names[key{i % 10, g}] = "x"
		if v, ok := counts[i]; ok && v < 0 { panic(v) }
		delete(counts, i-50)
		if i%500 == 0 {
			for range counts { i++ }
			for k, name := range names { i += k.a + len(name) }
			for k := range names { i -= k.b }
		}
	}
}
var wg sync.WaitGroup
for g := range 8 { wg.Go(func() { work(g) }) }
wg.Wait()
len(names)`)
	if got != "+ import \"sync\"\nOut[1]: 80\n" && got != "Out[1]: 80\n" {
		t.Errorf("got %q", got)
	}
}
