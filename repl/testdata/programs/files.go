package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing/fstest"
	"testing/iotest"
)

type rot13 struct{ r io.Reader }

func (r rot13) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	for i, c := range p[:n] {
		switch {
		case c >= 'a' && c <= 'z':
			p[i] = 'a' + (c-'a'+13)%26
		case c >= 'A' && c <= 'Z':
			p[i] = 'A' + (c-'A'+13)%26
		}
	}
	return n, err
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

func check(err error) {
	if err != nil {
		fmt.Println("error:", err)
	}
}

func main() {
	b, err := io.ReadAll(rot13{strings.NewReader("Uryyb, jbeyq")})
	fmt.Println(string(b), err)
	var c counter
	n, err := io.Copy(io.MultiWriter(&c, io.Discard), io.LimitReader(strings.NewReader("0123456789"), 7))
	fmt.Println(n, err, c)
	sc := bufio.NewScanner(strings.NewReader("a b\nc"))
	sc.Split(bufio.ScanWords)
	for sc.Scan() {
		fmt.Print(sc.Text(), ";")
	}
	fmt.Println(sc.Err())
	br := bufio.NewReader(iotest.OneByteReader(strings.NewReader("line\nrest")))
	line, err := br.ReadString('\n')
	fmt.Printf("%q %v\n", line, err)
	pr, pw := io.Pipe()
	go func() {
		fmt.Fprint(pw, "piped")
		pw.CloseWithError(errors.New("closed"))
	}()
	b, err = io.ReadAll(pr)
	fmt.Println(string(b), err)

	dir, err := os.MkdirTemp("", "files")
	check(err)
	defer os.RemoveAll(dir)
	check(os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755))
	check(os.WriteFile(filepath.Join(dir, "a", "x.txt"), []byte("hello\n"), 0o644))
	f, err := os.OpenFile(filepath.Join(dir, "a", "x.txt"), os.O_APPEND|os.O_WRONLY, 0)
	check(err)
	fmt.Fprintf(f, "more %d\n", 3)
	check(f.Close())
	b, _ = os.ReadFile(filepath.Join(dir, "a", "x.txt"))
	fmt.Printf("%q\n", b)
	check(filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		fmt.Print(filepath.ToSlash(rel), " ", d.IsDir(), "; ")
		if d.Name() == "b" {
			return filepath.SkipDir
		}
		return err
	}))
	fmt.Println()
	_, err = os.Stat(filepath.Join(dir, "none"))
	var pe *fs.PathError
	fmt.Println(errors.Is(err, fs.ErrNotExist), errors.As(err, &pe), pe.Op)
	fmt.Println(path.Join("a", "../b"), path.Ext("x.tar.gz"), filepath.Base("/x/y"))
	m := fstest.MapFS{"d/f.txt": {Data: []byte("in memory")}}
	b, err = fs.ReadFile(m, "d/f.txt")
	fmt.Println(string(b), err)
	names, _ := fs.Glob(m, "*/*.txt")
	fmt.Println(names, fstest.TestFS(m, "d/f.txt"))

	fmt.Println(base64.StdEncoding.EncodeToString([]byte("hi?")), hex.EncodeToString([]byte{1, 255}))
	_, err = hex.DecodeString("zz")
	fmt.Println(err)
	rows, err := csv.NewReader(strings.NewReader("a,\"b,c\"\nd,e\n")).ReadAll()
	fmt.Println(rows, len(rows[0]), err)
	w := csv.NewWriter(os.Stdout)
	check(w.Write([]string{"x y", "q\"r"}))
	w.Flush()
	buf := new(bytes.Buffer)
	check(binary.Write(buf, binary.LittleEndian, []uint16{1, 2}))
	check(binary.Write(buf, binary.BigEndian, struct {
		A int8
		B uint32
	}{-1, 7}))
	fmt.Println(buf.Bytes(), binary.BigEndian.Uint16([]byte{1, 2}), binary.AppendUvarint(nil, 300))
	fmt.Print(string(pem.EncodeToMemory(&pem.Block{Type: "T", Headers: map[string]string{"k": "v"}, Bytes: []byte("x")})))

	buf.Reset()
	gz := gzip.NewWriter(buf)
	gz.Name = "n"
	io.WriteString(gz, strings.Repeat("ab", 100))
	check(gz.Close())
	gr, err := gzip.NewReader(buf)
	check(err)
	b, err = io.ReadAll(gr)
	fmt.Println(len(b), err, gr.Name)
	buf.Reset()
	zw := zip.NewWriter(buf)
	fw, _ := zw.Create("in.txt")
	io.WriteString(fw, "zipped")
	check(zw.Close())
	zr, err := zip.NewReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	check(err)
	for _, f := range zr.File {
		rc, _ := f.Open()
		b, _ := io.ReadAll(rc)
		fmt.Println(f.Name, string(b))
	}
	buf.Reset()
	tw := tar.NewWriter(buf)
	check(tw.WriteHeader(&tar.Header{Name: "t", Size: 2, Mode: 0o600}))
	tw.Write([]byte("ok"))
	check(tw.Close())
	tr := tar.NewReader(buf)
	h, err := tr.Next()
	fmt.Println(h.Name, h.Size, err)
	_, err = tr.Next()
	_, err = tr.Next()
	fmt.Println(err == io.EOF)
}
