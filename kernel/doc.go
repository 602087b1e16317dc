// Package kernel is the Jupyter front end of a session: the messages of protocol 5.5, how each is
// answered, and in which order. It knows messages and no sockets; package kernel/zmq carries them
// over ZeroMQ, and another [Transport] may carry them elsewhere.
//
//	k := kernel.New(session, transport, kernel.Config{})
//	k.Receive(kernel.Shell, message) // answers by transport.Send and transport.Publish
//	<-k.Done()                       // after a shutdown_request
//
// A message waits in a lane, which serves one after another: the shell has one, each subshell has
// one, and control has one, so that a cell can be interrupted. The way of every request is
//
//	status busy ─► handler ─► what the cell still had to print ─► reply ─► status idle
//
// and no way leads around the last two: a request that is unknown, malformed or aborted is
// answered as well, and so is one whose handler panics.
//
// A cell's output goes to iopub with the header of its request as the parent, also what its
// goroutines print after its end. Printed text is joined for up to 50 ms or 64 KB.
//
// Cells run one at a time, those of subshells too; what else comes on a subshell, such as
// completion or a comm, is answered while a cell runs. There is no debugger, and kernel_info says
// so.
package kernel
