"""Subshells (JEP 91): requests that are answered while a cell runs."""

import pytest


def create(client):
    reply = client.request("create_subshell_request", channel="control").reply["content"]
    assert reply["status"] == "ok"
    return reply["subshell_id"]


def listed(client):
    return client.request("list_subshell_request", channel="control").reply["content"][
        "subshell_id"
    ]


def delete(client, subshell):
    return client.request("delete_subshell_request", dict(subshell_id=subshell), "control").reply[
        "content"
    ]


def test_life(client):
    assert listed(client) == []
    ids = [create(client) for _ in range(3)]
    assert len(set(ids)) == 3
    assert sorted(listed(client)) == sorted(ids)
    for i in ids:
        assert delete(client, i)["status"] == "ok"
    assert listed(client) == []


@pytest.mark.ours
def test_delete_unknown(client):
    assert delete(client, "never made")["status"] == "error"


def test_answers_while_a_cell_runs(client, cells):
    subshell = create(client)
    client.execute(cells("define"))
    e = client.send_execute(cells("hello, sleep", SECONDS=3600))
    client.until(lambda: e.stdout, "output")
    code = cells.word("kept")[:3]
    got = client.request("complete_request", dict(code=code, cursor_pos=3), subshell_id=subshell)
    assert cells.word("kept") in got.reply["content"]["matches"]
    got = client.request(
        "inspect_request",
        dict(code=cells.word("kept"), cursor_pos=4, detail_level=0),
        subshell_id=subshell,
    )
    assert got.reply["content"]["found"]
    assert client.request("comm_info_request", subshell_id=subshell).status == "ok"
    assert not e.idle, "the cell was not running"
    client.interrupt()
    client.finish(e)
    delete(client, subshell)


def test_unknown_subshell(client, cells):
    e = client.send_execute(cells("hello"), subshell_id="never made")
    client.pump(lambda: e.finished, 2)  # dropped or refused, but not run
    assert e.stdout == ""
    assert client.execute(cells("hello")).stdout == "hello, world\n"
