"""execute_request: its options, its replies, its place in the queue."""


def test_output_and_input(client, cells):
    e = client.execute(cells("hello"))
    assert e.status == "ok"
    assert e.stdout == "hello, world\n"
    assert e.kinds == ["stream"]
    assert e.reply["content"]["user_expressions"] == {}


def test_result(client, cells):
    client.execute(cells("define"))
    e = client.execute(cells.word("kept"))
    assert e.result == "42"
    (result,) = e.of_type("execute_result")
    assert result["execution_count"] == e.reply["content"]["execution_count"]


def test_semicolon_hides_the_result(client, cells):
    assert client.execute(cells("hidden")).kinds == []


def test_empty_cell(client):
    for code in "", "\n", "  \n\t":
        assert client.execute(code).status == "ok"


def test_counts(client, cells):
    first = client.execute(cells("hello")).reply["content"]["execution_count"]
    counts = [client.execute(cells("hello")).reply["content"]["execution_count"] for _ in range(3)]
    assert counts == [first + 1, first + 2, first + 3]
    assert client.execute(cells("fail")).reply["content"]["execution_count"] == first + 4
    assert client.execute(cells("hello")).reply["content"]["execution_count"] == first + 5


def test_silent_cell_is_not_counted(client, cells):
    before = client.execute(cells("hello")).reply["content"]["execution_count"]
    e = client.execute(cells("define"), silent=True)
    assert e.status == "ok"
    assert e.kinds == []
    after = client.execute(cells.word("kept"))
    assert after.reply["content"]["execution_count"] == before + 1
    assert after.result == "42"


def test_silent_cell_shows_no_result(client, cells):
    client.execute(cells("define"))
    assert client.execute(cells.word("kept"), silent=True).kinds == []


def test_silent_cell_that_fails(client, cells):
    e = client.execute(cells("fail"), silent=True)
    assert e.status == "error"
    assert e.reply["content"]["ename"] == cells.word("error name of fail")


def test_store_history(client, cells):
    before = client.execute(cells("hello")).reply["content"]["execution_count"]
    e = client.execute(cells("print", TEXT="not kept in history"), store_history=False)
    assert e.stdout == "not kept in history"
    assert client.execute(cells("hello")).reply["content"]["execution_count"] == before + 1
    entries = client.request(
        "history_request", dict(hist_access_type="tail", n=5, output=False, raw=True)
    ).reply["content"]["history"]
    assert [code for _, _, code in entries if "not kept" in code] == []


def test_error(client, cells):
    e = client.execute(cells("undefined"))
    assert e.status == "error"
    assert e.kinds == ["error"]
    for said in e.error, e.reply["content"]:
        assert said["ename"] == cells.word("error name of an undefined name")
        assert cells.word("undefined name") in said["evalue"]
        assert cells.word("undefined name") in "\n".join(said["traceback"])


def test_user_expressions(client, cells):
    expressions = {"good": cells.word("kept"), "bad": cells.word("undefined name")}
    e = client.execute(cells("define"), user_expressions=expressions)
    got = e.reply["content"]["user_expressions"]
    assert got["good"]["status"] == "ok"
    assert got["good"]["data"]["text/plain"] == "42"
    assert got["good"]["metadata"] == {}
    assert got["bad"]["status"] == "error"
    assert got["bad"]["ename"] == cells.word("error name of an undefined name")
    assert e.kinds == []


def test_user_expressions_of_a_silent_cell(client, cells):
    client.execute(cells("define"))
    e = client.execute("", silent=True, user_expressions={"x": cells.word("kept")})
    assert e.reply["content"]["user_expressions"]["x"]["data"]["text/plain"] == "42"


def test_requests_are_answered_in_order(client, cells):
    sent = [client.send_execute(cells("print", TEXT=i)) for i in range(20)]
    for i, e in enumerate(sent):
        assert client.finish(e).stdout == str(i)
    counts = [e.reply["content"]["execution_count"] for e in sent]
    assert counts == list(range(counts[0], counts[0] + 20))


def fail(client, asking):
    """Lets a cell fail that asks, once what was sent after it waits in the kernel."""
    client.arrived()
    client.answer(asking, "yes")
    assert client.finish(asking).status == "error"


def test_error_aborts_the_queue(client, cells):
    failing = client.send_execute(cells("ask, fail"))
    waiting = [client.send_execute(cells("hello")) for _ in range(3)]
    fail(client, failing)
    for e in waiting:
        assert client.finish(e).status == "aborted"
        assert e.kinds == []
    assert client.execute(cells("hello")).stdout == "hello, world\n"


def test_error_aborts_execution_alone(client, cells):
    failing = client.send_execute(cells("ask, fail"))
    cell = client.send_execute(cells("hello"))
    info = client.send("kernel_info_request", {})
    fail(client, failing)
    assert client.finish(cell).status == "aborted"
    assert client.finish(info).status == "ok"


def test_error_without_stop_on_error(client, cells):
    failing = client.send_execute(cells("ask, fail"), stop_on_error=False)
    waiting = [client.send_execute(cells("hello")) for _ in range(3)]
    fail(client, failing)
    for e in waiting:
        assert client.finish(e).stdout == "hello, world\n"


def test_two_clients_share_the_session(shared, client, cells):
    other = shared.client()
    client.execute(cells("define"))
    e = other.execute(cells.word("kept"))
    assert e.result == "42"
    client.until(
        lambda: any(
            m["parent_header"].get("msg_id") == e.id
            and m["content"].get("execution_state") == "idle"
            for m in client.others
        ),
        "word of the other client's cell",
    )
    said = [
        m["header"]["msg_type"] for m in client.others if m["parent_header"].get("msg_id") == e.id
    ]
    assert said == ["status", "execute_input", "execute_result", "status"]
