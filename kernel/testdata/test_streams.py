"""stdout and stderr: joined, in order, and with the cell that wrote them."""

import pytest


def test_order(client, cells):
    e = client.execute(cells("one after the other"))
    got = []
    for m in e.published:
        content = m["content"]
        if m["header"]["msg_type"] == "stream":
            got.append((content["name"], content["text"]))
        elif m["header"]["msg_type"] == "display_data":
            got.append(("display", content["data"]["text/html"]))
    assert got == [
        ("stdout", "one\n"),
        ("stderr", "two\n"),
        ("display", "three"),
        ("stdout", "four\n"),
    ]


def test_many_lines(client, cells):
    e = client.execute(cells("lines", COUNT=10_000))
    assert e.stdout == "".join(f"{i}\n" for i in range(10_000))


@pytest.mark.ours
def test_lines_are_joined(client, cells):
    e = client.execute(cells("lines", COUNT=10_000))
    texts = [c["text"] for c in e.of_type("stream")]
    assert len(texts) < 500
    assert max(len(t) for t in texts) <= 1 << 20


def test_a_line_arrives_while_the_cell_runs(client, cells):
    e = client.send_execute(cells("hello, sleep", SECONDS=3600))
    client.until(lambda: e.stdout == "hello, world\n", "output")
    client.interrupt()
    client.finish(e)


@pytest.mark.ours
def test_late_output_goes_to_its_cell(client, cells):
    e = client.execute(cells("say late"))
    later = client.execute(cells("hello, now"))
    client.until(lambda: e.late, "late output")
    assert e.late[0]["content"] == {"name": "stdout", "text": "late\n"}
    assert later.stdout == "hello, world\n"


def test_descriptor_1(client, cells):
    e = client.execute(cells("to descriptor 1"))
    client.until(lambda: "raw\n" in _said(e, "stdout"), "what was written to descriptor 1")
    assert "after\n" in _said(e, "stdout")


def test_descriptor_2(client, cells):
    e = client.execute(cells("to descriptor 2"))
    client.until(lambda: "raw\n" in _said(e, "stderr"), "what was written to descriptor 2")


@pytest.mark.ours
def test_descriptor_1_is_heard_before_the_cell_ends(client, cells):
    e = client.execute(cells("to descriptor 1"))
    assert e.stdout in ("raw\nafter\n", "after\nraw\n")


@pytest.mark.ours
def test_child_process(client):
    e = client.execute(
        'cmd := exec.Command("sh", "-c", "echo out; echo err >&2")\n'
        "cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr\ncmd.Run()"
    )
    assert (e.stdout, e.stderr) == ("out\n", "err\n")


@pytest.mark.ours
@pytest.mark.parametrize("close", ["os.Stdout.Close()", 'os.NewFile(1, "stdout").Close()'])
def test_closed_descriptor(kernel, cells, close):
    """Whoever closes standard output may lose output, but not the kernel."""
    c = kernel.client()
    c.execute(close)
    for _ in range(3):
        assert c.execute(cells("hello")).status == "ok"
    assert c.execute("1 + 1").result == "2"


def test_text_that_is_not_utf8(client, cells):
    code = {
        "go": "os.Stdout.Write([]byte{0xff, 0xfe, 65, 10})",
        "python": "import os; os.write(1, b'\\xff\\xfeA\\n')",
    }[cells.language]
    e = client.execute(code)
    client.until(lambda: "A\n" in _said(e, "stdout"), "text")


def test_characters_are_not_torn(client, cells):
    e = client.execute(cells("big output", COUNT=300_000).replace("x", "é✓"))
    assert e.stdout == "é✓" * 300_000


def _said(e, name):
    late = [m["content"] for m in e.late if m["header"]["msg_type"] == "stream"]
    return e.stream(name) + "".join(c["text"] for c in late if c["name"] == name)
