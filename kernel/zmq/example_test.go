package zmq_test

import (
	"context"
	"log/slog"
	"os"

	"halfnote/kernel"
	"halfnote/kernel/zmq"
	"halfnote/repl"
)

func ExampleServe() {
	session := repl.New(repl.Config{})
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	start := func(t kernel.Transport) *kernel.Kernel {
		return kernel.New(session, t, kernel.Config{}) // answers by t
	}
	if err := zmq.Serve(context.Background(), "kernel-1.json", log, start); err != nil {
		log.Error(err.Error())
	}
}
