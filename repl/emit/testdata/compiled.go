package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

func caseCompiled() {
	out(strings.ToUpper("abc"), strings.Repeat("x", 3), math.Sqrt(2), math.Floor(-1.5))
	n, err := strconv.Atoi("12")
	out(n, err)
	m, err2 := strconv.Atoi("x")
	out(m, err2 != nil, err2)
	for i := 0; i < 3; i++ {
		k, e := strconv.Atoi([]string{"1", "z", "3"}[i])
		out(k, e == nil)
	}
	var b strings.Builder
	p := &b
	p.WriteString("hi")
	p.WriteByte('!')
	fmt.Fprintf(p, "%d-%v", 5, []int{1})
	out(p.String(), p.Len())
	w := p.WriteString
	w("z")
	out(p.String())
	before, after, ok := strings.Cut("k=v", "=")
	out(before, after, ok)
	s := []int{3, 1, 2}
	sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })
	sort.Sort(sort.Reverse(sort.IntSlice(s)))
	out(s)
	out(strings.Map(func(r rune) rune { return r + 1 }, "abc"), strings.Fields(" a b "))
	out(fmt.Sprint(1, "a", nil, 2.5), fmt.Sprintf("%v %s %d", "x", "y", 3))
	args := []any{1, "two"}
	out(fmt.Sprintln(args...))
	out(fmt.Sprint(strings.Cut("a", "b")))
	f := strings.ToLower
	out(f("AB"))
	fs := []func(string) string{strings.ToUpper, f, strings.TrimSpace}
	for _, g := range fs {
		out(g(" Ab "))
	}
	f = strings.ToUpper
	out(f("x"))
}

func caseErrors() {
	e := errors.New("bad")
	var err error = e
	out(err, err != nil, err == e)
	err = nil
	out(err == nil)
	w := fmt.Errorf("wrap: %w", e)
	out(w, errors.Is(w, e), errors.Unwrap(w) == e)
	out(fail(true), fail(false) == nil)
	v, er := div(1, 0)
	out(v, er)
	v2, er2 := div(4, 2)
	out(v2, er2)
	var pe *os.PathError
	_, oerr := os.Open("/no/such/file")
	out(errors.As(oerr, &pe), oerr != nil)
	errs := []error{e, nil, w}
	for _, x := range errs {
		out(x == nil)
	}
	var a any = e
	x, ok := a.(error)
	out(x, ok)
	out(err == io.EOF, io.EOF)
}

func fail(b bool) error {
	if b {
		return errors.New("fail")
	}
	return nil
}

func div(a, b int) (int, error) {
	if b == 0 {
		return 0, errors.New("division")
	}
	return a / b, nil
}

func caseNamedTypes() {
	d := 3 * time.Second
	d += time.Millisecond
	out(d, d > time.Second, d.Seconds(), int64(d), time.Duration(5))
	v := url.Values{"a": {"1"}}
	v.Add("a", "2")
	v["b"] = []string{"3"}
	out(v.Get("a"), v["a"], len(v), v.Encode())
	for k := range v {
		out(len(k))
	}
	t := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	u := t.Add(48 * time.Hour)
	out(t.Year(), u.Day(), u.Sub(t), t.Before(u), u.Month() == time.January)
	var buf bytes.Buffer
	pb := &buf
	var w io.Writer = pb
	n, err := w.Write([]byte("abc"))
	out(n, err, pb.String())
	io.WriteString(w, "def")
	var r io.Reader = pb
	data, _ := io.ReadAll(r)
	out(string(data))
	r = strings.NewReader("xyz")
	data2, _ := readAll(r)
	out(string(data2))
	var a any = v
	_, isMap := a.(map[string][]string)
	_, isValues := a.(url.Values)
	out(isMap, isValues)
	var x any = d
	_, isInt := x.(int64)
	dd, isDur := x.(time.Duration)
	out(isInt, isDur, dd)
	month := time.March
	out(month, month+1, int(month))
	out(len(os.Args) > 0)
	pt := new(time.Time)
	*pt = t
	out(pt.Year(), pt.IsZero())
	ur := &url.URL{Scheme: "http", Host: "h"}
	ur.Path = "/p"
	out(ur.String(), ur.Host)
	uv := url.URL{Scheme: "ftp"}
	uv.Host = "x"
	out(uv.Scheme, uv.Host)
}

func readAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(r)
	return b, err
}

func caseSync() {
	wg := new(sync.WaitGroup)
	mu := new(sync.Mutex)
	n := new(int)
	for i := 0; i < 20; i++ {
		wg.Add(1)
		k := i
		spawn(func() {
			mu.Lock()
			*n += k
			mu.Unlock()
			wg.Done()
		})
	}
	wg.Wait()
	out(*n)
	once := new(sync.Once)
	for i := 0; i < 3; i++ {
		once.Do(func() { out("once") })
	}
}
