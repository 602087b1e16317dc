package tensor_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"halfnote/tensor"
)

// pythonTensors are what testdata/saved/make.py saves: values, shape and the dtype here.
func pythonTensors() map[string]*T {
	x := tensor.FromFloat64([]float64{-2.5, -1.5, -0.5, 0.5, 1.5, 2.5}, 2, 3).Div(3)
	whole := func(low, high int64) *T { return tensor.New([]int64{low, 5, high}) }
	return map[string]*T{
		"float64": x, "float32": x.To(tensor.Float32), "float16": x.To(tensor.Float16),
		"int64": tensor.New([]int64{math.MinInt64, 0, math.MaxInt64}),
		"bool":  tensor.New([][]bool{{true}, {false}}),
		"int32": whole(math.MinInt32, math.MaxInt32), "uint32": whole(0, math.MaxUint32),
		"int16": whole(math.MinInt16, math.MaxInt16), "uint16": whole(0, math.MaxUint16),
		"int8": whole(math.MinInt8, math.MaxInt8), "uint8": whole(0, math.MaxUint8),
		"uint64": whole(0, math.MaxInt64),
		"number": tensor.New(2.5), "empty": tensor.Zeros(2, 0, 3),
	}
}

// sameTensors compares shapes, dtypes and elements bit for bit.
func sameTensors(t *testing.T, what string, got, want map[string]*T) {
	t.Helper()
	equal(t, what+": names", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	for name, w := range want {
		if g := got[name]; g != nil {
			equal(t, what+": "+name+": dtype", g.DType(), w.DType())
			equal(t, what+": "+name+": shape", g.Shape(), w.Shape())
			equal(t, what+": "+name, bitsOf(g), bitsOf(w))
		}
	}
}

// bitsOf returns the elements, floats as their bits.
func bitsOf(x *T) any {
	switch x.DType() {
	case tensor.Float64:
		out := make([]uint64, 0, x.Numel())
		for _, v := range x.Float64s() {
			out = append(out, math.Float64bits(v))
		}
		return out
	case tensor.Int64, tensor.Bool:
		return x.Int64s()
	}
	out := make([]uint32, 0, x.Numel())
	for _, v := range x.Float32s() {
		out = append(out, math.Float32bits(v))
	}
	return out
}

func saved(name string) string { return filepath.Join("testdata", "saved", name) }

// TestSavedByPython reads what NumPy and safetensors wrote.
func TestSavedByPython(t *testing.T) {
	want := pythonTensors()
	for _, name := range []string{"stored.npz", "deflated.npz"} {
		got, err := tensor.LoadNPZ(saved(name))
		if err != nil {
			t.Fatal(err)
		}
		sameTensors(t, name, got, want)
	}
	for name, w := range map[string]*T{
		"fortran.npy": want["float64"], "version2.npy": want["float64"], "big.npy": want["float32"],
	} {
		got, err := tensor.LoadNPY(saved(name))
		if err != nil {
			t.Fatal(err)
		}
		sameTensors(t, name, map[string]*T{"": got}, map[string]*T{"": w})
	}
	want["bfloat16"] = want["float64"].To(tensor.BFloat16)
	f, err := os.Open(saved("python.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, metadata, err := tensor.ReadSafetensors(f)
	if err != nil {
		t.Fatal(err)
	}
	sameTensors(t, "python.safetensors", got, want)
	equal(t, "metadata", metadata,
		map[string]string{"made by": "Python", "größe": "\u2113 \"quoted\""})

	for name, part := range map[string]string{
		"structured.npy": "descr is no text: the elements are no plain numbers",
		"complex.npy":    "no dtype here holds the elements of NumPy's type <c8",
		"object.npy":     "no dtype here holds the elements of NumPy's type |O",
		"bfloat16.npy":   "no dtype here holds the elements of NumPy's type <V2",
	} {
		_, err := tensor.LoadNPY(saved(name))
		wantError(t, err, "npy: load "+saved(name)+": ", part)
	}
}

// wantError reports an error that does not contain all of the parts.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got error %v, want %q in it", err, part)
			return
		}
	}
}

