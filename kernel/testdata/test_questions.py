"""The requests about source text, history and the kernel itself."""

import pytest


def test_kernel_info(client, cells):
    info = client.request("kernel_info_request").reply["content"]
    assert info["protocol_version"].startswith("5.")
    assert info["language_info"]["name"] == cells.word("language")
    assert info["banner"]


@pytest.mark.ours
def test_kernel_info_is_true_to_fact(client):
    info = client.request("kernel_info_request").reply["content"]
    assert info["protocol_version"] == "5.5"
    assert info["implementation"] == "halfnote"
    assert info["language_info"]["file_extension"] == ".go"
    assert info["language_info"]["mimetype"] == "text/x-go"
    assert info["language_info"]["pygments_lexer"] == "go"
    assert info["language_info"]["codemirror_mode"] == "go"
    assert info["debugger"] is False
    assert "kernel subshells" in info["supported_features"]
    assert "debugger" not in info["supported_features"]
    assert info["help_links"]


def test_kernel_info_on_control(client):
    assert client.request("kernel_info_request", channel="control").status == "ok"


def complete(client, code, cursor=None):
    content = dict(code=code, cursor_pos=len(code) if cursor is None else cursor)
    return client.request("complete_request", content).reply["content"]


def test_complete(client, cells):
    code = cells.word("member prefix")
    got = complete(client, code)
    assert got["status"] == "ok"
    (match,) = [m for m in got["matches"] if m.endswith(cells.word("member").split(".")[-1])]
    assert match.startswith(code[got["cursor_start"] : got["cursor_end"]])
    assert got["cursor_end"] == len(code)


def test_cursor_positions_count_code_points(client, cells):
    code = cells.word("emoji, then prefix")
    got = complete(client, code)
    assert got["cursor_end"] == len(code)
    start = got["cursor_start"]
    assert any(m.startswith(code[start:]) for m in got["matches"]), (got, code[start:])


def test_complete_in_the_middle(client, cells):
    code = cells.word("member prefix")
    got = complete(client, code + "\n" + cells.word("complete"), len(code))
    assert got["cursor_end"] == len(code)
    assert any(m.endswith(cells.word("member").split(".")[-1]) for m in got["matches"])


def test_complete_has_types(client, cells):
    client.execute(cells("define"))
    got = complete(client, cells.word("kept")[:2])
    types = got["metadata"]["_jupyter_types_experimental"]
    (entry,) = [t for t in types if t["text"] == "kept"]
    assert entry["type"]
    assert (entry["start"], entry["end"]) == (got["cursor_start"], got["cursor_end"])


@pytest.mark.ours
def test_complete_knows_go(client):
    client.execute("kept := 42")

    def entries(code):
        got = complete(client, code)
        types = got["metadata"]["_jupyter_types_experimental"]
        assert [t["text"] for t in types] == got["matches"]
        return {t["text"].split(".")[-1]: t for t in types}

    upper = entries("strings.ToUpp")["ToUpper"]
    assert upper["type"] == "function"
    assert "string" in upper["signature"]
    assert entries("kep")["kept"]["type"] in ("variable", "instance")
    assert "Second" in entries("time.Sec")
    assert any("text/template" in t for t in complete(client, 'import "text/tem')["matches"])
    assert "NewGradScaler" in entries("amp.NewGr")
    client.execute("type point struct{ Left, Right int }\np := point{1, 2}")
    assert set(entries("p.")) >= {"Left", "Right"}


def test_complete_never_runs_code(client, cells):
    for code in cells("fail"), cells("for ever"), cells.word("invalid"), "", "\n\n", "((((":
        complete(client, code)


def inspect(client, code, detail=0):
    content = dict(code=code, cursor_pos=len(code), detail_level=detail)
    return client.request("inspect_request", content).reply["content"]


def test_inspect(client, cells):
    client.execute(cells("define"))
    got = inspect(client, cells.word("kept"))
    assert got["found"]
    assert "42" in got["data"]["text/plain"]
    assert inspect(client, cells.word("kept"), 1)["found"]


def test_inspect_unknown(client, cells):
    got = inspect(client, cells.word("undefined name"))
    assert (got["status"], got["found"], got["data"]) == ("ok", False, {})


@pytest.mark.ours
def test_inspect_in_every_form(client):
    got = inspect(client, "strings.ToUpper")
    assert got["found"]
    assert set(got["data"]) >= {"text/plain", "text/markdown", "text/html"}
    assert "func strings.ToUpper(s string) string" in got["data"]["text/plain"]
    for form in got["data"].values():
        assert "ToUpper" in form


@pytest.mark.parametrize("status", ["complete", "incomplete", "invalid"])
def test_is_complete(client, cells, status):
    got = client.request("is_complete_request", dict(code=cells.word(status))).reply["content"]
    assert got["status"] == status
    if status == "incomplete":
        assert got["indent"] == cells.word("indent")


def history(client, **content):
    options = dict(output=False, raw=True)
    return client.request("history_request", {**options, **content}).reply["content"]["history"]


def test_history(client, cells):
    codes = [cells("print", TEXT=f"entry {i} of history") for i in range(4)]
    for code in codes:
        client.execute(code)
    tail = history(client, hist_access_type="tail", n=4)
    assert [code for _, _, code in tail] == codes
    session, line, _ = tail[0]
    got = history(client, hist_access_type="range", session=session, start=line, stop=line + 2)
    assert [entry[1:] for entry in got] == [entry[1:] for entry in tail[:2]]
    got = history(client, hist_access_type="range", session=0, start=line, stop=line + 1)
    assert got[0][2] == codes[0]  # session 0 is this one
    found = history(client, hist_access_type="search", pattern="*entry ? of history*", n=10)
    assert [code for _, _, code in found] == codes
    assert (
        history(client, hist_access_type="search", pattern="entry", n=10) == []
    )  # a glob over whole cells
    client.execute(codes[0])
    found = history(client, hist_access_type="search", pattern="*entry 0*", n=10, unique=True)
    assert len(found) == 1


@pytest.mark.ours
def test_history_with_output(client, cells):
    client.execute(cells("define"))
    client.execute(cells.word("kept"))
    ((_, _, (code, output)),) = history(client, hist_access_type="tail", n=1, output=True)
    assert (code, output) == (cells.word("kept"), "42")


def test_history_is_kept(start, cells):
    first = start()
    code = cells("print", TEXT="kept beyond the end")
    c = first.client()
    c.execute(code)
    c.request("shutdown_request", dict(restart=False), channel="control")
    first.ended()
    tail = history(start().client(), hist_access_type="tail", n=10)
    assert code in [entry[2] for entry in tail]


def test_page(client, cells):
    e = client.execute(cells.word("page"))
    (payload,) = e.reply["content"]["payload"]
    assert payload["source"] == "page"
    assert payload["data"]["text/plain"]
    assert payload["start"] == 0
    assert e.kinds == []


def test_next_input(client, cells, tmp_path):
    path = tmp_path / "cell.txt"
    path.write_text(cells("hello"))
    e = client.execute(cells.word("next input", PATH=path))
    (payload,) = e.reply["content"]["payload"]
    assert payload["source"] == "set_next_input"
    assert cells("hello") in payload["text"]


def test_ask_exit(kernel, cells):
    e = kernel.client().execute(cells.word("quit"))
    (payload,) = e.reply["content"]["payload"]
    assert payload["source"] == "ask_exit"
    assert kernel.alive()  # the front end decides
