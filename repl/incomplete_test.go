package repl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"halfnote/repl/check"
)

func TestIncomplete(t *testing.T) {
	for _, test := range []struct {
		name, src  string
		incomplete bool
		indent     string
	}{
		{"empty", "", false, ""},
		{"expression", "1 + 1", false, ""},
		{"assignment", "x := f(1)\n", false, ""},
		{"open_block", "for range 3 {", true, "\t"},
		{"nested_block", "for range 3 {\n\tif x {\n\t\ty++", true, "\t\t"},
		{"closed_block", "for range 3 {\n\tx++\n}", false, ""},
		{"else", "if x {\n} else {", true, "\t"},
		{"open_call", "f(1,", true, "\t"},
		{"open_index", "x[", true, "\t"},
		{"func_literal_argument", "amp.Autocast(func() {", true, "\t"},
		{"func_literal_in_list", "f(\n\ta,\n\tfunc() {", true, "\t\t"},
		{"literal_in_call", "f(T{\n\tX: 1,", true, "\t"},
		{"switch", "switch x {", true, ""},
		{"case", "switch x {\ncase 1:", true, "\t"},
		{"statement_of_case", "switch x {\ncase 1:\n\ty()", true, "\t"},
		{"switch_in_block", "func f() {\n\tswitch x := g(func() {}); x {", true, "\t"},
		{"select_case", "for {\n\tselect {\n\tcase <-c:\n\t\tif x {", true, "\t\t\t"},
		{"operator_in_block", "func f() {\n\tx := 1 +", true, "\t\t"},
		{"comma_in_literal", "x := []int{\n\t1,", true, "\t"},
		{"import_group", "import (\n\t\"fmt\"", true, "\t"},
		{"trailing_operator", "x := 1 +", true, "\t"},
		{"trailing_dot", "tensor.\n", true, "\t"},
		{"trailing_assign", "x :=", true, "\t"},
		{"trailing_comma", "a, b,", true, "\t"},
		{"trailing_keyword", "go", true, "\t"},
		{"label", "outer:", true, ""},
		{"increment", "i++", false, ""},
		{"return", "return", false, ""},
		{"raw_string", "s := `a\n", true, ""},
		{"raw_string_closed", "s := `a\n`", false, ""},
		{"string_not_terminated", "f(\"a)\n", false, ""},
		{"no_token", "f(#", false, ""},
		{"bracket_in_string", `s := "{"`, false, ""},
		{"bracket_in_comment", "x := 1 // {", false, ""},
		{"comment", "/* a\n", true, ""},
		{"comment_closed", "/* a\n*/", false, ""},
		{"comment_after_operator", "x := 1 + // more", true, "\t"},
		{"open_string_is_a_mistake", `s := "a`, false, ""},
		{"stray_bracket_is_a_mistake", "f(})", false, ""},
		{"closer_alone_is_a_mistake", "}", false, ""},
		{"not_behind_a_semicolon", "if x, ok := m[k]; !ok {", true, "\t"},
		{"not_behind_a_semicolon_closed", "if x, ok := m[k]; !ok {\n}", false, ""},
		{"not_in_a_for", "for i := 0; !done(i); i++ {", true, "\t"},
		{"type_parameters", "func f[K comparable,", true, "\t"},
		{"type_arguments", "x := f[int,", true, "\t"},
		{"receive", "x := <-", true, "\t"},
		{"ellipsis", "f(xs...", true, "\t"},
		{"goto", "goto end", false, ""},
		{"break_label", "break outer", false, ""},
		{"comment_then_block", "if x { // why", true, "\t"},
		{"raw_string_in_call", "f(`a\n%b\n", true, ""},
		{"logical", "ok := a &&\n\tb ||", true, "\t"},
		{"carriage_returns", "for range 3 {\r\n\tx++\r\n", true, "\t"},
		{"command", "%time f(", false, ""},
		{"shell", "!echo `", false, ""},
		{"shell_comment", "!echo /*", false, ""},
		{"help", "tensor.New?", false, ""},
		{"help_first", "?tensor.New", false, ""},
		{"command_then_go", "%cd /tmp\nfor range 3 {", true, "\t"},
		{"remainder_is_no_command", "x := (7 %\n3", true, "\t"},
		{"cell_command", "%%bash\nls", true, ""},
		{"cell_command_ended", "%%bash\nls\n\n", false, ""},
		{"func", "func f() int {\n\treturn 1\n}\n", false, ""},
		{"type", "type P struct {\n\tX, Y int", true, "\t"},
	} {
		t.Run(test.name, func(t *testing.T) {
			incomplete, indent := Incomplete(test.src)
			if incomplete != test.incomplete || indent != test.indent {
				t.Errorf("Incomplete(%q) = %v, %q; want %v, %q",
					test.src, incomplete, indent, test.incomplete, test.indent)
			}
		})
	}
}

