package kernel

import (
	"strings"
	"testing"
)

func TestInterrupt(t *testing.T) {
	for name, code := range map[string]string{
		"loop":  "x := 1\nfmt.Println(\"ready\")\nfor {\n}",
		"sleep": "x := 1\nfmt.Println(\"ready\")\ntime.Sleep(time.Hour)",
		"print": "x := 1\nfmt.Println(\"ready\")\nfor {\n\tfmt.Println(x)\n}",
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, Config{})
			id := c.send(Shell, "execute_request", object{"code": code})
			c.waitFor("stream", id)
			c.ask(Control, "interrupt_request", object{})
			a := c.finish(id, true)
			if a.status() != "error" || a.reply.content["ename"] != "Interrupted" {
				t.Errorf("reply %v", a.reply.content)
			}
			if got := c.run("x"); got.text("execute_result") != "1" {
				t.Errorf("x is gone: %v", got.reply.content)
			}
		})
	}
}

// TestInterruptOfAWaitingCell: a cell that waits for that of another lane does not start any more.
func TestInterruptOfAWaitingCell(t *testing.T) {
	c := newClient(t, Config{})
	sub := c.ask(Control, "create_subshell_request", object{}).reply.content["subshell_id"].(string)
	c.run("x := 1")
	loop := c.send(Shell, "execute_request", object{"code": "fmt.Println(1)\nfor {\n}"})
	c.waitFor("stream", loop)
	waits := c.sendTo(Shell, sub, "execute_request", object{"code": "x = 2"})
	c.wait("busy", func(r received) bool { return r.parent.ID == waits })
	c.ask(Control, "interrupt_request", object{})
	c.finish(loop, true)
	if a := c.finish(waits, true); a.reply.content["ename"] != "Interrupted" {
		t.Errorf("%v", a.reply.content)
	}
	if a := c.run("x"); a.text("execute_result") != "1" {
		t.Errorf("x is %s", a.text("execute_result"))
	}
}

func TestUnknownMessage(t *testing.T) {
	c := newClient(t, Config{})
	for _, ch := range []Channel{Shell, Control} {
		a := c.ask(ch, "make_coffee_request", object{})
		if a.status() != "error" || a.reply.header.Type != "make_coffee_reply" {
			t.Errorf("%s: %s %v", ch, a.reply.header.Type, a.reply.content)
		}
	}
	c.finish(c.send(Shell, "make_coffee", object{}), false)
}

func TestMalformedContent(t *testing.T) {
	c := newClient(t, Config{})
	for name := range handlers {
		if !strings.HasSuffix(name, "_request") {
			c.finish(c.send(Shell, name, []int{1}), false)
			continue
		}
		switch name {
		case "shutdown_request", "execute_request", "complete_request", "history_request":
			if a := c.ask(Shell, name, []int{1}); a.status() != "error" {
				t.Errorf("%s: %v", name, a.reply.content)
			}
		}
	}
	for _, name := range []string{"execute_request", "complete_request", "inspect_request"} {
		a := c.ask(Shell, name, object{"code": nil})
		if a.status() != "error" || a.types() != "" {
			t.Errorf("%s without code: %v, published %s", name, a.reply.content, a.types())
		}
	}
}

func TestSubshell(t *testing.T) {
	c := newClient(t, Config{})
	id := c.ask(Control, "create_subshell_request", object{}).reply.content["subshell_id"].(string)
	list := c.ask(Control, "list_subshell_request", object{}).reply.content["subshell_id"]
	if ids := list.([]any); len(ids) != 1 || ids[0] != id {
		t.Errorf("list %v, want %s", list, id)
	}
	c.run("name := 1")
	loop := c.send(Shell, "execute_request", object{"code": "fmt.Println(1)\nfor {\n}"})
	c.waitFor("stream", loop)
	a := c.finish(c.sendTo(Shell, id, "complete_request", object{"code": "nam"}), true)
	if got := a.reply.content["matches"].([]any); len(got) == 0 || got[0] != "name" {
		t.Errorf("matches %v", got)
	}
	c.ask(Control, "interrupt_request", object{})
	c.finish(loop, true)
	if a := c.ask(Control, "delete_subshell_request", object{"subshell_id": id}); a.status() != "ok" {
		t.Errorf("delete: %v", a.reply.content)
	}
	if a := c.ask(Control, "delete_subshell_request", object{"subshell_id": id}); a.status() != "error" {
		t.Errorf("delete again: %v", a.reply.content)
	}
	c.finish(c.sendTo(Shell, id, "comm_msg", object{"comm_id": "1"}), false)
	a = c.finish(c.sendTo(Shell, id, "kernel_info_request", object{}), true)
	if a.status() != "error" {
		t.Errorf("request to a deleted subshell: %v", a.reply.content)
	}
}

func TestShutdown(t *testing.T) {
	for _, ch := range []Channel{Control, Shell} {
		t.Run(string(ch), func(t *testing.T) {
			c := newClient(t, Config{})
			loop := c.send(Shell, "execute_request", object{"code": "fmt.Println(1)\nfor {\n}"})
			waits := c.send(Shell, "execute_request", object{"code": "2"})
			c.waitFor("stream", loop)
			if ch == Shell { // an old client waits for the cell, or interrupts it
				c.k.Interrupt()
			}
			a := c.ask(ch, "shutdown_request", object{"restart": true})
			if a.reply.content["restart"] != true || a.types() != "shutdown_reply" {
				t.Errorf("%s %v", a.types(), a.reply.content)
			}
			c.finish(loop, true)
			if a := c.finish(waits, true); a.status() != "aborted" {
				t.Errorf("the waiting cell: %v", a.reply.content)
			}
			<-c.k.Done()
		})
	}
}

func TestInfo(t *testing.T) {
	c := newClient(t, Config{Version: "v1"})
	info := c.ask(Shell, "kernel_info_request", object{}).reply.content
	if info["protocol_version"] != "5.5" || info["debugger"] != false ||
		info["language_info"].(object)["file_extension"] != ".go" {
		t.Errorf("%v", info)
	}
	if w := c.k.Welcome("kernel."); !strings.Contains(string(w.Header), "iopub_welcome") ||
		string(w.Content) != `{"subscription":"kernel."}` {
		t.Errorf("welcome %s %s", w.Header, w.Content)
	}
}
