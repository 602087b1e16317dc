package check

import (
	"go/token"
	"testing"
)

// FuzzSplit looks for texts whose segments are out of order, leave out tokens, or parse to nodes
// outside of them.
func FuzzSplit(f *testing.F) {
	for _, src := range []string{
		"x := 1; func f() {}; y := 2", "import \"fmt\"\nfunc (t T) m() {}\nfunc (t T) () {}", "func(", "{}}",
		"package p; import . \"a\"", "func f()\n{\n}\n", "x\n\n\ty // c\n/* d */ z;", "a; ; b",
		"func (a, b) c(d) { func e() {} }\nfunc() {}()", "type T struct{\n}\nvar (\n)\n", "\ufefffunc f() {}",
	} {
		f.Add(src)
	}
	const base = 1000
	f.Fuzz(func(t *testing.T, src string) {
		toks, _, err := scan(src)
		at := 0
		for _, tok := range toks {
			if tok.off < at || tok.end < tok.off || tok.end > len(src) {
				t.Fatalf("token %v of %q", tok, src)
			}
			at = tok.off
		}
		if err != nil {
			if err.off < 0 || err.off > len(src) {
				t.Errorf("%q: the error is at %d", src, err.off)
			}
			return
		}
		segments := split(toks)
		end := 0
		for _, s := range segments {
			if s.start < end || s.end < s.start || s.end > len(src) {
				t.Fatalf("segments %v of %q", segments, src)
			}
			end = s.end
			if nodes, _ := s.parse(src, base); nodes != nil {
				for _, n := range nodes {
					from, to := int(n.Pos())-base, int(n.End())-base
					// An empty statement behind a label stands at the suffix.
					if from < s.start || to > len(src)+len(stmtSuffix) || from > to {
						t.Errorf("%q: %T from %d to %d in segment %v", src, n, from, to, s)
					}
				}
			}
		}
		for _, tok := range toks {
			if tok.tok != token.SEMICOLON && !within(segments, tok) {
				t.Errorf("%q: no segment has %v", src, tok)
			}
		}
	})
}

func within(segments []segment, t tok) bool {
	for _, s := range segments {
		if s.start <= t.off && t.end <= s.end {
			return true
		}
	}
	return false
}
