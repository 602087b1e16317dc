package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"text/scanner"
	"text/tabwriter"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

type upper struct{ w *strings.Builder }

func (u upper) Write(p []byte) (int, error) { return u.w.WriteString(strings.ToUpper(string(p))) }

func main() {
	fmt.Println(strings.Fields("  a b  c "), strings.Split("a,b,c", ","), strings.Title("hello world"))
	fmt.Println(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, "a1b2ç"))
	fmt.Println(strings.FieldsFunc("a1b22c", unicode.IsDigit), strings.IndexFunc("abc1", unicode.IsDigit))
	before, after, ok := strings.Cut("key=value", "=")
	fmt.Println(before, after, ok)
	r := strings.NewReplacer("<", "&lt;", ">", "&gt;")
	fmt.Println(r.Replace("<b>"), strings.EqualFold("Go", "GO"), strings.Repeat("ab", 3))
	var b strings.Builder
	fmt.Fprintf(upper{&b}, "x %d", 3)
	r.WriteString(upper{&b}, "<y>")
	fmt.Println(b.String(), b.Len())
	for i, w := range strings.Fields("one two") {
		fmt.Print(i, w, ";")
	}
	fmt.Println()
	for s := range strings.FieldsFuncSeq("a-b_c", func(r rune) bool { return r == '-' || r == '_' }) {
		fmt.Print(s, " ")
	}
	fmt.Println()
	fmt.Println(bytes.Equal([]byte("a"), []byte("a")), bytes.TrimSpace([]byte(" x ")), bytes.Title([]byte("ab")))
	var buf bytes.Buffer
	buf.WriteString("line 1\nline 2")
	line, err := buf.ReadString('\n')
	fmt.Printf("%q %v %d\n", line, err, buf.Len())
	for l := range bytes.Lines([]byte("p\nq")) {
		fmt.Printf("%q ", l)
	}
	fmt.Println()
	n, err := strconv.Atoi("12x")
	fmt.Println(n, err)
	_, err = strconv.ParseInt("300", 10, 8)
	fmt.Println(err, strconv.Quote("a\t\"b\""), strconv.FormatFloat(1.0/3, 'e', 4, 64))
	fmt.Println(strconv.AppendInt(nil, 255, 16), strconv.Itoa(-3), strconv.FormatInt(255, 2))
	if ne, ok := err.(*strconv.NumError); ok {
		fmt.Println(ne.Func, ne.Num, ne.Err == strconv.ErrRange)
	}
	fmt.Println(utf8.RuneCountInString("héé"), utf8.ValidString("\xff"), utf16.Encode([]rune("😀")))
	fmt.Println(unicode.Is(unicode.Han, '世'), unicode.In('x', unicode.Latin, unicode.Greek))

	re := regexp.MustCompile(`(?P<first>\w+)@(?P<host>\w+)\.com`)
	fmt.Println(re.FindStringSubmatch("bob@example.com"), re.SubexpNames(), re.SubexpIndex("host"))
	fmt.Println(re.ReplaceAllString("a@b.com, c@d.com", "$host:$first"))
	fmt.Println(re.ReplaceAllStringFunc("a@b.com", strings.ToUpper))
	fmt.Println(re.FindAllStringIndex("a@b.com c@d.com", -1), re.MatchString("none"))
	_, err = regexp.Compile("a(b")
	fmt.Println(err)

	tw := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintln(tw, "a\tbbb\tc")
	fmt.Fprintln(tw, "aaaa\tb\tccccc")
	tw.Flush()
	var s scanner.Scanner
	s.Init(strings.NewReader("x := 3 + foo(\"bar\") // c"))
	for tok := s.Scan(); tok != scanner.EOF; tok = s.Scan() {
		fmt.Print(s.Position, ":", scanner.TokenString(tok), ":", s.TokenText(), " ")
	}
	fmt.Println()
}
