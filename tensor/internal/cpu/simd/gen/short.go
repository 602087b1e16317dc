package main

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"
)

// This file makes kernels on rows of 16-bit numbers from those on rows of float32: each element is
// widened, computed with as float32 and rounded once.

// shorts are the kernels that have such forms, one for each encoding.
var shorts = inShort("Add", "Sub", "Mul", "Div", "AddScalar", "ScalarSub", "ScalarDiv", "MulScalar",
	"DivScalar", "MaxScalar", "MinScalar", "ReLUGrad")

// single is the name of the kernel on float32 that k was made from.
func (k kernel) single() string {
	return strings.TrimSuffix(parse(k.sig, "").exported, string(k.short))
}

func inShort(names ...string) (all []kernel) {
	for _, k := range arith {
		for _, name := range names {
			if !strings.HasPrefix(k.sig, name+"(") {
				continue
			}
			for _, e := range []encoding{half, bfloat} {
				s := k
				s.short = e
				s.doc = fmt.Sprintf("%s%s is [%s] of %s.", name, e, name,
					map[encoding]string{half: "float16", bfloat: "bfloat16"}[e])
				s.sig = strings.Replace(k.sig, name, name+string(e), 1)
				s.sig = strings.Replace(s.sig, "[]float32", "[]uint16", 1)
				all = append(all, s)
			}
		}
	}
	return all
}

// shortTwins writes the plain Go twins, which convert pieces of rows.
func shortTwins() []byte {
	w := &bytes.Buffer{}
	w.WriteString(header + "package simd\n\n// piece is how many elements of rows are converted at a time.\nconst piece = 256\n")
	for _, k := range shorts {
		f := parse(k.sig, "Go")
		fmt.Fprintf(w, "\nfunc %s%s {\n", f.name, k.sig[strings.IndexByte(k.sig, '('):])
		out, args := f.arrays[0].name, []string{"buf[0][:n]"}
		fmt.Fprintf(w, "var buf [%d][piece]float32\n", len(f.arrays))
		fmt.Fprintf(w, "for i := 0; i < len(%s); i += piece {\nn := min(piece, len(%s)-i)\n", out, out)
		for i, a := range f.arrays[1:] {
			row := fmt.Sprintf("buf[%d][:n]", i+1)
			fmt.Fprintf(w, "widen%sGo(%s, %s[i:])\n", k.short, row, a.name)
			args = append(args, row)
		}
		for _, s := range f.scalars {
			args = append(args, s.name)
		}
		fmt.Fprintf(w, "%sGo(%s)\n", unexported(k.single()), strings.Join(args, ", "))
		fmt.Fprintf(w, "narrow%sGo(%s[i:i+n], buf[0][:n])\n}\n}\n", k.short, out)
	}
	source, err := format.Source(w.Bytes())
	if err != nil {
		panic(err)
	}
	return source
}
