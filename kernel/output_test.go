package kernel

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestStreamsAreJoined(t *testing.T) {
	c := newClient(t, Config{})
	begun := time.Now()
	a := c.run("for i := range 20000 {\n\tfmt.Println(i)\n}")
	text := a.stream("stdout")
	if strings.Count(text, "\n") != 20000 || !strings.HasSuffix(text, "\n19999\n") {
		t.Errorf("%d bytes, %d lines", len(text), strings.Count(text, "\n"))
	}
	took := time.Since(begun)
	if n := len(a.published); n > 3+len(text)/joinBytes+int(took/joinFor) {
		t.Errorf("%d messages in %v", n, took)
	}
}

func TestStreamOrder(t *testing.T) {
	c := newClient(t, Config{})
	a := c.run(`import "os"
fmt.Print("one ")
fmt.Fprint(os.Stderr, "two ")
fmt.Print("three ")
display.Show(display.HTML("<b>four</b>"))
fmt.Print("five")`)
	var got []string
	for _, r := range a.published[1:] {
		if text, ok := r.content["text"].(string); ok {
			got = append(got, text)
		} else {
			got = append(got, "shown")
		}
	}
	if s := strings.Join(got, "|"); s != "one |two |three |shown|five" {
		t.Errorf("order %s", s)
	}
}

func TestLargePrintGoesInPieces(t *testing.T) {
	c := newClient(t, Config{})
	a := c.run(`fmt.Print(strings.Repeat("日本", 1<<20))`)
	for _, r := range a.published {
		text, _ := r.content["text"].(string)
		if len(text) > streamMax+joinBytes || strings.ContainsRune(text, utf8.RuneError) {
			t.Errorf("a piece of %d bytes, broken: %v", len(text),
				strings.ContainsRune(text, utf8.RuneError))
		}
	}
	if text := a.stream("stdout"); text != strings.Repeat("日本", 1<<20) {
		t.Errorf("%d bytes arrived", len(text))
	}
}

// TestOutputAfterTheCell: what a goroutine prints later belongs to the cell that started it.
func TestOutputAfterTheCell(t *testing.T) {
	c := newClient(t, Config{})
	first := c.send(Shell, "execute_request", object{"code": `next := make(chan bool)
go func() {
	<-next
	fmt.Print("late")
}()`})
	c.finish(first, true)
	c.run("next <- true")
	if r := c.waitFor("stream", first); r.content["text"] != "late" {
		t.Errorf("%v", r.content)
	}
}

// TestOutputOfCompiledGoroutines: goroutines that compiled code starts show things in the cell too.
func TestOutputOfCompiledGoroutines(t *testing.T) {
	c := newClient(t, Config{})
	a := c.run(`var wg sync.WaitGroup
wg.Go(func() { display.Show(display.HTML("<b>x</b>")) })
wg.Wait()`)
	if got := a.types(); got != "execute_input display_data" {
		t.Errorf("published %s, %q", got, a.stream("stdout"))
	}
}

func TestDisplayMessages(t *testing.T) {
	c := newClient(t, Config{})
	a := c.run("fmt.Print(1)\ndisplay.Show(display.Markdown(\"*x*\"))\ndisplay.Clear(true)")
	if got := a.types(); got != "execute_input stream display_data clear_output" {
		t.Errorf("published %s", got)
	}
	data := a.published[2].content["data"].(object)
	if data["text/markdown"] != "*x*" || data["text/plain"] != "*x*" {
		t.Errorf("data %v", data)
	}
	if a.published[3].content["wait"] != true {
		t.Errorf("clear %v", a.published[3].content)
	}
	live := c.run("display.Live(7)")
	if got := live.types(); got != "execute_input display_data update_display_data" {
		t.Errorf("live published %s", got)
	}
	id := live.published[1].content["transient"].(object)["display_id"]
	if id == "" || live.published[2].content["transient"].(object)["display_id"] != id {
		t.Errorf("display_id %v", id)
	}
}

// TestCharacterInTwoPrints: a character whose bytes are printed one by one arrives whole.
func TestCharacterInTwoPrints(t *testing.T) {
	c := newClient(t, Config{})
	a := c.run(`fmt.Print("x\xc3")
time.Sleep(150 * time.Millisecond)
fmt.Print("\xa9")`)
	if got := a.stream("stdout"); got != "xé" {
		t.Errorf("%q", got)
	}
}
