package notebooks

import (
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"
)

// escapes matches the control sequences of a terminal; those of SGR have their parameters as the
// first group, others are dropped.
var escapes = regexp.MustCompile(
	`\x1b\[([0-9;:]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]`)

// terminalHTML returns text as a terminal shows it: colours as spans, and of a line that was
// rewritten after a carriage return only the last state.
func terminalHTML(text string) template.HTML {
	text = rewritten(text)
	var b strings.Builder
	var style sgr
	end := 0
	write := func(s string) {
		s = strings.Map(dropControl, s)
		if class, css := style.attributes(); s != "" && class+css != "" {
			fmt.Fprintf(&b, "<span%s%s>%s</span>", class, css, template.HTMLEscapeString(s))
			return
		}
		b.WriteString(template.HTMLEscapeString(s))
	}
	for _, m := range escapes.FindAllStringSubmatchIndex(text, -1) {
		write(text[end:m[0]])
		end = m[1]
		if m[2] >= 0 {
			style.apply(text[m[2]:m[3]])
		}
	}
	write(text[end:])
	return template.HTML(b.String())
}

// rewritten keeps what follows the last carriage return of each line.
func rewritten(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		b.WriteString(body[strings.LastIndexByte(body, '\r')+1:])
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func dropControl(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
		return -1
	}
	return r
}

// sgr is the state that SGR sequences change. Colours 0 to 15 are classes, which follow the page's
// light or dark theme; others are CSS.
type sgr struct {
	bold, faint, italic, underline, inverse bool
	fg, bg                                  string
}

func (s *sgr) apply(params string) {
	fields := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(fields) == 0 {
		fields = []string{"0"}
	}
	for i := 0; i < len(fields); i++ {
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			continue
		}
		switch {
		case n == 0:
			*s = sgr{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.faint = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.underline = true
		case n == 7:
			s.inverse = true
		case n == 22:
			s.bold, s.faint = false, false
		case n == 23:
			s.italic = false
		case n == 24:
			s.underline = false
		case n == 27:
			s.inverse = false
		case n >= 30 && n <= 37:
			s.fg = strconv.Itoa(n - 30)
		case n >= 90 && n <= 97:
			s.fg = strconv.Itoa(n - 90 + 8)
		case n >= 40 && n <= 47:
			s.bg = strconv.Itoa(n - 40)
		case n >= 100 && n <= 107:
			s.bg = strconv.Itoa(n - 100 + 8)
		case n == 38 || n == 48:
			color, used := extendedColor(fields[i+1:])
			i += used
			if n == 38 {
				s.fg = color
			} else {
				s.bg = color
			}
		case n == 39:
			s.fg = ""
		case n == 49:
			s.bg = ""
		}
	}
}

// extendedColor reads the parameters after 38 or 48: 5;n of a palette or 2;r;g;b.
func extendedColor(fields []string) (color string, used int) {
	var n [4]int
	for i := range min(len(fields), len(n)) {
		n[i], _ = strconv.Atoi(fields[i])
		n[i] = min(max(n[i], 0), 255)
	}
	switch {
	case len(fields) >= 4 && n[0] == 2:
		return fmt.Sprintf("#%02x%02x%02x", n[1], n[2], n[3]), 4
	case len(fields) < 2 || n[0] != 5:
		return "", len(fields)
	case n[1] < 16:
		return strconv.Itoa(n[1]), 2
	case n[1] >= 232:
		gray := 8 + 10*(n[1]-232)
		return fmt.Sprintf("#%02x%02x%02x", gray, gray, gray), 2
	}
	level := func(i int) int { // the steps of the 6×6×6 cube
		if i == 0 {
			return 0
		}
		return 55 + 40*i
	}
	i := n[1] - 16
	return fmt.Sprintf("#%02x%02x%02x", level(i/36), level(i/6%6), level(i%6)), 2
}

// attributes returns the class and style attributes of a span, or nothing for plain text.
func (s *sgr) attributes() (class, css string) {
	var classes, styles []string
	for _, c := range [...]struct{ color, class, property string }{
		{s.fg, "fg", "color"}, {s.bg, "bg", "background-color"},
	} {
		switch {
		case c.color == "":
		case c.color[0] == '#':
			styles = append(styles, c.property+": "+c.color)
		default:
			classes = append(classes, c.class+c.color)
		}
	}
	for _, flag := range [...]struct {
		on   bool
		name string
	}{
		{s.bold, "bold"}, {s.faint, "faint"}, {s.italic, "italic"},
		{s.underline, "underline"}, {s.inverse, "inverse"},
	} {
		if flag.on {
			classes = append(classes, flag.name)
		}
	}
	if len(classes) > 0 {
		class = ` class="` + strings.Join(classes, " ") + `"`
	}
	if len(styles) > 0 {
		css = ` style="` + strings.Join(styles, "; ") + `"`
	}
	return class, css
}
