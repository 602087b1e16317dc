package zmq

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/go-zeromq/zmq4"

	"halfnote/kernel"
)

// TestServe is the life of a kernel over each transport, from its file to its end.
func TestServe(t *testing.T) {
	t.Chdir(t.TempDir()) // whose path may be too long for a socket
	for transport, ip := range map[string]string{tcp: "127.0.0.1", ipc: "k"} {
		t.Run(transport, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kernel.json")
			text := regexp.MustCompile("500[1-5]").ReplaceAllString(goodFile, "0")
			text = strings.NewReplacer("127.0.0.1", ip, tcp, transport, "a0", testKey).Replace(text)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			k := newFake()
			started, ended := make(chan kernel.Transport, 1), make(chan error)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() {
				ended <- Serve(ctx, path, discard, func(t kernel.Transport) *fake {
					started <- t
					return k
				})
			}()
			to := <-started
			c, err := readConnection(path)
			if err != nil {
				t.Fatal(err)
			}
			dealer, sub := zmq4.NewDealer(ctx), zmq4.NewSub(ctx)
			for ch, socket := range map[kernel.Channel]zmq4.Socket{"shell": dealer, "iopub": sub} {
				defer socket.Close()
				if err := socket.Dial(transport + "://" + c.of(ch)); err != nil {
					t.Fatal(err)
				}
			}
			if err := sub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := sub.Recv(); err != nil {
				t.Fatal(err)
			}
			signer := newSigner(testKey)
			request := signer.encode(nil, message("shutdown_request", "{}"))
			if err := dealer.SendMulti(zmq4.NewMsgFrom(request...)); err != nil {
				t.Fatal(err)
			}
			got := <-k.received
			to.Send(kernel.Shell, got.message)
			to.Publish("status", message("status", `{"execution_state":"idle"}`))
			close(k.done)
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if m, err := dealer.Recv(); err != nil || len(m.Frames) != 6 {
				t.Errorf("%q, %v", m.Frames, err)
			}
			if m, err := sub.Recv(); err != nil || string(m.Frames[0]) != "status" {
				t.Errorf("%q, %v", m.Frames, err)
			}
			if files, _ := os.ReadDir("."); len(files) > 0 {
				t.Errorf("left behind: %v", files)
			}
		})
	}
}

func TestServeErrors(t *testing.T) {
	log := &logged{}
	never := func(kernel.Transport) *fake {
		t.Error("the kernel was started")
		return newFake()
	}
	path := filepath.Join(t.TempDir(), "kernel.json")
	serve := func() error {
		return Serve(context.Background(), path, slog.New(slog.NewTextHandler(log, nil)), never)
	}
	if err := serve(); err == nil || !strings.HasPrefix(err.Error(), "connection file "+path+": ") {
		t.Error(err)
	}
	file := strings.Replace(goodFile, "127.0.0.1", "192.0.2.1", 1)
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := serve(); err == nil || !strings.HasPrefix(err.Error(),
		"connection file "+path+": bind shell: shell_port 192.0.2.1:5001: ") {
		t.Error(err)
	}
}

// TestReasonsToEnd: whatever the reason, the kernel is shut down once.
func TestReasonsToEnd(t *testing.T) {
	for name, end := range map[string]func(signals chan os.Signal, cancel func(), parent chan bool){
		"SIGTERM":     func(s chan os.Signal, _ func(), _ chan bool) { s <- syscall.SIGTERM },
		"SIGHUP":      func(s chan os.Signal, _ func(), _ chan bool) { s <- syscall.SIGHUP },
		"context":     func(_ chan os.Signal, cancel func(), _ chan bool) { cancel() },
		"parent gone": func(_ chan os.Signal, _ func(), parent chan bool) { close(parent) },
		"all at once": func(s chan os.Signal, cancel func(), parent chan bool) {
			close(parent)
			cancel()
			s <- syscall.SIGTERM
			s <- syscall.SIGTERM
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newFake()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				signals, parent := make(chan os.Signal, 8), make(chan bool)
				ended := make(chan error)
				go func() {
					_, err := attend(ctx, k, signals, func() bool {
						select {
						case <-parent:
							return true
						default:
							return false
						}
					})
					ended <- err
				}()
				signals <- os.Interrupt
				signals <- syscall.SIGPIPE
				<-k.interrupted
				synctest.Wait()
				select {
				case <-k.stopping:
					t.Fatal("stopped by an interrupt")
				default:
				}
				end(signals, cancel, parent)
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestKernelThatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newFake()
		k.stubborn = true
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if drain, err := attend(ctx, k, nil, nil); err != errNotStopped || drain != drainOrphan {
			t.Errorf("%v, %v", drain, err)
		}
	})
}

func TestWatchedParent(t *testing.T) {
	for _, value := range []string{"", "0", "-1", "x"} {
		if watchedParent(value) != nil {
			t.Errorf("%q is watched", value)
		}
	}
}
