package display

// The size of a gonum plot, in points: as wide as a notebook's text, in the proportion 8:5.
const (
	PlotWidth  = 480
	PlotHeight = 300
)

// The colours of progress bars in HTML, which have contrast on light and on dark pages.
const (
	barColor   = "#1f77b4"
	trackColor = "#79797955"
)

// Style is how a front end marks a kind of text on a terminal: the parameters of an ANSI SGR
// sequence. Only the sixteen named colours are used, which every terminal theme keeps readable.
type Style string

// The styles of everything that is printed with colour, by what it means.
const (
	StylePlain   Style = ""
	StyleInput   Style = "32"   // the prompt In [n]:
	StyleOutput  Style = "31"   // the mark Out[n]:
	StyleError   Style = "1;31" // the first line of an error
	StylePlace   Style = "1"    // where it happened: cell 3:2:9
	StyleCaret   Style = "31"
	StyleHelp    Style = "36" // a way out, and notices
	StyleFaint   Style = "2"
	StyleKeyword Style = "35"
	StyleString  Style = "32"
	StyleNumber  Style = "36"
	StyleComment Style = "2"
)

// Paint returns text in the style if color is set, else text alone. Whether there is colour is the
// front end's decision, by its options, NO_COLOR, TERM and whether it writes to a terminal.
func (s Style) Paint(text string, color bool) string {
	if !color || s == StylePlain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
