package display

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// asking is an Output with a person who answers every question with its prompt.
type asking struct {
	recorder
	err error
}

func (a *asking) Ask(_ context.Context, prompt string, password bool) (string, error) {
	a.add("ask %q %v", prompt, password)
	return strings.ToUpper(prompt), a.err
}

func TestInput(t *testing.T) {
	out := &asking{}
	defer Bind(out)()
	for _, question := range []func(string) (string, error){Input, Password} {
		if got, err := question("name?"); got != "NAME?" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if want := `ask "name?" false ask "name?" true`; strings.Join(out.calls, " ") != want {
		t.Errorf("got %q, want %q", out.calls, want)
	}
	out.err = io.EOF
	if _, err := Input(""); err != io.EOF {
		t.Errorf("nobody to ask: %v", err)
	}
	out.err = errors.New("no line")
	if _, err := Input(""); err == nil || err.Error() != "input: no line" {
		t.Errorf("got %v", err)
	}
}

func TestReadLine(t *testing.T) {
	r := strings.NewReader("one\ntwo\r\n\nlast")
	for _, want := range []string{"one", "two", "", "last"} {
		if got, err := readLine(r); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if _, err := readLine(r); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}
