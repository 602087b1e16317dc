"""What others do wrong: bad messages, bad peers, bad connection files."""

import contextlib
import json
import random
import socket
import subprocess

import pytest
import zmq
from jupyter_client.connect import write_connection_file
from jupyter_client.session import Session

import suspended
from client import DEADLINE, argv, run_kernel
from zmtp import GREETING, MORE, LONG, Peer

PORTS = ["shell_port", "control_port", "stdin_port", "iopub_port", "hb_port"]


@contextlib.contextmanager
def raw(kernel, channel="shell", kind=zmq.DEALER, **options):
    """A bare socket on a channel, and a session that signs as the kernel wants."""
    info = kernel.manager.get_connection_info()
    with zmq.Context() as context, context.socket(kind) as s:
        s.linger = 0
        for name, value in options.items():
            setattr(s, name, value)
        s.connect(f"tcp://{info['ip']}:{info[channel + '_port']}")
        yield s, Session(key=info["key"])


def signed(session, *parts):
    return [b"<IDS|MSG>", session.sign(list(parts)), *parts]


def header(kind="kernel_info_request"):
    return json.dumps(
        dict(
            msg_id=random.randbytes(8).hex(),
            msg_type=kind,
            username="x",
            session="s",
            date="2024-01-01T00:00:00Z",
            version="5.3",
        )
    ).encode()


def good(session):
    return signed(session, header(), b"{}", b"{}", b"{}")


def bad_messages(session):
    ok = good(session)
    yield "wrong signature", [ok[0], b"0" * 64, *ok[2:]]
    yield "empty signature", [ok[0], b"", *ok[2:]]
    yield "signature of another key", [ok[0], Session(key=b"other").sign(ok[2:]), *ok[2:]]
    yield "wrong delimiter", [b"<IDS|MSGS>", *ok[1:]]
    yield "no delimiter", ok[1:]
    yield "delimiter alone", ok[:1]
    yield "no signature", ok[:1] + ok[2:]
    for n in range(2, 6):
        yield f"{n} of 6 parts", ok[:n]
    yield "nothing", [b""]
    yield "many empty parts", [b""] * 100
    yield "random bytes", [random.randbytes(n) for n in (1, 10, 100)]
    yield "random bytes after the delimiter", [b"<IDS|MSG>"] + [
        random.randbytes(50) for _ in range(5)
    ]
    yield "header no JSON", signed(session, b"{", b"{}", b"{}", b"{}")
    yield "header no object", signed(session, b"[]", b"{}", b"{}", b"{}")
    yield "header null", signed(session, b"null", b"{}", b"{}", b"{}")
    yield "header without type", signed(session, b'{"msg_id": "1"}', b"{}", b"{}", b"{}")
    yield "header of wrong types", signed(
        session, b'{"msg_id": 1, "msg_type": []}', b"{}", b"{}", b"{}"
    )
    yield "content no JSON", signed(session, header(), b"{}", b"{}", b"{")
    yield "content no object", signed(session, header("execute_request"), b"{}", b"{}", b"[1]")
    yield "content without code", signed(session, header("execute_request"), b"{}", b"{}", b"{}")
    yield "content of wrong types", signed(
        session, header("execute_request"), b"{}", b"{}", b'{"code": 7}'
    )
    yield "cursor beyond the code", signed(
        session, header("complete_request"), b"{}", b"{}", b'{"code": "ab", "cursor_pos": 1000000}'
    )
    yield "cursor before the code", signed(
        session, header("complete_request"), b"{}", b"{}", b'{"code": "ab", "cursor_pos": -1}'
    )
    yield "not UTF-8", signed(
        session, header("execute_request"), b"{}", b"{}", b'{"code": "\xff\xfe"}'
    )
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    for place in range(4):
        parts = [header(), b"{}", b"{}", b"{}"]
        parts[place] = deep
        yield f"deep JSON, part {place}", signed(session, *parts)
    yield "deep lists", signed(
        session, header(), b"{}", b"{}", b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    )


@pytest.mark.ours
@pytest.mark.parametrize("channel", ["shell", "control", "stdin"])
def test_bad_messages(kernel, cells, channel):
    c = kernel.client()
    with raw(kernel, channel) as (s, session):
        for what, parts in bad_messages(session):
            s.send_multipart(parts)
            assert c.request("kernel_info_request").status == "ok", what
            assert c.request("kernel_info_request", channel="control").status == "ok", what
            assert kernel.alive(), what
    c.execute(cells("hello"))


