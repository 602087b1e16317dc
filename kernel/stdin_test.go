package kernel

import "testing"

// input answers the input_request of a cell.
func (c *client) input(id, value string) received {
	c.t.Helper()
	asked := c.waitFor("input_request", id)
	c.k.Receive(Stdin, &Message{
		Header: encode(header{ID: "reply-" + value, Type: "input_reply"}),
		Parent: asked.msg.Header, Metadata: emptyObject,
		Content: encode(object{"value": value}),
	})
	return asked
}

func TestInput(t *testing.T) {
	c := newClient(t, Config{})
	id := c.send(Shell, "execute_request", object{
		"code": "display.Input(\"name? \")", "allow_stdin": true,
	})
	asked := c.input(id, "Ada")
	if asked.content["prompt"] != "name? " || asked.content["password"] != false ||
		string(asked.msg.Identities[0]) != "client" {
		t.Errorf("asked %v of %q", asked.content, asked.msg.Identities)
	}
	if a := c.finish(id, true); a.text("execute_result") != `"Ada"` {
		t.Errorf("%v %q", a.reply.content, a.text("execute_result"))
	}
	secret := c.send(Shell, "execute_request", object{
		"code": "display.Password(\"key? \")", "allow_stdin": true,
	})
	if asked := c.input(secret, "x"); asked.content["password"] != true {
		t.Errorf("asked %v", asked.content)
	}
	c.finish(secret, true)
}

func TestScan(t *testing.T) {
	c := newClient(t, Config{})
	id := c.send(Shell, "execute_request", object{
		"code": "var n int\nfmt.Print(\"n: \")\nfmt.Scan(&n)\nn + 1", "allow_stdin": true,
	})
	c.input(id, "41")
	if a := c.finish(id, true); a.text("execute_result") != "42" {
		t.Errorf("%v %q %q", a.reply.content, a.text("execute_result"), a.stream("stderr"))
	}
}

func TestInputIsNotAllowed(t *testing.T) {
	c := newClient(t, Config{})
	a := c.ask(Shell, "execute_request", object{
		"code": "var n int\n_, err := fmt.Scan(&n)\nerr.Error()", "allow_stdin": false,
	})
	if a.status() != "ok" || a.text("execute_result") == "" {
		t.Errorf("%v %q", a.reply.content, a.text("execute_result"))
	}
}

func TestInterruptInput(t *testing.T) {
	c := newClient(t, Config{})
	for _, code := range []string{
		"x := 3\n_, _ = display.Input(\"\")\nx++",
		"x := 3\nfunc() { defer func() { recover() }(); display.Password(\"\"); x++ }()\nx++",
		"x := 3\nvar s string\n_, _ = fmt.Scan(&s)\nx++",
	} {
		id := c.send(Shell, "execute_request", object{"code": code, "allow_stdin": true})
		c.waitFor("input_request", id)
		c.ask(Control, "interrupt_request", object{})
		if a := c.finish(id, true); a.reply.content["ename"] != "Interrupted" {
			t.Errorf("%v", a.reply.content)
		}
		if a := c.run("x"); a.text("execute_result") != "3" {
			t.Errorf("%v", a.reply.content)
		}
	}
}
