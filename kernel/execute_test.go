package kernel

import (
	"strings"
	"testing"
)

func TestExecute(t *testing.T) {
	c := newClient(t, Config{})
	a := c.run("fmt.Println(\"hello\")\n6 * 7")
	if got := a.types(); got != "execute_input stream execute_result" {
		t.Errorf("published %s", got)
	}
	if a.stream("stdout") != "hello\n" || a.text("execute_result") != "42" {
		t.Errorf("stdout %q, result %q", a.stream("stdout"), a.text("execute_result"))
	}
	if a.status() != "ok" || a.reply.content["execution_count"] != 1.0 {
		t.Errorf("reply %v", a.reply.content)
	}
	if got := a.published[0].content; got["execution_count"] != 1.0 ||
		!strings.HasPrefix(got["code"].(string), "fmt") {
		t.Errorf("execute_input %v", got)
	}
}

func TestExecuteError(t *testing.T) {
	c := newClient(t, Config{})
	c.run("x := 1")
	a := c.run("y := 2\ny + foo")
	if got := a.types(); got != "execute_input error" {
		t.Errorf("published %s", got)
	}
	reply := a.reply.content
	if reply["status"] != "error" || reply["ename"] != "CompileError" ||
		reply["evalue"] != "undefined: foo" || reply["execution_count"] != 2.0 {
		t.Errorf("reply %v", reply)
	}
	first := reply["traceback"].([]any)[0].(string)
	if !strings.Contains(first, "cell 2:2:5") || !strings.Contains(first, "\x1b[") {
		t.Errorf("traceback %q", first)
	}
	if got := c.run("x"); got.text("execute_result") != "1" {
		t.Errorf("after the error x is %q", got.text("execute_result"))
	}
}

func TestExecuteSilent(t *testing.T) {
	c := newClient(t, Config{})
	silent := c.ask(Shell, "execute_request", object{"code": "x := 5\nx", "silent": true})
	if silent.types() != "" || silent.status() != "ok" {
		t.Errorf("silent published %q, reply %v", silent.types(), silent.reply.content)
	}
	if a := c.run("x"); a.text("execute_result") != "5" ||
		a.reply.content["execution_count"] != 1.0 {
		t.Errorf("after silent: %v", a.reply.content)
	}
	unkept := c.ask(Shell, "execute_request", object{"code": "x + 1", "store_history": false})
	if unkept.text("execute_result") != "6" || unkept.reply.content["execution_count"] != 1.0 {
		t.Errorf("without history: %v, %q", unkept.reply.content, unkept.text("execute_result"))
	}
	if a := c.run("x"); a.reply.content["execution_count"] != 2.0 {
		t.Errorf("after store_history false: %v", a.reply.content)
	}
}

func TestUserExpressions(t *testing.T) {
	c := newClient(t, Config{})
	a := c.ask(Shell, "execute_request", object{
		"code":             "x := 20",
		"user_expressions": object{"twice": "2 * x", "wrong": "nothing"},
	})
	values := a.reply.content["user_expressions"].(object)
	twice := values["twice"].(object)
	if twice["status"] != "ok" || twice["data"].(object)["text/plain"] != "40" {
		t.Errorf("twice: %v", twice)
	}
	wrong := values["wrong"].(object)
	if wrong["status"] != "error" || wrong["evalue"] != "undefined: nothing" {
		t.Errorf("wrong: %v", wrong)
	}
}

func TestStopOnError(t *testing.T) {
	for _, stop := range []bool{true, false} {
		c := newClient(t, Config{})
		first := c.send(Shell, "execute_request", object{
			"code": "display.Input(``)\npanic(`no`)", "stop_on_error": stop, "allow_stdin": true,
		})
		second := c.send(Shell, "execute_request", object{"code": "1 + 1"})
		info := c.send(Shell, "kernel_info_request", object{})
		c.input(first, "") // fails now that the others wait
		c.finish(first, true)
		want := "ok"
		if stop {
			want = "aborted"
		}
		if a := c.finish(second, true); a.status() != want {
			t.Errorf("stop_on_error %v: the next cell's status is %v", stop, a.status())
		}
		if a := c.finish(info, true); a.status() != "ok" {
			t.Errorf("stop_on_error %v: kernel_info's status is %v", stop, a.status())
		}
		if a := c.run("2 + 2"); a.text("execute_result") != "4" {
			t.Errorf("stop_on_error %v: a later cell gives %q", stop, a.text("execute_result"))
		}
	}
}

func TestPayloads(t *testing.T) {
	c := newClient(t, Config{})
	c.run("answer := 42")
	for code, source := range map[string]string{
		"?answer": "page", "answer?": "page", "??answer": "page", "%quit": "ask_exit",
	} {
		a := c.run(code)
		list, _ := a.reply.content["payload"].([]any)
		if len(list) != 1 || list[0].(object)["source"] != source {
			t.Errorf("%s: payload %v", code, a.reply.content)
		}
	}
	if a := c.run("answer"); a.text("execute_result") != "42" {
		t.Errorf("after %%quit: %v", a.reply.content)
	}
}