// everyKind is tensors of all dtypes with special values, shapes and strides.
func everyKind() map[string]*T {
	all := map[string]*T{
		"ints": tensor.New([]int64{math.MinInt64, -1, 0, math.MaxInt64}),
		"bool": tensor.New([][]bool{{true, false}, {false, true}}).T(),
		"":     tensor.New(1.5), "Ünïcode \"☃\" \\<a/b>.npy": tensor.New([]float32{1, 2, 3}),
	}
	special := tensor.New([]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(),
		1.0 / 3, 6e-8, 65504, 1e-310, 0x1p-149})
	for _, d := range floatTypes {
		all[d.String()] = special.To(d)
		all[d.String()+".turned"] = tensor.Arange(24).Reshape(2, 3, 4).To(d).Permute(2, 0, 1)
		all[d.String()+".sliced"] = tensor.Arange(24).Reshape(4, 6).To(d).Slice(1, 1, 6, 2)
		all[d.String()+".empty"] = tensor.Zeros(3, 0, 2).To(d)
		all[d.String()+".leaf"] = tensor.Randn(300, 100).To(d).SetRequiresGrad(true)
	}
	return all
}

// stream hides how much is to come.
func stream(b []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(b)) }

func TestSafetensors(t *testing.T) {
	want := everyKind()
	metadata := map[string]string{"epoch": "3", "": "\n\"☃\""}
	path := filepath.Join(t.TempDir(), "all.safetensors")
	if err := tensor.SaveSafetensors(path, want, metadata); err != nil {
		t.Fatal(err)
	}
	got, err := tensor.LoadSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	sameTensors(t, "file", got, want)
	var b bytes.Buffer
	if err := tensor.WriteSafetensors(&b, want, metadata); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]io.Reader{
		"buffer": bytes.NewReader(b.Bytes()), "stream": stream(b.Bytes()),
	} {
		got, read, err := tensor.ReadSafetensors(r)
		if err != nil {
			t.Fatal(err)
		}
		sameTensors(t, name, got, want)
		equal(t, name+": metadata", read, metadata)
	}
	b.Reset()
	if err := tensor.WriteSafetensors(&b, nil); err != nil {
		t.Fatal(err)
	}
	equal(t, "nothing", b.String(), "\x08\x00\x00\x00\x00\x00\x00\x00{}      ")
}

// TestSavedTwice: equal tensors give equal bytes, so that files can be compared.
func TestSavedTwice(t *testing.T) {
	x := everyKind()
	for name, write := range map[string]func(io.Writer) error{
		"safetensors": func(w io.Writer) error { return tensor.WriteSafetensors(w, x) },
		"npz": func(w io.Writer) error {
			maps.DeleteFunc(x, func(_ string, x *T) bool { return x.DType() == tensor.BFloat16 })
			return tensor.WriteNPZ(w, x)
		},
	} {
		var a, b bytes.Buffer
		if err := write(&a); err != nil {
			t.Fatal(err)
		}
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: the bytes differ", name)
		}
	}
}