func TestCompleteness(t *testing.T) {
	for src, want := range map[string][2]string{
		"":                     {"complete", ""},
		"x := 1":               {"complete", ""},
		"for range 3 {":        {"incomplete", "\t"},
		"func f() {\n\tx()\n}": {"complete", ""},
		"x := `a":              {"incomplete", ""},
		"x := \"a":             {"invalid", ""},
		"x := := 1":            {"invalid", ""},
		"f(1))":                {"invalid", ""},
		"if x\n":               {"invalid", ""},
		"if x {\n}\nelse {\n}": {"invalid", ""},
		"import \"fmt\"\nfmt.Println(1)\nfunc f() {}": {"complete", ""},
		"package main\n\nfunc main() {}\n":            {"complete", ""},
		"undefined + 1":                               {"complete", ""}, // wrong, but no matter of form
		"%time f(":                                    {"complete", ""},
		"tensor.New?":                                 {"complete", ""},
		"%%bash\nls":                                  {"incomplete", ""},
		"%%bash\nls\n\n":                              {"complete", ""},
		"\x00":                                        {"invalid", ""},
	} {
		if status, indent := Completeness(src); [2]string{status, indent} != want {
			t.Errorf("%q: %q, %q; want %q", src, status, indent, want)
		}
	}
}

// TestIncompletePrefixes types this package's own file: every line inside a declaration wants more,
// every declaration's last line does not.
func TestIncompletePrefixes(t *testing.T) {
	src, err := os.ReadFile("incomplete.go")
	if err != nil {
		t.Fatal(err)
	}
	entry := ""
	for line := range strings.Lines(string(src)) {
		entry += line
		incomplete, _ := Incomplete(entry)
		inside := entry != "" && !parses(entry)
		if inside && !incomplete || !inside && incomplete {
			t.Fatalf("incomplete = %v after %q in\n%s", incomplete, line, entry)
		}
		if !incomplete {
			entry = ""
		}
	}
}

// TestIncompleteBodies types the statements of this package's functions line by line.
func TestIncompleteBodies(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range tree.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			entry := ""
			body := src[fset.Position(fn.Body.Lbrace).Offset+1 : fset.Position(fn.Body.Rbrace).Offset]
			for line := range strings.Lines(string(body)) {
				entry += line
				incomplete, _ := Incomplete(entry)
				if incomplete == check.Parses(entry) {
					t.Fatalf("%s: incomplete = %v after\n%s", fn.Name.Name, incomplete, entry)
				}
				if !incomplete {
					entry = ""
				}
			}
		}
	}
}

func parses(src string) bool {
	if !strings.HasPrefix(src, "package") {
		src = "package p\n" + src
	}
	_, err := parser.ParseFile(token.NewFileSet(), "", src, 0)
	return err == nil
}

func FuzzIncomplete(f *testing.F) {
	for _, src := range []string{
		"f(", "`", "/*", "%%x\n", "%x (", "x ?", "?", "!", "\x00", "a b {\n}", "/*\r*/ `\r`",
		"//line x:1\n{",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if incomplete, _ := Incomplete(src); !incomplete {
			return
		}
		if parses(src) {
			t.Errorf("%q is a whole program and yet incomplete", src)
		}
	})
}
