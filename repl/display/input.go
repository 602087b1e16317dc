package display

// This file implements questions to the person at the front end.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Asker is an [Output] that can ask the person for a line of text.
type Asker interface {
	// Ask shows the prompt, after all that the cell has printed so far, and returns the line that
	// the person enters, without its end. A password is not shown while it is typed. The error is
	// io.EOF where there is nobody to ask, or that of ctx when it is done.
	//
	// [Input] does not know the context of its cell: an Output that belongs to one cell ends Ask
	// also when that cell is stopped.
	Ask(ctx context.Context, prompt string, password bool) (string, error)
}

// Input shows the prompt under the cell and returns the line that the person enters there, without
// its end. Outside of a front end that asks, it prints the prompt and reads the process's standard
// input. At the end of the input, and where there is nobody to ask, the error is io.EOF.
func Input(prompt string) (string, error) { return ask(prompt, false) }

// Password is [Input] of a line that is not shown while it is typed.
func Password(prompt string) (string, error) { return ask(prompt, true) }

func ask(prompt string, password bool) (string, error) {
	line, err := asker().Ask(context.Background(), prompt, password)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("input: %w", err)
	}
	return line, err
}

func asker() Asker {
	if a, ok := As[Asker](Current()); ok {
		return a
	}
	return process{}
}

// Ask implements [Asker].
func (p process) Ask(_ context.Context, prompt string, password bool) (string, error) {
	p.Stream("stdout", prompt)
	if fd := int(os.Stdin.Fd()); password && term.IsTerminal(fd) {
		line, err := term.ReadPassword(fd)
		p.Stream("stdout", "\n") // the person's own was not echoed
		return string(line), err
	}
	return readLine(os.Stdin)
}

// readLine reads one line and nothing behind it, for others read the same file.
func readLine(r io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := r.Read(b)
		switch {
		case n == 1 && b[0] == '\n':
			if end := len(line) - 1; end >= 0 && line[end] == '\r' {
				line = line[:end]
			}
			return string(line), nil
		case n == 1:
			line = append(line, b[0])
		case err == io.EOF && len(line) > 0:
			return string(line), nil
		case err != nil:
			return "", err
		}
	}
}
