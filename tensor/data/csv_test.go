package data

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
)

func TestCSV(t *testing.T) {
	const header = "a,b,kind\n"
	tests := []struct {
		name     string
		text     string
		c        CSVConfig
		x, y     *tensor.Tensor
		classes  []string
		features []string
	}{
		{
			"classes", header + "1,2.5,dog\n-3,4e2,ant\n5,6,dog\n", CSVConfig{},
			tensor.New([][]float32{{1, 2.5}, {-3, 400}, {5, 6}}), tensor.New([]int64{1, 0, 1}),
			[]string{"ant", "dog"}, []string{"a", "b"},
		}, {
			"whole_labels", header + "1,2,7\n3,4,-1\n", CSVConfig{},
			tensor.New([][]float32{{1, 2}, {3, 4}}), tensor.New([]int64{7, -1}), nil, []string{"a",
				"b"},
		}, {
			"targets", header + "1,2,7\n3,4,0.5\n", CSVConfig{},
			tensor.New([][]float32{{1, 2}, {3, 4}}), tensor.New([]float32{7,
				0.5}), nil, []string{"a", "b"},
		}, {
			"whole_targets", header + "1,2,7\n3,4,8\n", CSVConfig{Target: true},
			tensor.New([][]float32{{1, 2}, {3, 4}}), tensor.New([]float32{7, 8}), nil, []string{"a",
				"b"},
		}, {
			"numbers_as_names", header + "1,2,10\n3,4,9\n3,4,x\n", CSVConfig{Names: true},
			tensor.New([][]float32{{1, 2}, {3, 4}, {3, 4}}), tensor.New([]int64{0, 1, 2}),
			[]string{"10", "9", "x"}, []string{"a", "b"},
		}, {
			"label_by_name", header + "1,2,7\n", CSVConfig{Label: "a"},
			tensor.New([][]float32{{2, 7}}), tensor.New([]int64{1}), nil, []string{"b", "kind"},
		}, {
			"label_by_number", header + "1,2,7\n", CSVConfig{Label: "-2"},
			tensor.New([][]float32{{1, 7}}), tensor.New([]int64{2}), nil, []string{"a", "kind"},
		}, {
			"name_before_number", "1,x\n5,6\n", CSVConfig{Label: "1"},
			tensor.New([][]float32{{6}}), tensor.New([]int64{5}), nil, []string{"x"},
		}, {
			"columns", header + "1,2,7\n", CSVConfig{Columns: []string{"kind", "0"}},
			tensor.New([][]float32{{7, 1}}), tensor.New([]int64{7}), nil, []string{"kind", "a"},
		}, {
			"no_header", "1\t2\t7\n3\t4\t8", CSVConfig{NoHeader: true, Comma: '\t'},
			tensor.New([][]float32{{1, 2}, {3, 4}}), tensor.New([]int64{7, 8}), nil, []string{"0",
				"1"},
		}, {
			"semicolons_and_comments", "# made by hand\na;b\n 1 ; 2\n\n# more\n\"3\";4\r\n",
			CSVConfig{Comma: ';', Comment: '#'},
			tensor.New([][]float32{{1}, {3}}), tensor.New([]int64{2, 4}), nil, []string{"a"},
		}, {
			"mark", "\ufeffa,b\n1,2\n", CSVConfig{Label: "a"},
			tensor.New([][]float32{{2}}), tensor.New([]int64{1}), nil, []string{"b"},
		}, {
			"one_hot", "size,color,n\n1,red,0\n2,blue,1\n3,red,1\n", CSVConfig{OneHot: []string{"color"}},
			tensor.New([][]float32{{1, 0, 1}, {2, 1, 0}, {3, 0, 1}}), tensor.New([]int64{0, 1, 1}),
			nil, []string{"size", "color=blue", "color=red"},
		}, {
			"one_hot_of_one", "color,n\nred,0\nred,1\n", CSVConfig{OneHot: []string{"color"}},
			tensor.New([][]float32{{1}, {1}}), tensor.New([]int64{0,
				1}), nil, []string{"color=red"},
		}, {
			"one_hot_of_none", header, CSVConfig{OneHot: []string{"b"}},
			tensor.Zeros(0, 1), tensor.Zeros(0).To(tensor.Int64), nil, []string{"a"},
		}, {
			"no_samples", header, CSVConfig{},
			tensor.Zeros(0, 2), tensor.Zeros(0).To(tensor.Int64), nil, []string{"a", "b"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, text := range []string{test.text, string(packed([]byte(test.text)))} {
				d, err := ReadCSV(strings.NewReader(text), test.c)
				if err != nil {
					t.Fatal(err)
				}
				x, y := d.Tensors()
				same(t, "x", x, test.x)
				same(t, "y", y, test.y)
				if diff := cmp.Diff(test.classes, d.Classes()); diff != "" {
					t.Errorf("classes: %s", diff)
				}
				if diff := cmp.Diff(test.features, d.Features()); diff != "" {
					t.Errorf("features: %s", diff)
				}
			}
		})
	}
}

