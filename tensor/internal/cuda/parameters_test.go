//go:build cuda

package cuda

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// declared are the kernels of the package, without those that tests declare.
var declared []*entry

// TestCUDAParameters: every kernel that Go declares is in the PTX, and the other way around, with an
// argument of the same size; and the struct in C++ has the same fields at the same places as Go's.
func TestCUDAParameters(t *testing.T) {
	sizes, sources := map[string]map[string]int{}, map[string]*cSource{}
	for _, k := range declared {
		if sizes[k.file] == nil {
			sizes[k.file] = ptxParameters(t, k.file)
			sources[k.file] = readC(t, filepath.Join("kernels", k.file+".cu"))
		}
		size, ok := sizes[k.file][k.name]
		switch {
		case !ok:
			t.Errorf("%s.cu has no kernel %s", k.file, k.name)
			continue
		case size != int(k.bytes):
			t.Errorf("%s takes %d bytes in the PTX, %d in Go", k.name, size, k.bytes)
		}
		name := sources[k.file].argument(k.name)
		if name == "" {
			t.Errorf("%s.cu does not say what struct %s takes", k.file, k.name)
			continue
		}
		c, err := sources[k.file].layout(name)
		if err != nil {
			t.Errorf("%s.cu: struct %s: %v", k.file, name, err)
			continue
		}
		if d := differ(goLayout(k.args), c); d != "" {
			t.Errorf("%s: %s in Go and %s in C++ differ: %s", k.name, k.args, name, d)
		}
	}
	for file, kernels := range sizes {
		for name := range kernels {
			if !slices.ContainsFunc(declared, func(k *entry) bool { return k.file == file && k.name == name }) {
				t.Errorf("kernel %s in %s.cu is never used", name, file)
			}
		}
	}
}

// ptxParameters returns the sizes of the arguments of a fatbin's kernels.
func ptxParameters(t *testing.T, file string) map[string]int {
	t.Helper()
	text, err := image(file)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for _, m := range regexp.MustCompile(`\.entry (\w+)\s*\(\s*\.param [^)]*\.b8 \w+\[(\d+)\]\s*\)`).FindAllStringSubmatch(text, -1) {
		sizes[m[1]], _ = strconv.Atoi(m[2])
	}
	return sizes
}

// A leaf is a number in a struct: where it is, what it is, and the field that it belongs to.
type leaf struct {
	at, size int
	float    bool
	name     string
}

// differ says where two layouts differ first. Names of fields may be written in C++'s way or Go's, and
// padding has none.
func differ(a, b []leaf) string {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	used := func(all []leaf) []leaf {
		return slices.DeleteFunc(slices.Clone(all), func(l leaf) bool { return l.name == "" || l.name == "pad" })
	}
	a, b = used(a), used(b)
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("Go has no %s", b[i].name)
		case i >= len(b):
			return fmt.Sprintf("C++ has no %s", a[i].name)
		case plain(a[i].name) != plain(b[i].name):
			return fmt.Sprintf("field %s is %s in C++", a[i].name, b[i].name)
		case a[i].at != b[i].at || a[i].size != b[i].size || a[i].float != b[i].float:
			return fmt.Sprintf("field %s: %v and %v", a[i].name, a[i], b[i])
		}
	}
	return ""
}

// goLayout returns the leaves of a struct.
func goLayout(t reflect.Type) (all []leaf) {
	var walk func(t reflect.Type, at uintptr, name string)
	walk = func(t reflect.Type, at uintptr, name string) {
		switch t.Kind() {
		case reflect.Struct:
			for i := range t.NumField() {
				f := t.Field(i)
				name := f.Name
				if name == "_" {
					name = ""
				}
				walk(f.Type, at+f.Offset, name)
			}
		case reflect.Array:
			for i := range t.Len() {
				walk(t.Elem(), at+uintptr(i)*t.Elem().Size(), name)
			}
		default:
			float := t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64
			all = append(all, leaf{int(at), int(t.Size()), float, name})
		}
	}
	walk(t, 0, "")
	return all
}

// A cSource is a file of kernels and what it includes, without comments.
type cSource struct {
	text      string
	constants map[string]string
	kernels   []cKernel
	layouts   map[string][]leaf
}

// A cKernel is a kernel or several whose names a macro puts together, and the struct that it takes.
type cKernel struct {
	name *regexp.Regexp
	args string
}

func readC(t *testing.T, path string) *cSource {
	t.Helper()
	s := &cSource{constants: map[string]string{}, layouts: map[string][]leaf{}}
	seen := map[string]bool{}
	var include func(path string)
	include = func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^#include "(.*)"`).FindAllSubmatch(text, -1) {
			include(filepath.Join(filepath.Dir(path), string(m[1])))
		}
		s.text += string(text) + "\n"
	}
	include(path)
	s.text = regexp.MustCompile(`//.*|(?s:/\*.*?\*/)`).ReplaceAllString(s.text, "")
	s.text = strings.ReplaceAll(s.text, "\\\n", " ")
	for _, m := range regexp.MustCompile(`constexpr \w+ (\w+) = ([^;{]+);`).FindAllStringSubmatch(s.text, -1) {
		s.constants[m[1]] = m[2]
	}
	for _, m := range regexp.MustCompile(`enum (?:\w+ )?(?:: \w+ )?\{([^}]*)\}`).FindAllStringSubmatch(s.text, -1) {
		next := "0"
		for _, name := range strings.Split(m[1], ",") {
			name, value, given := strings.Cut(strings.TrimSpace(name), "=")
			if given {
				next = value
			}
			s.constants[strings.TrimSpace(name)] = next
			next = "(" + next + ")+1"
		}
	}
	s.find()
	return s
}

