// Package zmq carries the messages of package kernel over ZeroMQ: the connection file, the
// signature and the frames of each message, and the five sockets that a Jupyter client connects to.
//
//	err := zmq.Serve(ctx, "kernel-1.json", log, func(t kernel.Transport) *kernel.Kernel {
//		return kernel.New(session, t, kernel.Config{}) // answers by t
//	})
//
// Serve reads the connection file, binds its addresses, starts the kernel and hands it what comes:
//
//	connection file ─► listeners ─► shell, control and stdin (ROUTER), iopub (PUB), heartbeat
//	a connection    ─► handshake ─► peer: one goroutine reads it, one writes its queue
//	frames read     ─► signature, then shape ─► kernel.Message ─► Kernel.Receive
//	Send, Publish   ─► frames, signed once ─► queues of the peers ─► connections
//
// The ZMTP handshake is that of github.com/go-zeromq/zmq4; reading, queues and delivery are done
// here, for the socket types of that library let one silent or suspended client stall all others,
// lose what is queued when they close and cannot tell of subscriptions.
//
// What a connection costs is bounded (see limits): a client that is silent, sends nonsense or does
// not read loses its own connection, others notice nothing, and the log says so once. A message is
// only read further when its signature holds, and its sizes are checked before memory is taken.
//
// Limits: CURVE is not offered, so tcp beyond the own machine is signed but not encrypted; use ipc
// or a tunnel. Heartbeats of ZMTP are answered, but their TTL is not watched.
package zmq