func TestNumPyFiles(t *testing.T) {
	want := everyKind()
	maps.DeleteFunc(want, func(_ string, x *T) bool { return x.DType() == tensor.BFloat16 })
	dir := t.TempDir()
	path := filepath.Join(dir, "all.npz")
	if err := tensor.SaveNPZ(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := tensor.LoadNPZ(path)
	if err != nil {
		t.Fatal(err)
	}
	sameTensors(t, "npz", got, want)
	path = filepath.Join(dir, "one.npy")
	var both bytes.Buffer
	for name, w := range want {
		if err := tensor.SaveNPY(path, w); err != nil {
			t.Fatal(err)
		}
		got, err := tensor.LoadNPY(path)
		if err != nil {
			t.Fatal(err)
		}
		sameTensors(t, "npy", map[string]*T{name: got}, map[string]*T{name: w})
		both.Reset()
		for range 2 {
			if err := tensor.WriteNPY(&both, w); err != nil {
				t.Fatal(err)
			}
		}
		r := stream(both.Bytes())
		for range 2 {
			got, err := tensor.ReadNPY(r)
			if err != nil {
				t.Fatal(err)
			}
			sameTensors(t, "npy after npy", map[string]*T{name: got}, map[string]*T{name: w})
		}
	}
	if err := os.WriteFile(path, both.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = tensor.LoadNPY(path)
	wantError(t, err, "bytes follow the end")
	err = tensor.SaveNPY(path, tensor.Ones(2).To(tensor.BFloat16))
	wantError(t, err, "npy: save "+path+": NumPy has no type for bfloat16: save To(tensor.Float32)")
	err = tensor.SaveNPZ(path, map[string]*T{"w": tensor.Ones(2).To(tensor.BFloat16)})
	wantError(t, err, "npz: save "+path+`: tensor "w": NumPy has no type for bfloat16`)
}

// TestSaveReplaces: what was there stays until the new file is whole, and after any failure.
func TestSaveReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.npy")
	only := func() {
		t.Helper()
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 1 || files[0].Name() != "w.npy" {
			t.Errorf("files %v, error %v: want w.npy alone", files, err)
		}
	}
	if err := tensor.SaveNPY(path, tensor.New([]float64{1, 2})); err != nil {
		t.Fatal(err)
	}
	only()
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := tensor.SaveNPY(path, nil); err == nil {
		t.Error("nil was saved")
	}
	only()
	if err := tensor.SaveNPY(path, tensor.New([]float64{3})); err != nil {
		t.Fatal(err)
	}
	only()
	got, err := tensor.LoadNPY(path)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "replaced", got.Float64s(), []float64{3})
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" &&
		info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, error %v; want 0640 as before", info.Mode(), err)
	}
	wantError(t, tensor.SaveNPY(dir, got), "npy: save "+dir+": is no regular file")
	missing := filepath.Join(dir, "missing", "w.npy")
	err = tensor.SaveNPY(missing, got)
	wantError(t, err, "npy: save "+missing+": open "+missing+": ")
	_, err = tensor.LoadSafetensors(missing)
	wantError(t, err, "safetensors: load "+missing)
	equal(t, "missing file", errors.Is(err, fs.ErrNotExist), true)

	if runtime.GOOS == "windows" {
		return // links need a privilege
	}
	link := filepath.Join(t.TempDir(), "link.npy")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := tensor.SaveNPY(link, tensor.New(4.0)); err != nil {
		t.Fatal(err)
	}
	if got, err := tensor.LoadNPY(path); err != nil || got.Item() != 4 {
		t.Errorf("the file behind the link: %v, %v; want 4", got, err)
	}
	only()
	for _, target := range []string{filepath.Join(dir, "new.npy"), "new.npy"} {
		link := filepath.Join(dir, "link.npy")
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		if err := tensor.SaveNPY(link, tensor.New(5.0)); err != nil {
			t.Fatal(err)
		}
		if got, err := tensor.LoadNPY(filepath.Join(dir, "new.npy")); err != nil || got.Item() != 5 {
			t.Errorf("the new file behind the link to %s: %v, %v; want 5", target, got, err)
		}
		os.Remove(link)
		os.Remove(filepath.Join(dir, "new.npy"))
	}
	circle := filepath.Join(t.TempDir(), "circle.npy")
	if err := os.Symlink(circle, circle); err != nil {
		t.Fatal(err)
	}
	if err := tensor.SaveNPY(circle, got); err == nil {
		t.Error("a link to itself was replaced")
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 255)) // the longest name there is
	if err := tensor.SaveNPY(long, got); err != nil {
		t.Error(err)
	}
}