def test_bad_signature_gets_no_answer(kernel):
    kernel.client()
    with raw(kernel) as (s, session):
        forged = Session(key=b"other")
        for _ in range(3):
            s.send_multipart(signed(forged, header(), b"{}", b"{}", b"{}"))
        want = good(session)
        s.send_multipart(want)
        assert s.poll(DEADLINE * 1000)
        reply = s.recv_multipart()
        assert json.loads(reply[3]) == json.loads(want[2]), "a forged message was answered"


@pytest.mark.ours
def test_unknown_type_is_answered(client):
    e = client.request("make_coffee_request", dict(sugar=True))
    assert e.status == "error"
    assert "make_coffee_request" in e.reply["content"]["evalue"]
    assert client.request("make_coffee_request", channel="control").status == "error"


@pytest.mark.ours
def test_bad_content_is_answered(client):
    for kind, content in [
        ("execute_request", {}),
        ("execute_request", {"code": 7}),
        ("complete_request", {"code": "x"}),
        ("complete_request", {"code": "x", "cursor_pos": -1}),
        ("inspect_request", {"code": None}),
        ("history_request", {"hist_access_type": "sideways"}),
        ("is_complete_request", {"code": []}),
    ]:
        e = client.send(kind, dict(content, silent=True))
        assert client.finish(e).status in ("error", "ok"), kind


def test_random_bytes(kernel, cells):
    c = kernel.client()
    info = kernel.manager.get_connection_info()
    dice = random.Random(4)
    for port in PORTS:
        for size in 1, 10, 64, 1000, 100_000:
            with Peer(info, port) as p, contextlib.suppress(ConnectionError):
                p.send(dice.randbytes(size))
            with Peer(info, port) as p, contextlib.suppress(ConnectionError):
                p.send(GREETING)
                p.send(dice.randbytes(size))
    assert c.execute(cells("hello")).stdout == "hello, world\n"
    assert kernel.client().execute(cells("hello")).stdout == "hello, world\n"


@pytest.mark.parametrize("said", [b"", b"\xff", GREETING[:10], GREETING], ids=len)
def test_silent_connections(kernel, cells, said):
    info = kernel.manager.get_connection_info()
    kernel.client()
    with contextlib.ExitStack() as stack:
        for port in PORTS * 10:
            stack.enter_context(Peer(info, port)).send(said)
        assert kernel.client().execute(cells("hello")).stdout == "hello, world\n"


@pytest.mark.ours
def test_announced_sizes_are_not_believed(kernel, cells):
    c = kernel.client()
    info = kernel.manager.get_connection_info()
    before = kernel.memory()
    for port, kind in [("shell_port", "DEALER"), ("control_port", "DEALER"), ("iopub_port", "SUB")]:
        for size in 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1:
            with Peer(info, port) as p:
                p.greet(kind)
                p.send(bytes([LONG]) + size.to_bytes(8, "big") + b"x" * 100)
                assert p.closed(), f"{port} waits for {size} bytes"
    kernel.shrinks(before + 100e6)
    assert c.execute(cells("hello")).stdout == "hello, world\n"


@pytest.mark.ours
def test_endless_message(kernel, cells):
    """Parts without end: the connection goes, the kernel stays."""
    c = kernel.client()
    with Peer(kernel.manager.get_connection_info(), "shell_port") as p:
        p.greet("DEALER")
        with contextlib.suppress(ConnectionError):
            for _ in range(200_000):
                p.frame(b"part", MORE)
    kernel.shrinks(500e6)
    assert c.execute(cells("hello")).stdout == "hello, world\n"


def test_suspended_subscriber(kernel, cells):
    c = kernel.client()
    with suspended.subscriber(kernel, c, cells("hello")):
        for _ in range(3):
            e = c.execute(cells("lines", COUNT=20_000))
            assert e.stdout.count("\n") == 20_000
        e = c.execute(cells("big output", COUNT=50_000_000))
        assert len(e.stdout) == 50_000_000
        assert kernel.client().execute(cells("hello")).stdout == "hello, world\n"
        c.execute(cells("hello"))


@pytest.mark.ours
def test_suspended_subscriber_is_dropped_and_named_once(kernel, cells):
    c = kernel.client()
    with suspended.subscriber(kernel, c, cells("hello")):
        for _ in range(3):
            c.execute(cells("big output", COUNT=50_000_000))
        c.exchanges.clear()
    kernel.shrinks(500e6)
    lines = [line for line in kernel.log().splitlines() if "iopub" in line]
    assert len(lines) == 1, lines


