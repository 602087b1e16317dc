"""input_request and input_reply."""

import pytest


def test_ask(client, cells):
    e = client.send_execute(cells("ask"))
    request = client.answer(e, "Gopher")
    assert request["content"] == {"prompt": "name? ", "password": False}
    assert request["parent_header"]["msg_id"] == e.id
    assert client.finish(e).result == cells.word("text", TEXT="Gopher")


def test_password(client, cells):
    e = client.send_execute(cells("ask secretly"))
    request = client.answer(e, "hush")
    assert request["content"] == {"prompt": "password? ", "password": True}
    assert client.finish(e).result == cells.word("text", TEXT="hush")


def test_output_before_the_question_arrives_first(client, cells):
    e = client.send_execute(cells("print", TEXT="before") + "\n" + cells("ask"))
    client.until(lambda: e.inputs, "input request")
    client.until(lambda: e.stdout == "before", "output before the question")
    client.answer(e, "")
    client.finish(e)


def test_nobody_to_ask(client, cells):
    e = client.execute(cells("ask"), allow_stdin=False)
    assert not e.inputs
    assert client.execute(cells("hello")).status == "ok"


@pytest.mark.ours
def test_nobody_to_ask_is_told(client, cells):
    e = client.execute(cells("ask"), allow_stdin=False)
    assert e.stderr == "error: the front end gives no input here: EOF\n"


def test_interrupt_while_asking(client, cells):
    e = client.send_execute(cells("ask"))
    client.until(lambda: e.inputs, "input request")
    client.interrupt()
    assert client.finish(e).error["ename"] == cells.word("error name of an interrupt")
    again = client.send_execute(cells("ask"))
    client.answer(again, "after")
    assert client.finish(again).result == cells.word("text", TEXT="after")


def test_the_asking_client_is_asked(shared, client, cells):
    other = shared.client()
    e = other.send_execute(cells("ask"))
    other.answer(e, "mine")
    assert other.finish(e).result == cells.word("text", TEXT="mine")


@pytest.mark.ours
def test_scan(client):
    e = client.send_execute(
        "var name string\nvar age int\nn, err := fmt.Scan(&name, &age)\n"
        "fmt.Println(n, err, name, age)"
    )
    client.answer(e, "Gopher 16")
    assert client.finish(e).stdout == "2 <nil> Gopher 16\n"


@pytest.mark.ours
def test_scanner(client):
    e = client.send_execute(
        "lines := bufio.NewScanner(os.Stdin)\n"
        'for range 2 {\n\tlines.Scan()\n\tfmt.Printf("%q\\n", lines.Text())\n}'
    )
    client.answer(e, "first line")
    client.answer(e, "")
    assert client.finish(e).stdout == '"first line"\n""\n'


@pytest.mark.ours
def test_reader(client):
    e = client.send_execute(
        "r := bufio.NewReader(os.Stdin)\n"
        "line, err := r.ReadString('\\n')\n"
        'fmt.Printf("%q %v\\n", line, err)'
    )
    client.answer(e, "größer ✓")
    assert client.finish(e).stdout == '"größer ✓\\n" <nil>\n'


@pytest.mark.ours
def test_scan_with_nobody_to_ask(client):
    e = client.execute(
        "var left string\n_, err := fmt.Scan(&left)\nfmt.Println(err)", allow_stdin=False
    )
    assert e.stdout == "EOF\n"
