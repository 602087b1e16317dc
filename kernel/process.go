package kernel

import (
	"log/slog"
	"os"

	"halfnote/repl"
)

// Process returns what starts the kernel of this process, and a log of what no client can be told.
// The kernel's session has the person's history and takes over the process's standard output and
// error, so that all that is written there becomes output of cells; the log goes to where they led
// before. Notes for the case of a crash stand beside the connection file.
func Process(connectionFile, version string) (start func(Transport) *Kernel, log *slog.Logger) {
	var session *repl.Session
	log = slog.New(slog.NewTextHandler(writer(func(text []byte) (int, error) {
		if session == nil {
			return os.Stderr.Write(text)
		}
		return session.OriginalStderr().Write(text)
	}), nil))
	warn := func(err error) {
		if err != nil {
			log.Warn(err.Error())
		}
	}
	return func(t Transport) *Kernel {
		history, err := repl.OpenHistory("")
		warn(err)
		crash, err := OpenCrash(connectionFile)
		warn(err)
		session = repl.New(repl.Config{
			History: history, Asks: true, CaptureProcess: true, StderrLog: crash.Stderr(),
		})
		return New(session, t, Config{History: history, Version: version, Crash: crash, Log: log})
	}, log
}

// writer is an io.Writer that is a function.
type writer func(text []byte) (int, error)

func (w writer) Write(text []byte) (int, error) { return w(text) }
