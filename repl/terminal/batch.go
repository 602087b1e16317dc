package terminal

import (
	"bufio"
	"context"
	"go/scanner"
	"go/token"
	"io"
	"strings"

	"halfnote/repl"
)

// Batch runs what comes from in, statement by statement, so that a result appears as soon as its
// statement is there. Declarations that follow each other are one cell, for functions may call each
// other. It stops at the first error; that of a cell is already printed. A question that finds nothing
// is none.
func Batch(ctx context.Context, ev Evaluator, in io.Reader, cfg Config) error {
	pieces := make(chan piece)
	stopped := make(chan struct{})
	defer close(stopped)
	go func() {
		defer close(pieces)
		readPieces(in, pieces, stopped)
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p, ok := <-pieces:
			if !ok {
				return nil
			}
			if p.err != nil {
				return p.err
			}
			quit, err := eval(ctx, ev, p.src, cfg)
			if quit || err != nil && !isKind(err, repl.KindUnknown) {
				return err
			}
		}
	}
}

// piece is the next cell of a pipe, or the error of reading it.
type piece struct {
	src string
	err error
}

// readPieces cuts in into cells. It ends when all is sent or nobody receives any more.
func readPieces(in io.Reader, pieces chan<- piece, stopped <-chan struct{}) {
	send := func(p piece) bool {
		if p.err == nil && strings.TrimSpace(p.src) == "" {
			return true
		}
		select {
		case pieces <- p:
			return true
		case <-stopped:
			return false
		}
	}
	r := bufio.NewReader(in)
	entry, declarations := "", ""
	program := false
	for {
		line, err := r.ReadString('\n')
		entry += line
		incomplete, _ := repl.Incomplete(entry)
		first := tokens(entry)()
		program = program || first == token.PACKAGE // a whole program is one cell
		if err == nil && (incomplete || program || first == token.EOF) {
			continue
		}
		if isDeclaration(entry) {
			declarations, entry = declarations+entry, ""
			if err == nil {
				continue
			}
		}
		if !send(piece{src: declarations}) || !send(piece{src: entry}) {
			return
		}
		entry, declarations = "", ""
		if err == nil {
			continue
		}
		if err != io.EOF {
			send(piece{err: err})
		}
		return
	}
}

// isDeclaration reports whether entry declares something that may be used before its place.
func isDeclaration(entry string) bool {
	next := tokens(entry)
	switch next() {
	case token.TYPE, token.VAR, token.CONST, token.IMPORT:
		return true
	case token.FUNC:
	default:
		return false
	}
	switch next() {
	case token.IDENT:
		return true
	case token.LPAREN: // the receiver of a method, or the parameters of a literal
	default:
		return false
	}
	for depth := 1; depth > 0; {
		switch next() {
		case token.EOF:
			return false
		case token.LPAREN:
			depth++
		case token.RPAREN:
			depth--
		}
	}
	return next() == token.IDENT && next() == token.LPAREN
}

// tokens returns a function that yields the tokens of src without comments.
func tokens(src string) (next func() token.Token) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(src)), []byte(src), nil, 0)
	return func() token.Token {
		_, tok, _ := s.Scan()
		return tok
	}
}
