package notebooks

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestWriteHTML renders testdata/page.ipynb; the golden file holds the page without its styles.
func TestWriteHTML(t *testing.T) {
	nb, err := ReadFile("testdata/page.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := nb.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, other := range []string{`src="http`, "<link", "<script", "@import", "url("} {
		if strings.Contains(page, other) {
			t.Errorf("the page needs other files: it has %s", other)
		}
	}
	got := regexp.MustCompile(`(?s)<style>.*</style>`).ReplaceAllString(page, "<style></style>")
	golden := filepath.Join("testdata", "page.golden.html")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestPageIsSafe: what a notebook says as text never becomes markup or script.
func TestPageIsSafe(t *testing.T) {
	const evil = `<script>alert(1)</script><img src=x onerror=alert(1)>`
	md := strings.ReplaceAll(`# E

E

<div onclick=x>
E
</div>

$E$

$$
E
$$

~~~go
E
~~~

~~~
E
~~~

[x](javascript:alert(1)) ![x](javascript:alert(1)) <br onload=alert(1)>`, "E", evil)
	nb := &Notebook{Cells: []*Cell{
		{ID: "a", Type: Markdown, Source: md},
		{ID: "b", Type: Code, Source: evil + "\n`" + evil + "`\n// " + evil, Outputs: []*Output{
			{Type: Stream, Name: "stdout", Text: evil},
			{Type: Error, EName: evil, EValue: evil},
			{Type: Error, Traceback: []string{"\x1b[31m" + evil + "\x1b[0m"}},
		}},
		{ID: "c", Type: Raw, Source: evil},
	}}
	var b strings.Builder
	if err := nb.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	body := b.String()[strings.Index(b.String(), "<body>"):]
	for _, bad := range []string{
		"<script", "<img src=x", "javascript:", "<div onclick", "<br onload",
	} {
		if strings.Contains(body, bad) {
			at := strings.Index(body, bad)
			t.Errorf("%s in the page: …%s", bad, body[max(0, at-80):at+40])
		}
	}
}

func TestHighlightGo(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"plain", "x := y", "x := y"},
		{"call", "f(nil)", `<span class="call">f</span>(<span class="predeclared">nil</span>)`},
		{"keyword", "for range 3 {}", `<span class="keyword">for</span> ` +
			`<span class="keyword">range</span> <span class="number">3</span> {}`},
		{"string", `"a<b"`, `<span class="string">&#34;a&lt;b&#34;</span>`},
		{"comment", "x // é\n/* a\nb */", `x <span class="comment">// é</span>` + "\n" +
			`<span class="comment">/* a` + "\nb */</span>"},
		{"raw_crlf", "`a\r\nb` + 1", `<span class="string">` + "`a\r\nb`</span>" +
			` + <span class="number">1</span>`},
		{"method_named_as_builtin", "t.max(1)",
			`t.<span class="call">max</span>(<span class="number">1</span>)`},
		{"command", "%time f()\nx", `<span class="command">%time f()</span>` + "\nx"},
		{"broken", "\"a\n'\n#", `<span class="string">&#34;a</span>` + "\n" +
			`<span class="string">&#39;</span>` + "\n#"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, string(highlightGo(test.src))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

var spanTag = regexp.MustCompile(`</?span[^>]*>`)

// FuzzHighlightGo: colours change no text.
func FuzzHighlightGo(f *testing.F) {
	for _, src := range []string{
		"x", "`a\r\n`\r", "/*\r\r*/\r", "\x00\xff", "//line a:1\n'", "!x\n%y", "0x",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got := spanTag.ReplaceAllString(string(highlightGo(src)), "")
		if want := string(escape(src)); got != want {
			t.Errorf("%q became %q", want, got)
		}
	})
}

func TestTerminalHTML(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"plain", "a<b\n\tc", "a&lt;b\n\tc"},
		{"color", "\x1b[31mred\x1b[0m plain", `<span class="fg1">red</span> plain`},
		{"bold_color", "\x1b[1;31mx\x1b[22my\x1b[39mz",
			`<span class="fg1 bold">x</span><span class="fg1">y</span>z`},
		{"bright", "\x1b[92;103mx", `<span class="fg10 bg11">x</span>`},
		{"palette", "\x1b[38;5;196mx\x1b[38;5;3my\x1b[48;5;244mz",
			`<span style="color: #ff0000">x</span><span class="fg3">y</span>` +
				`<span class="fg3" style="background-color: #808080">z</span>`},
		{"true_color", "\x1b[38;2;1;2;300mx", `<span style="color: #0102ff">x</span>`},
		{"cut_color", "\x1b[38;5mx\x1b[38mz\x1b[mw", "xzw"},
		{"other_sequences", "\x1b[2Ka\x1b]0;title\x07b\x1b[?25lc\x07", "abc"},
		{"carriage_return", "10%\r50%\r100%\nend\r\n", "100%\nend\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, string(terminalHTML(test.text))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestMarkdown(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"formula", "a $x_1*y_1*z$ b", `<p>a <code class="formula">x_1*y_1*z</code> b</p>`},
		{"money", "costs $5 and $6.", `<p>costs $5 and $6.</p>`},
		{"escaped", `\$a$`, `<p>$a$</p>`},
		{"dollar_in_formula", `$a\$b$`, `<p><code class="formula">a\$b</code></p>`},
		{"unclosed", "$a", `<p>$a</p>`},
		{"in_code", "`$a$`", `<p><code>$a$</code></p>`},
		{"display", "text\n$$\na = b\n= c\n$$\nmore",
			"<p>text</p>\n<div class=\"formula\"><code>a = b\n= c</code></div>\n<p>more</p>"},
		{"display_line", "$$a_1$$", `<div class="formula"><code>a_1</code></div>`},
		{"display_inside", "so $$a_1$$ is", `<p>so <code class="formula display">a_1</code> is</p>`},
		{"display_first", "$$a$$ is $$b$$ now", `<p><code class="formula display">a</code> is ` +
			`<code class="formula display">b</code> now</p>`},
		{"display_unclosed", "$$\na", `<div class="formula"><code>a</code></div>`},
		{"sub", "x<sub>2</sub><!-- no -->", "<p>x<sub>2</sub></p>"},
		{"raw", "a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>"},
		{"block", "<div>\n*a*\n</div>", "<pre>&lt;div&gt;\n*a*\n&lt;/div&gt;</pre>"},
		{"heading", "## Two words", `<h2 id="Two-words">Two words</h2>`},
		{"fence", "```go\nx := 1\n```",
			`<pre><code>x := <span class="number">1</span>` + "\n</code></pre>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := strings.TrimSuffix(string(newMarkdown().render(test.src, nil)), "\n")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestMarkdownAttachments(t *testing.T) {
	attachments := []byte(`{"a.png": {"image/png": ["iVBO\n", "Rw=="]}}`)
	const src = "![dot](attachment:a.png) ![no](attachment:b.png)"
	got := string(newMarkdown().render(src, attachments))
	if !strings.Contains(got, `<img src="data:image/png;base64,iVBORw==" alt="dot">`) {
		t.Errorf("got %s", got)
	}
}

func TestHeadingIDsAreUnique(t *testing.T) {
	md := newMarkdown()
	got := string(md.render("# A b\n# A b", nil)) + string(md.render("# A b", nil))
	for _, id := range []string{`id="A-b"`, `id="A-b-2"`, `id="A-b-3"`} {
		if !strings.Contains(got, id) {
			t.Errorf("no %s in %s", id, got)
		}
	}
}