// safetensorsFile returns a file with that header and data.
func safetensorsFile(header, data string) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

const eight = "12345678"

// badSafetensors are files, and parts of the messages about them.
var badSafetensors = []struct{ header, data, want string }{
	{`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, eight,
		`tensor "a" at bytes 0 to 8 of the data: shape [3] of F32 takes 12 bytes`},
	{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, eight[:7],
		`tensor "a" at bytes 0 to 8 of the data: the data ends at 7`},
	{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, eight + "9",
		"1 bytes follow the last tensor"},
	{`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},` +
		`"b":{"dtype":"F32","shape":[1],"data_offsets":[3,7]}}`, eight[:7],
		`tensor "b" at bytes 3 to 7 of the data: it begins inside of "a", which ends at 4`},
	{`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},` +
		`"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, eight,
		`tensor "b" at bytes 4 to 8 of the data: bytes 1 to 4 belong to no tensor`},
	{`{"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, eight,
		`bytes 0 to 4 belong to no tensor`},
	{`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},` +
		`"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, eight[:2], `"a" comes twice`},
	{`{"a":{"dtype":"U8","shape":[1],"dtype":"I8","data_offsets":[0,1]}}`, "1",
		`"a": "dtype": comes twice`},
	{`{"__metadata__":{"k":"1","k":"2"}}`, "", `"__metadata__": "k": comes twice`},
	{`{"__metadata__":{"k":1}}`, "", `"__metadata__": "k": 1 where text belongs`},
	{`{"a":{"DType":"U8","shape":[1],"data_offsets":[0,1]}}`, "1",
		`"a": "DType": is no field of a tensor`},
	{`{"a":{"dtype":"U8","shape":[1]}}`, "1", `"a": needs dtype, shape and data_offsets`},
	{`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}}`, "1",
		`"a": data_offsets [1 0] are no begin and end`},
	{`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,1]}}`, "1",
		`"a": data_offsets [0 1 1] are no begin and end`},
	{`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, "1", `"shape": -1 is no size`},
	{`{"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}}`, "1", `"shape": 1.5 is no size`},
	{`{"a":{"dtype":"U8","shape":[true],"data_offsets":[0,1]}}`, "1", `"shape": true is no size`},
	{`{"a":{"dtype":"U8","shape":1,"data_offsets":[0,1]}}`, "1", `"1" where "[" belongs`},
	{`{"a":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}}`, eight,
		`no dtype here holds the elements of type "C64"`},
	{`{"a":{"dtype":"F32","shape":[4611686018427387904,4611686018427387904],` +
		`"data_offsets":[0,8]}}`, eight, "more elements than memory can hold"},
	{`{"a":{"dtype":"F32","shape":[4611686018427387904,4,0],"data_offsets":[0,0]}}`, "",
		"more elements than memory can hold"},
	{`{"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}}`, "1",
		"has 9 dimensions; 8 is the most"},
	{`{"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}}`, "\x01\x02",
		"element 1 is byte 2, and a bool is 0 or 1"},
	{`{"a":{"dtype":"U64","shape":[1],"data_offsets":[0,8]}}`, "\xff\xff\xff\xff\xff\xff\xff\xff",
		"element 0 is 18446744073709551615, more than an int64 holds"},
	{`{"a`, "", "header, before byte"},
	{`[]`, "", `"[" where "{" belongs`},
	{``, "", `ends where "{" belongs`},
	{`{} {}`, "", "more follows the closing brace"},
	{"{\"\xff\":1}", "", "not valid UTF-8"},
}

func TestSafetensorsMistakes(t *testing.T) {
	for _, c := range badSafetensors {
		file := safetensorsFile(c.header, c.data)
		_, _, err := tensor.ReadSafetensors(bytes.NewReader(file))
		wantError(t, err, "safetensors: read: ", c.want)
		if _, _, err := tensor.ReadSafetensors(stream(file)); err == nil {
			t.Errorf("a stream was read in spite of: %s", c.want)
		}
	}
	for want, file := range map[string][]byte{
		"length of the header: 8 bytes are needed and 3 are left": []byte("abc"),
		"a header of 18446744073709551615 bytes: 100000000 is the most": []byte(
			"\xff\xff\xff\xff\xff\xff\xff\xff"),
		"header: 99999999 bytes are needed and 2 are left": append(
			binary.LittleEndian.AppendUint64(nil, 99_999_999), "{}"...),
	} {
		_, _, err := tensor.ReadSafetensors(bytes.NewReader(file))
		wantError(t, err, want)
		_, _, err = tensor.ReadSafetensors(stream(file))
		wantError(t, err, want)
	}
	for want, tensors := range map[string]map[string]*T{
		`safetensors: write: tensor "w" is nil`: {"w": nil},
		"safetensors: write: the name __metadata__ is kept for metadata": {
			"__metadata__": tensor.Ones()},
		`safetensors: write: the name "\xff" is not valid UTF-8`: {"\xff": tensor.Ones()},
	} {
		err := tensor.WriteSafetensors(io.Discard, tensors)
		wantError(t, err, want)
	}
	err := tensor.WriteSafetensors(io.Discard, nil, nil, nil)
	wantError(t, err, "2 maps of metadata; one is the most")
	for key, value := range map[string]string{"\xff": "", "key": "\xff"} {
		err := tensor.WriteSafetensors(io.Discard, nil, map[string]string{key: value})
		wantError(t, err, "safetensors: write: the metadata ", "are not valid UTF-8")
	}
}

// npyFile returns a file of version 1.0 with that header and data.
func npyFile(header, data string) []byte {
	b := append([]byte("\x93NUMPY"), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	return append(append(b, header...), data...)
}

var badNPY = []struct{ header, data, want string }{
	{"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", eight,
		"shape [2] of <f8: 16 bytes are needed and 8 are left"},
	{"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 1099511627776)}", eight,
		"more elements than memory can hold"},
	{"{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999,)}", eight,
		"7999999999992 bytes are needed and 8 are left"},
	{"{'descr': '<f8', 'fortran_order': False}", eight, "needs descr, fortran_order and shape"},
	{"{'descr': '<f8', 'descr': '<f8'}", eight, "descr comes twice"},
	{"{'descr': '<f8', 'order': 1}", eight, `the key "order" is not known`},
	{"{'descr': '<f8', 'fortran_order': None}", eight, `"None}" where True or False belongs`},
	{"{'shape': (1.5,)}", eight, `".5,)}" where ")" belongs`},
	{"{'shape': (-1,)}", eight, `"-1,)}" where a size belongs`},
	{"{'shape': (1, 2}", eight, `"}" where ")" belongs`},
	{"{'shape': [1]}", eight, `"[1]}" where "(" belongs`},
	{"{'shape': (1,), x}", eight, `"x}" where text in quotes belongs`},
	{"{'descr': 'a\\'b'}", eight, "descr is no text"},
	{"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} 7", eight,
		`"7" follows the dictionary`},
	{"", eight, `"" where "{" belongs`},
	{"{'descr': '|f8', 'fortran_order': False, 'shape': (1,)}", eight, "NumPy's type |f8"},
	{"{'descr': '<U3', 'fortran_order': False, 'shape': (1,)}", eight, "NumPy's type <U3"},
	{"{'descr': '', 'fortran_order': False, 'shape': (1,)}", eight, "NumPy's type ;"},
}

func TestNPYMistakes(t *testing.T) {
	for _, c := range badNPY {
		file := npyFile(c.header, c.data)
		_, err := tensor.ReadNPY(bytes.NewReader(file))
		wantError(t, err, "npy: read: ", c.want)
		if _, err := tensor.ReadNPY(stream(file)); err == nil {
			t.Errorf("a stream was read in spite of: %s", c.want)
		}
	}
	long := append([]byte("\x93NUMPY\x02\x00"), "\xff\xff\xff\xff"...)
	for want, file := range map[string][]byte{
		"header: begins with \"PK\\x03\\x04ab\"": []byte("PK\x03\x04abcd"),
		"header: version 9; 1 to 3 are known":    []byte("\x93NUMPY\x09\x00"),
		"header: 4294967295 bytes long; 65536":   long,
		"header: 8 bytes are needed":             []byte("\x93NUM"),
	} {
		_, err := tensor.ReadNPY(bytes.NewReader(file))
		wantError(t, err, want)
	}
}

// zipOf returns an archive of files by name and content.
func zipOf(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestNPZMistakes(t *testing.T) {
	good := string(npyFile("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", "\x01"))
	wrong := strings.Replace(good, "1,", "9,", 1)
	damaged := zipOf(t, "a.npy", good+strings.Repeat("\x00", 100))
	at := bytes.Index(damaged, []byte("a.npy")) + 40
	damaged[at] ^= 1
	overlong := zipOf(t, "a.npy", good, "b.npy", good)
	entry := bytes.LastIndex(overlong, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(overlong[entry+20:], uint32(len(overlong)))
	for want, file := range map[string][]byte{
		"zip: not a valid zip file":                 []byte("PK"),
		`"a.txt" in the archive is no file .npy`:    zipOf(t, "a.txt", good),
		`tensor "a" comes twice`:                    zipOf(t, "a.npy", good, "a.npy", good),
		`tensor "a": 1 bytes follow the end`:        zipOf(t, "a.npy", good+"x"),
		"its files are longer than the archive":     overlong,
		`tensor "a": header: 8 bytes are needed`:    zipOf(t, "a.npy", ""),
		`tensor "a": shape [9] of |b1: 9 bytes are`: zipOf(t, "a.npy", wrong),
		`tensor "a": `:                              damaged,
	} {
		_, err := tensor.ReadNPZ(bytes.NewReader(file), int64(len(file)))
		wantError(t, err, "npz: read: ", want)
	}
}

// TestNPZMemory: a stored tensor takes memory once.
func TestNPZMemory(t *testing.T) {
	var file bytes.Buffer
	big := tensor.Zeros(1 << 21)
	if err := tensor.WriteNPZ(&file, map[string]*T{"a": big}); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := tensor.ReadNPZ(bytes.NewReader(file.Bytes()), int64(file.Len()))
	runtime.ReadMemStats(&after)
	if err != nil || got["a"].Numel() != big.Numel() {
		t.Fatalf("got %v, %v", got, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<23+1<<20 {
		t.Errorf("%d bytes of memory for a tensor of %d", took, 1<<23)
	}
}

// TestReadTakesNoMemory: a short stream that claims to be long is refused without memory for it.
func TestReadTakesNoMemory(t *testing.T) {
	const claimed = 1 << 36
	for name, read := range map[string]func() error{
		"safetensors": func() error {
			header := fmt.Sprintf(`{"a":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}}`,
				claimed, claimed)
			_, _, err := tensor.ReadSafetensors(stream(safetensorsFile(header, eight)))
			return err
		},
		"sparse safetensors": func() error {
			path := filepath.Join(t.TempDir(), "sparse")
			length := binary.LittleEndian.AppendUint64(nil, 99_999_999)
			if err := os.WriteFile(path, length, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, 1<<30); err != nil { // most file systems keep no zeros
				t.Fatal(err)
			}
			_, err := tensor.LoadSafetensors(path)
			return err
		},
		"npy": func() error {
			header := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d,)}",
				claimed)
			_, err := tensor.ReadNPY(stream(npyFile(header, eight)))
			return err
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := read(); err == nil {
			t.Errorf("%s: no error", name)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<22 {
			t.Errorf("%s: %d bytes of memory were taken", name, took)
		}
	}
}