// find finds the kernels.
func (s *cSource) find() {
	for _, m := range regexp.MustCompile(`\bKERNEL(?:_BOUNDS)?\(([\w#]+), (\w+(?:<\w+>)?)`).FindAllStringSubmatch(s.text, -1) {
		parts := strings.Split(m[1], "##")
		for i, p := range parts {
			if i > 0 && !strings.Contains(p, "_") {
				parts[i] = `\w+` // a parameter of the macro
			}
		}
		s.kernels = append(s.kernels, cKernel{regexp.MustCompile("^" + strings.Join(parts, "") + "$"), m[2]})
	}
}

// argument returns the struct that a kernel takes.
func (s *cSource) argument(kernel string) string {
	for _, k := range s.kernels {
		if k.name.MatchString(kernel) {
			return k.args
		}
	}
	return ""
}

// value computes an expression of constants.
func (s *cSource) value(expr string) (int, error) {
	for range 20 {
		known := true
		expr = regexp.MustCompile(`[A-Za-z_]\w*`).ReplaceAllStringFunc(expr, func(name string) string {
			if v, ok := s.constants[name]; ok {
				known = false
				return "(" + v + ")"
			}
			return name
		})
		if known {
			break
		}
	}
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expr)
	if err != nil {
		return 0, err
	}
	n, ok := constant.Int64Val(v.Value)
	if !ok {
		return 0, fmt.Errorf("%s is no number", expr)
	}
	return int(n), nil
}

// Sizes of C++'s numbers on a GPU. Those of enums are four, as DType's is.
var cSizes = map[string]int{
	"int8_t": 1, "uint8_t": 1, "char": 1, "bool": 1, "int16_t": 2, "uint16_t": 2, "half_t": 2, "bfloat_t": 2, "int32_t": 4,
	"uint32_t": 4, "int": 4, "unsigned": 4, "float": 4, "DType": 4, "int64_t": 8, "uint64_t": 8, "double": 8,
}

// layout returns the leaves of a struct, which may be a template with an argument.
func (s *cSource) layout(name string) (all []leaf, err error) {
	if all, ok := s.layouts[name]; ok {
		return all, nil
	}
	if all, _, _, err = s.fields(name); err == nil {
		s.layouts[name] = all
	}
	return all, err
}

var (
	cStruct = regexp.MustCompile(`(?:template <class (\w+)>\s*)?struct (\w+) \{`)
	cField  = regexp.MustCompile(`^(?:const )?(\w+(?:<\w+>)?)\s+(.*)$`)
	cName   = regexp.MustCompile(`^(\*?)\s*(\w+)((?:\[[^\]]+\])*)$`)
)

// fields returns a struct's leaves, its size and its alignment.
func (s *cSource) fields(name string) (all []leaf, size, align int, err error) {
	bare, param, _ := strings.Cut(strings.TrimSuffix(name, ">"), "<")
	for _, m := range cStruct.FindAllStringSubmatchIndex(s.text, -1) {
		if s.text[m[4]:m[5]] != bare {
			continue
		}
		align = 1
		for _, statement := range statements(s.text[m[1]:]) {
			f := cField.FindStringSubmatch(statement)
			if f == nil || strings.HasPrefix(statement, "static ") || strings.ContainsAny(statement, "()") {
				continue
			}
			if m[2] >= 0 && f[1] == s.text[m[2]:m[3]] {
				f[1] = param
			}
			for _, d := range strings.Split(f[2], ",") {
				leaves, n, a, err := s.declarator(f[1], strings.TrimSpace(d))
				if err != nil {
					return nil, 0, 0, fmt.Errorf("%s: %w", statement, err)
				}
				size = (size + a - 1) / a * a
				for _, l := range leaves {
					l.at += size
					all = append(all, l)
				}
				size += n
				align = max(align, a)
			}
		}
		return all, (size + align - 1) / align * align, align, nil
	}
	return nil, 0, 0, fmt.Errorf("no struct %s", name)
}

// declarator returns what a field like *array[5] of a type takes.
func (s *cSource) declarator(of, text string) (all []leaf, size, align int, err error) {
	d := cName.FindStringSubmatch(text)
	if d == nil {
		return nil, 0, 0, fmt.Errorf("what is %q", text)
	}
	n, ok := cSizes[of]
	switch {
	case d[1] == "*":
		all, size, align = []leaf{{0, 8, false, d[2]}}, 8, 8
	case ok:
		all, size, align = []leaf{{0, n, of == "float" || of == "double", d[2]}}, n, n
	default:
		if all, size, align, err = s.fields(of); err != nil {
			return nil, 0, 0, err
		}
	}
	for _, dim := range regexp.MustCompile(`\[([^\]]+)\]`).FindAllStringSubmatch(d[3], -1) {
		count, err := s.value(dim[1])
		if err != nil {
			return nil, 0, 0, err
		}
		one := all
		all = nil
		for i := range count {
			for _, l := range one {
				l.at += i * size
				all = append(all, l)
			}
		}
		size *= count
	}
	return all, size, align, nil
}

// statements returns those of a struct's body that end with a semicolon, up to the body's end.
func statements(body string) (all []string) {
	depth, from := 0, 0
	for i, c := range body {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return all
			}
			if depth == 0 {
				from = i + 1 // after a function
			}
		case ';':
			if depth == 0 {
				all = append(all, strings.Join(strings.Fields(body[from:i]), " "))
				from = i + 1
			}
		}
	}
	return all
}
