package kernel

import (
	"strings"
	"testing"
)

func TestCommOfTheFrontEnd(t *testing.T) {
	c := newClient(t, Config{})
	a := c.run(`display.OnComm("echo", func(c display.Comm, data any) {
	fmt.Println("opened", data)
	c.OnMessage(func(data any, buffers [][]byte) {
		c.Send(map[string]any{"again": data, "buffers": len(buffers)})
	})
	c.OnClose(func(any) { fmt.Println("closed") })
})`)
	if a.status() != "ok" {
		t.Fatal(a.reply.content)
	}
	open := c.finish(c.send(Shell, "comm_open",
		object{"comm_id": "1", "target_name": "echo", "data": "hi"}), false)
	if open.stream("stdout") != "opened hi\n" {
		t.Errorf("open: %q %q", open.stream("stdout"), open.stream("stderr"))
	}
	info := c.ask(Shell, "comm_info_request", object{"target_name": "echo"}).reply.content
	if info["comms"].(object)["1"].(object)["target_name"] != "echo" {
		t.Errorf("info %v", info)
	}
	msg := c.finish(c.send(Shell, "comm_msg", object{"comm_id": "1", "data": 7}), false)
	if msg.types() != "comm_msg" ||
		msg.published[0].content["data"].(object)["again"] != 7.0 {
		t.Errorf("msg: %s %q", msg.types(), msg.stream("stderr"))
	}
	closed := c.finish(c.send(Shell, "comm_close", object{"comm_id": "1"}), false)
	if closed.stream("stdout") != "closed\n" {
		t.Errorf("close: %q", closed.stream("stdout"))
	}
	info = c.ask(Shell, "comm_info_request", object{}).reply.content
	if len(info["comms"].(object)) != 0 {
		t.Errorf("info after close %v", info)
	}
}

func TestCommOfACell(t *testing.T) {
	c := newClient(t, Config{})
	a := c.run(`line, err := display.OpenComm("view", map[string]any{"x": 1})
line.Send("news", []byte{1, 2})
line.Close(nil)
if err != nil {
	panic(err)
}`)
	if got := a.types(); got != "execute_input comm_open comm_msg comm_close" {
		t.Fatalf("%s %v", got, a.reply.content)
	}
	open := a.published[1].content
	if open["target_name"] != "view" || open["data"].(object)["x"] != 1.0 {
		t.Errorf("open %v", open)
	}
	if b := a.published[2].msg.Buffers; len(b) != 1 || len(b[0]) != 2 {
		t.Errorf("buffers %v", b)
	}
}

func TestCommOfUnknownTarget(t *testing.T) {
	c := newClient(t, Config{})
	id := c.send(Shell, "comm_open", object{"comm_id": "9", "target_name": "none", "data": object{}})
	if a := c.finish(id, false); a.types() != "comm_close" || a.published[0].content["comm_id"] != "9" {
		t.Errorf("%s", a.types())
	}
	c.finish(c.send(Shell, "comm_msg", object{"comm_id": "9", "data": object{}}), false)
}

func TestCommThatCannotOpen(t *testing.T) {
	c := newClient(t, Config{})
	c.run(`display.OnComm("bad", func(display.Comm, any) { panic("sorry") })`)
	a := c.finish(c.send(Shell, "comm_open", object{"comm_id": "1", "target_name": "bad"}), false)
	if !strings.Contains(a.types(), "comm_close") || a.stream("stderr") == "" {
		t.Errorf("%s %q", a.types(), a.stream("stderr"))
	}
	info := c.ask(Shell, "comm_info_request", object{}).reply.content
	if len(info["comms"].(object)) != 0 {
		t.Errorf("info %v", info)
	}
}

// TestStopOfAComm: what answers a comm while a cell runs stops with it, and alone.
func TestStopOfAComm(t *testing.T) {
	for name, wait := range map[string]string{
		"channel": "<-make(chan int)", "loop": "for {}", "sleep": "time.Sleep(time.Hour)",
		"lock": "mu.Lock()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, Config{})
			c.run("var mu sync.Mutex\nmu.Lock()\n" +
				`display.OnComm("wait", func(c display.Comm, data any) { fmt.Println("begun"); ` + wait + ` })`)
			sub := c.ask(Control, "create_subshell_request", object{}).reply.content["subshell_id"]
			open := func() string {
				id := c.sendTo(Shell, sub.(string), "comm_open", object{"comm_id": "1", "target_name": "wait"})
				c.waitFor("stream", id)
				return id
			}
			loop := c.send(Shell, "execute_request", object{"code": "fmt.Println(1)\nfor {\n}"})
			c.waitFor("stream", loop)
			id := open()
			c.ask(Control, "interrupt_request", object{})
			c.finish(loop, true)
			c.finish(id, false)
			id = open() // no cell runs
			c.ask(Control, "interrupt_request", object{})
			c.finish(id, false)
			if a := c.run("6 * 7"); a.text("execute_result") != "42" {
				t.Errorf("%v", a.reply.content)
			}
			loop = c.send(Shell, "execute_request", object{"code": "fmt.Println(1)\nfor {\n}"})
			c.waitFor("stream", loop)
			open()
			c.ask(Control, "shutdown_request", object{})
			<-c.k.Done()
		})
	}
}

// TestCommWhileACellRuns: on a subshell a comm is answered at once; a panic there is shown and
// ends nothing.
func TestCommWhileACellRuns(t *testing.T) {
	c := newClient(t, Config{})
	c.run(`display.OnComm("count", func(c display.Comm, data any) {
	c.OnMessage(func(data any, _ [][]byte) {
		if data == nil {
			panic("no data")
		}
		fmt.Println("got", data)
	})
})`)
	c.finish(c.send(Shell, "comm_open", object{"comm_id": "1", "target_name": "count"}), false)
	sub := c.ask(Control, "create_subshell_request", object{}).reply.content["subshell_id"].(string)
	loop := c.send(Shell, "execute_request", object{"code": "fmt.Println(1)\nfor {\n}"})
	c.waitFor("stream", loop)
	a := c.finish(c.sendTo(Shell, sub, "comm_msg", object{"comm_id": "1", "data": 5}), false)
	if a.stream("stdout") != "got 5\n" {
		t.Errorf("%q %q", a.stream("stdout"), a.stream("stderr"))
	}
	a = c.finish(c.sendTo(Shell, sub, "comm_msg", object{"comm_id": "1", "data": nil}), false)
	if a.stream("stderr") == "" {
		t.Errorf("the panic is not shown")
	}
	c.k.Interrupt()
	if a := c.finish(loop, true); a.reply.content["ename"] != "Interrupted" {
		t.Errorf("%v", a.reply.content)
	}
}
