package check

// This file finds what Go has in place of the words and forms of other languages that do not parse.

import (
	"go/types"
	"regexp"
	"strings"
)

// firstWords are words with which statements of other languages begin.
var firstWords = map[string]string{
	"while": "the loop of Go is for: for x > 0 { … }", "until": "the loop of Go is for: for !done { … }",
	"foreach":  "the loop of Go is for: for _, x := range list { … }",
	"loop":     "the loop of Go is for: for { … }",
	"def":      "functions are declared with func: func f(x int) int { … }",
	"fn":       "functions are declared with func: func f(x int) int { … }",
	"fun":      "functions are declared with func: func f(x int) int { … }",
	"function": "functions are declared with func: func f(x int) int { … }",
	"lambda":   "a function as a value is func(x int) int { return x + 1 }",
	"let":      "write x := 1, or var x int",
	"val":      "write x := 1, or const x = 1",
	"class":    "types are declared with type: type T struct { … }; their methods with func (t *T) M()",
	"struct":   "types are declared with type: type T struct { … }",
	"enum":     "use constants: const ( A = iota; B; C )",
	"try":      "Go has no exceptions: functions return errors, and defer with recover catches panics",
	"except":   "Go has no exceptions: functions return errors, and defer with recover catches panics",
	"throw":    "return an error, or call panic",
	"raise":    "return an error, or call panic",
	"elif":     "write } else if x {", "elseif": "write } else if x {",
	"from":   `write import "path"`,
	"with":   "write x := open(), and defer x.Close()",
	"assert": "write if !ok { panic(\"…\") }",
	"del":    "write delete(m, key)",
	"print":  "call it: print(x), or fmt.Println(x)",
	"int":    "the type stands behind the name: var x int", "float": "the type stands behind the name: var x float64",
	"string": "the type stands behind the name: var s string", "bool": "the type stands behind the name: var b bool",
	"float64": "the type stands behind the name: var x float64",
	"float32": "the type stands behind the name: var x float32",
	"public":  "a name that begins with a capital letter is exported",
	"private": "a name that begins with a small letter is not exported",
	"do":      "the loop of Go is for: for { … if done { break } }",
}

// A form is a text of another language, as it stands in a line.
type form struct {
	pattern *regexp.Regexp
	help    string
}

// torchForms are forms of PyTorch.
var torchForms = []form{
	{regexp.MustCompile(`^\s*(?:import|from)\s+torch\b`), torchPackages},
	{regexp.MustCompile(`^\s*with\s.*\b[aA]utocast`), "write amp.Autocast(func() { … })"},
	{regexp.MustCompile(`^\s*with\s.*\b(no_grad|NoGrad|inference_mode)\b`),
		"write tensor.NoGrad(func() { … })"},
}

// forms are those of all other languages.
var forms = []form{
	{regexp.MustCompile(`^\s*for\s+\(?\s*[\pL_, ]+\s+in\s`), "write for i, x := range list { … }"},
	{regexp.MustCompile(`^\s*for\s*\(`), "for has no parentheses: for i := 0; i < n; i++ { … }"},
	{regexp.MustCompile(`\w\((.*,)?\s*[\pL_]\w*\s*=[^=>]`),
		"Go has no named arguments: give the values alone, in their order"},
	{regexp.MustCompile(`===|!==`), "use == and !="},
	{regexp.MustCompile(`\s\?[^?:]*:`), "Go has no ?: operator; use if and else"},
	{regexp.MustCompile(`(\+\+|--)\s*[^\s;{}]|[=(,]\s*[\pL_]\w*(\+\+|--)`),
		"x++ is a statement of its own, and has no value"},
	{regexp.MustCompile(`^\s*(\+\+|--)`), "write x++ or x--"},
	{regexp.MustCompile(`^\s*else\b`), "else stands on the line of the } before it: } else {"},
	{regexp.MustCompile(`(:?=|return|\()\s*\[[^\]]+(,|\])`), "a slice is written with its type: []int{1, 2, 3}"},
	{regexp.MustCompile(`(:?=|return|\()\s*\{`),
		"write the type before the {, as in []int{1, 2} and map[string]int{\"a\": 1}"},
	{regexp.MustCompile(`^\s*import\s+[\pL_]`), `the path stands in quotes: import "fmt"`},
	{regexp.MustCompile(`\b[fF]"`), `use fmt.Sprintf("x is %v", x)`},
	{regexp.MustCompile(`^\s*(for|if|switch|func)\b[^{]*$`), "the { must stand on this line"},
	{regexp.MustCompile(`\sand\s`), "use &&"},
	{regexp.MustCompile(`\sor\s`), "use ||"},
	{regexp.MustCompile(`(^|[\s(])not\s`), "use !"},
	{regexp.MustCompile(`\*\*`), "use math.Pow(x, y)"},
	{regexp.MustCompile(`=>|->`), "a function as a value is func(x int) int { return x + 1 }"},
	{regexp.MustCompile(`\{.*\bfunc\s+[\pL_]\w*\(`), "within a function write f := func() { … }"},
	{regexp.MustCompile(`^\s+func\s+[\pL_]\w*\(`), "within a function write f := func() { … }"},
	{regexp.MustCompile(`^\s+import\b|\{.*\bimport\b`), "imports stand outside of functions"},
}

var (
	// firstWord finds the word that a line begins with and what follows it, if that is no operator.
	firstWord = regexp.MustCompile(`^[\s}]*([\pL_][\pL\pN_]*)(\s+[\pL_"'\d]|\s*[({:]|$)`)
	quoted    = regexp.MustCompile("\"(\\\\.|[^\"\\\\])*\"|`[^`]*`|//.*")
)

// formHelp is for a syntax error at off: what the line that it is in, or the one before, was meant
// to be.
func formHelp(src string, off int) string {
	off = min(off, len(src))
	start := strings.LastIndexByte(src[:off], '\n') + 1
	line, _, _ := strings.Cut(src[start:], "\n")
	for _, f := range torchForms {
		if f.pattern.MatchString(line) {
			return f.help
		}
	}
	if m := firstWord.FindStringSubmatch(line); m != nil {
		isCall := strings.HasSuffix(m[2], "(") // of a function or type of that name
		if help := firstWords[m[1]]; help != "" && !(isCall && predeclared(m[1])) {
			return help
		}
	}
	if !strings.Contains(line, `f"`) {
		line = quoted.ReplaceAllString(line, `""`)
	}
	for _, f := range forms {
		if f.pattern.MatchString(line) {
			return f.help
		}
	}
	return ""
}

// torchPackages is what there is in place of PyTorch.
const torchPackages = "in its place are packages tensor, nn, optim and amp; a cell just names them"

func predeclared(name string) bool { return types.Universe.Lookup(name) != nil }
