"""Comms, which widgets talk over."""


def test_unknown_target_is_closed(client):
    e = client.request("comm_open", dict(comm_id="c1", target_name="nobody", data={}))
    (closed,) = e.of_type("comm_close")
    assert closed["comm_id"] == "c1"


def test_unknown_comm(client):
    for kind in "comm_msg", "comm_close":
        client.request(kind, dict(comm_id="never opened", data={}))
    assert client.request("comm_info_request").status == "ok"


def test_message_with_buffers(client):
    e = client.send("comm_msg", dict(comm_id="never opened", data={}), buffers=[b"\0" * 1000, b""])
    client.finish(e)


def test_comm_info(client):
    assert client.request("comm_info_request").reply["content"]["comms"] == {}
    one = client.request("comm_info_request", dict(target_name="nobody"))
    assert one.reply["content"]["comms"] == {}