def test_client_that_never_reads(kernel, cells):
    c = kernel.client(strict=False)
    with raw(kernel, rcvhwm=1, sndhwm=100_000) as (s, session):
        for _ in range(3000):
            s.send_multipart(good(session))
        assert c.execute(cells("hello")).stdout == "hello, world\n"
        assert kernel.client().request("kernel_info_request").status == "ok"


@pytest.mark.ours
def test_identity_goes_to_the_newest(kernel):
    kernel.client()
    options = dict(identity=b"me", reconnect_ivl=-1)
    with raw(kernel, **options) as (old, session):
        old.send_multipart(good(session))
        assert old.poll(DEADLINE * 1000)
        old.recv_multipart()
        with raw(kernel, **options) as (new, _):
            new.send_multipart(good(session))
            assert new.poll(DEADLINE * 1000), "the newest connection got no answer"
            assert not old.poll(200), "the answer went to the old connection too"


@pytest.mark.parametrize("channel", ["shell", "iopub"])
def test_zmtp_heartbeats(kernel, cells, channel):
    c = kernel.client()
    kind = zmq.DEALER if channel == "shell" else zmq.SUB
    options = dict(heartbeat_ivl=50, heartbeat_timeout=5000, heartbeat_ttl=2000)
    with raw(kernel, channel, kind, **options) as (s, session):
        monitor = s.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        if kind == zmq.SUB:
            s.subscribe(b"")
        assert not monitor.poll(6000), "the kernel's side closed the connection"
        if kind == zmq.DEALER:
            s.send_multipart(good(session))
        else:
            c.execute(cells("hello"))
        assert s.poll(DEADLINE * 1000)
        s.disable_monitor()
    assert c.execute(cells("hello")).stdout == "hello, world\n"


def test_client_that_vanishes(kernel, cells):
    c = kernel.client()
    for _ in range(10):
        gone = kernel.client()
        gone.send_execute(cells("lines", COUNT=1000))
        gone.close()
        kernel.clients.remove(gone)
    assert c.execute(cells("hello")).stdout == "hello, world\n"


def connection(tmp_path, **changes):
    path, _ = write_connection_file(str(tmp_path / "kernel.json"), key=b"secret")
    with open(path) as f:
        info = json.load(f)
    info.update(changes)
    with open(path, "w") as f:
        json.dump({k: v for k, v in info.items() if v is not None}, f)
    return path, info


@pytest.mark.ours
@pytest.mark.parametrize("port", PORTS)
def test_port_taken(kernel_name, tmp_path, port):
    path, info = connection(tmp_path)
    with socket.create_server((info["ip"], info[port])):
        run = run_kernel(kernel_name, path)
    assert run.returncode == 1
    assert str(info[port]) in run.stderr
    assert "Traceback" not in run.stderr and "goroutine" not in run.stderr


BAD_FILES = {
    "missing": (None, "no such file"),
    "empty": ("", "kernel.json"),
    "not JSON": ("hello", "kernel.json"),
    "a list": ("[]", "kernel.json"),
    "unknown transport": (dict(transport="carrier pigeon"), "carrier pigeon"),
    "unknown signature scheme": (dict(signature_scheme="hmac-rot13"), "hmac-rot13"),
    "port no number": (dict(shell_port="x"), "shell_port"),
    "port too large": (dict(shell_port=99999), "99999"),
    "no key": (dict(key=""), "key"),
    "no port": (dict(shell_port=None), "shell_port"),
    "not an address": (dict(ip="not an address"), "not an address"),
}


@pytest.mark.ours
@pytest.mark.parametrize("what", BAD_FILES)
def test_bad_connection_file(kernel_name, tmp_path, what):
    change, word = BAD_FILES[what]
    path = tmp_path / "kernel.json"
    if isinstance(change, dict):
        connection(tmp_path, **change)
    elif change is not None:
        path.write_text(change)
    run = run_kernel(kernel_name, path)
    assert run.returncode == 1
    assert word in run.stderr
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1, run.stderr


@pytest.mark.ours
def test_no_connection_file_is_a_mistake_of_usage(kernel_name):
    command = argv(kernel_name, "x")[:-1]
    run = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
    assert run.returncode == 2
    assert run.stderr
