package main

// This file implements what Go itself makes of a program.

import (
	"context"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// compiledLimit is how long a compiled program may take, and its compilation.
const compiledLimit = 2 * time.Minute

// compile compiles a program into a folder; it returns what the compiler said if it refused.
func compile(ctx context.Context, p program, folder string) (path, refusal string, err error) {
	path = filepath.Join(folder, strings.ReplaceAll(p.name(), "/", "_")+".exe")
	did, err := run(ctx, compiledLimit, p.dir, "go", "build", "-o", path, p.file)
	if err != nil {
		return "", "", err
	}
	if did.exit != 0 {
		return "", did.output + "go build failed\n", nil
	}
	return path, "", nil
}

// inGo returns what Go wants of a program, what the program used, and whether it prints the same
// when it runs again.
func inGo(ctx context.Context, p program, folder string) (
	want wanted, used ended, again func() (bool, error), err error) {
	path, refusal, err := compile(ctx, p, folder)
	if err != nil || refusal != "" {
		return wanted{fails: true}, ended{}, nil, err
	}
	if used, err = run(ctx, compiledLimit, p.dir, path); err != nil {
		return wanted{}, ended{}, nil, err
	}
	again = func() (bool, error) {
		second, err := run(ctx, compiledLimit, p.dir, path)
		return second.output == used.output, err
	}
	return asGoRun(used), used, again, nil
}

// panicLine is how Go begins to tell of what ended the process.
var panicLine = regexp.MustCompile(`(?m)^(?:panic|fatal error): (.*?)(?: \[recovered.*\])?$`)

// asGoRun is what go run shows of a compiled program: the output and, of a failure, its status.
func asGoRun(did ended) wanted {
	text := did.output
	if did.exit == 0 {
		return wanted{output: &text}
	}
	if at := panicLine.FindStringSubmatchIndex(text); at != nil && stack.MatchString(text) {
		before, says := text[:at[0]], text[at[2]:at[3]]
		if strings.Contains(says, ") 0x") {
			says = "" // an address stands for the value
		}
		return wanted{output: &before, fails: true, dies: true, panics: says}
	}
	text += "exit status " + strconv.Itoa(did.exit) + "\n"
	return wanted{output: &text, fails: true}
}