func TestCSVFile(t *testing.T) {
	const text = "a,b\n1,2\n"
	var steps [][2]int
	d, err := CSV(written(t, "toys.csv", []byte(text)), CSVConfig{
		Progress: func(done, total int) { steps = append(steps, [2]int{done, total}) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.String(); got != "toys: 1 samples, x float32 [1 1], y int64 [1]" {
		t.Error(got)
	}
	if len(steps) == 0 || steps[len(steps)-1] != [2]int{len(text), len(text)} {
		t.Errorf("progress: %v", steps)
	}
}

func TestCSVErrors(t *testing.T) {
	const header = "a,b,kind\n"
	names := "n,y\n"
	for i := range maxOneHot + 1 {
		names += strings.Repeat("x", i+1) + ",1\n"
	}
	tests := []struct {
		name string
		text string
		c    CSVConfig
		want string
	}{
		{"nothing", "", CSVConfig{}, "there is no line with a sample or a header"},
		{"utf16", "\xff\xfea\x00,\x00b\x00", CSVConfig{},
			"it begins with the mark of UTF-16; save it as UTF-8"},
		{"old_mac", "a,b\r1,2\r", CSVConfig{},
			"its lines end with a carriage return alone; save it with line feeds"},
		{"long_line", header + strings.Repeat("1", 1<<24+1), CSVConfig{},
			"a line of more than 16777216 bytes: it is no table"},
		{"latin1_header", "gr\xf6\xdfe,b\n1,2\n", CSVConfig{},
			`line 1, column 1: "gr\xf6\xdfe": "gr\xf6\xdfe" is not UTF-8; save the table as UTF-8`},
		{"latin1_label", header + "1,2,x\n1,2,b\xe4r\n", CSVConfig{},
			`line 3, column 3: "kind": "b\xe4r" is not UTF-8; save the table as UTF-8`},
		{"latin1_name", header + "b\xe4r,2,x\n", CSVConfig{OneHot: []string{"a"}},
			`line 2, column 1: "a": "b\xe4r" is not UTF-8; save the table as UTF-8`},
		{"nan_among_names", header + "1,2,x\n1,2,nan\n", CSVConfig{},
			`line 3, column 3: "kind": label "nan" is no finite float32 number; set ` +
				"Names where all are names of classes"},
		{"large_label", header + "1,2,1e39\n", CSVConfig{},
			`line 2, column 3: "kind": label "1e39" is no finite float32 number; set ` +
				"Names where all are names of classes"},
		{"missing", header + "1,2,x\n1, ,x\n", CSVConfig{},
			`line 3, column 2: "b": no value; complete the table or leave the line out`},
		{"missing_label", header + "1,2,\n", CSVConfig{},
			`line 2, column 3: "kind": no value; complete the table or leave the line out`},
		{"missing_name", header + ",2,1\n", CSVConfig{OneHot: []string{"a"}},
			`line 2, column 1: "a": no value; complete the table or leave the line out`},
		{"word", header + "\n\n1,?,x\n", CSVConfig{},
			`line 4, column 2: "b": "?" is no finite float32 ` +
				`number; columns of names belong in OneHot, and Columns leaves out others`},
		{"nan", header + "nan,2,x\n", CSVConfig{},
			`line 2, column 1: "a": "nan" is no finite float32 ` +
				`number; columns of names belong in OneHot, and Columns leaves out others`},
		{"range", header + "1,1e39,x\n", CSVConfig{},
			`line 2, column 2: "b": "1e39" is no finite float32 ` +
				`number; columns of names belong in OneHot, and Columns leaves out others`},
		{"label_among_numbers", header + "1,2,3\n1,2,n/a\n", CSVConfig{},
			`line 3, column 3: "kind": label ` +
				`"n/a" is no finite float32 number; set Names where all are ` +
				`names of classes`},
		{"target", header + "1,2,x\n", CSVConfig{Target: true}, `line 2, column 3: "kind": label ` +
			`"x" is no finite float32 number; set Names where all are names of ` +
			`classes`},
		{"short", header + "1,2,3\n1,2\n", CSVConfig{},
			"line 3: it has not as many fields as the lines before"},
		{"quote", header + "1,\"2,3\n", CSVConfig{},
			`line 2: byte 8: extraneous or missing " in quoted-field`},
		{"bare_quote", header + "1,2\"2,3\n", CSVConfig{},
			`line 2: byte 4: bare " in non-quoted-field`},
		{"header_of_numbers", "1,2,3\n4,5,6\n", CSVConfig{},
			"line 1: the header has numbers alone; where it is a sample, set NoHeader"},
		{"no_label", header, CSVConfig{Label: "kinds"},
			`there is no column "kinds" among the 3: a b kind`},
		{"number_too_large", header, CSVConfig{Label: "3"},
			`there is no column "3" among the 3: a b kind`},
		{"no_column", header, CSVConfig{Columns: []string{"c"}},
			`there is no column "c" among the 3: a b kind`},
		{"two_columns", "a,b,a\n", CSVConfig{Label: "a"},
			`two columns are named "a"; give the number`},
		{"one_hot_label", header, CSVConfig{OneHot: []string{"kind"}},
			`one-hot column "kind" is not among those of x`},
		{"no_one_hot", header, CSVConfig{OneHot: []string{"c"}},
			`there is no column "c" among the 3: a b kind`},
		{"label_alone", "a\n1\n", CSVConfig{}, "no column is left for x beside the label's"},
		{"names", names, CSVConfig{OneHot: []string{"n"}},
			`line 1002, column 1: "n": more than 1000 names for a one-hot column`},
		{"comma", header, CSVConfig{Comma: '"'}, "invalid field or comment delimiter"},
		{"gzip", "\x1f\x8b", CSVConfig{}, "unexpected EOF"},
		{"gzip_cut_off", string(packed([]byte(header + "1,2,3\n")))[:20], CSVConfig{},
			"unexpected EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadCSV(strings.NewReader(test.text), test.c)
			if err == nil || err.Error() != "csv: "+test.want {
				t.Errorf("got  %v\nwant csv: %s", err, test.want)
			}
			path := written(t, "x.csv", []byte(test.text))
			_, err = CSV(path, test.c)
			if got := errorText(err, path); got != "csv: FILE: "+test.want {
				t.Errorf("of a file: %s", got)
			}
		})
	}
	missing := filepath.Join(t.TempDir(), "missing.csv")
	if _, err := CSV(missing, CSVConfig{}); !strings.HasPrefix(errorText(err, missing),
		"csv: open FILE: ") ||
		!os.IsNotExist(err.(*Error).Err) {
		t.Errorf("a missing file: %v", err)
	}
}

// FuzzCSV: whatever a table holds, it is read or refused, with memory in proportion to it.
func FuzzCSV(f *testing.F) {
	f.Add("a,b,kind\n1,2.5,dog\n-3,4e2,ant\n", "", "", uint8(0))
	f.Add("1;2\n3;4\n", "-1", "0", uint8(1))
	f.Add("a,b\nx,1\ny,2\n", "b", "a", uint8(2))
	f.Add("\ufeffa,b\n\"1\n\",2\n", "0", "", uint8(4))
	f.Add("a,b\n1,\n", "a", "", uint8(8))
	f.Add(string(packed([]byte("a,b\n1,2\n"))), "", "", uint8(0))
	f.Fuzz(func(t *testing.T, text, label, hot string, flags uint8) {
		c := CSVConfig{Label: label, NoHeader: flags&1 != 0, Target: flags&4 != 0,
			Names: flags&8 != 0}
		if flags&1 != 0 {
			c.Comma = ';'
		}
		if hot != "" {
			c.OneHot = []string{hot}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d, err := ReadCSV(strings.NewReader(text), c)
		runtime.ReadMemStats(&after)
		if used, size := after.TotalAlloc-before.TotalAlloc, uint64(len(text)); !isGzip([]byte(text)) &&
			used > 1<<20+200*size+4*size*min(size, maxOneHot) {
			t.Errorf("%d bytes of memory for %d of text", used, len(text))
		}
		if err != nil {
			return
		}
		x, y := d.Tensors()
		if x.Size(0) != y.Size(0) || x.Size(1) != len(d.Features()) {
			t.Errorf("x %v, y %v, %d features", x.Shape(), y.Shape(), len(d.Features()))
		}
		for _, v := range x.Float32s() {
			if v-v != 0 {
				t.Errorf("x has %v", v)
			}
		}
		if classes := d.Classes(); classes != nil {
			for _, label := range y.Int64s() {
				if label < 0 || label >= int64(len(classes)) {
					t.Errorf("label %d of %d classes", label, len(classes))
				}
			}
		}
	})
}
