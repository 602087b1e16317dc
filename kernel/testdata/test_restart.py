"""The end of a kernel, asked for or not."""

import json
import subprocess
import sys
import time

import psutil
import pytest
import zmq
from jupyter_client.blocking import BlockingKernelClient

from client import DEADLINE, argv


def test_twenty_restarts(kernel, cells):
    for i in range(20):
        c = kernel.client()
        e = c.execute(cells.word("kept"))
        assert e.status == "error", "a name outlived the kernel"
        assert e.reply["content"]["execution_count"] == 1
        assert c.execute(cells("define")).status == "ok"
        kernel.restart()
    kernel.client().execute(cells("hello"))


@pytest.mark.parametrize("channel", ["control", "shell"])
@pytest.mark.parametrize("restart", [False, True])
def test_shutdown(kernel, channel, restart):
    c = kernel.client()
    e = c.send("shutdown_request", dict(restart=restart), channel)
    c.until(lambda: e.reply, "shutdown_reply")
    assert e.reply["content"] == {"status": "ok", "restart": restart}
    assert kernel.ended() == 0


@pytest.mark.ours
def test_shutdown_stops_the_cell_and_loses_nothing(kernel, cells):
    c = kernel.client()
    cell = c.send_execute(cells("lines for ever"))
    c.until(lambda: cell.stdout, "output")
    end = c.send("shutdown_request", dict(restart=False), "control")
    c.finish(cell)
    c.until(lambda: end.reply, "shutdown_reply")
    assert cell.status in ("error", "aborted")
    numbers = cell.stdout.split("\n")[:-1]
    assert numbers == [str(i) for i in range(len(numbers))]
    assert kernel.ended() == 0


@pytest.mark.ours
@pytest.mark.parametrize("signal", ["TERM", "HUP"])
def test_signal_loses_no_output(kernel, cells, signal):
    c = kernel.client()
    cell = c.send_execute(cells("last words", SIGNAL=signal))
    want = "".join(f"{i}\n" for i in range(2000)) + "last words\n"
    c.finish(cell)
    assert cell.stdout == want
    kernel.ended()


def test_kernel_ends_with_its_parent(kernel_name, tmp_path):
    """The parent is killed; the kernel, which is nobody's then, ends by itself."""
    connection = tmp_path / "kernel.json"
    program = (
        "import json, os, subprocess, sys, time\n"
        "from jupyter_client.connect import write_connection_file\n"
        "write_connection_file(sys.argv[1], key=b'secret')\n"
        "p = subprocess.Popen(json.loads(sys.argv[2]),"
        " env={**os.environ, 'JPY_PARENT_PID': str(os.getpid())})\n"
        "print(p.pid, flush=True)\n"
        "time.sleep(3600)\n"
    )
    command = json.dumps(argv(kernel_name, connection))
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(connection), command], stdout=subprocess.PIPE, text=True
    )
    kernel = psutil.Process(int(parent.stdout.readline()))
    try:
        client = BlockingKernelClient(connection_file=str(connection))
        client.load_connection_file()
        client.start_channels()
        client.wait_for_ready(timeout=DEADLINE)
        client.stop_channels()
        parent.kill()
        parent.wait()
        deadline = time.monotonic() + DEADLINE
        while kernel.is_running() and kernel.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline, "the kernel lives on without its parent"
            time.sleep(0.05)
    except psutil.NoSuchProcess:
        pass
    finally:
        parent.stdout.close()
        if parent.poll() is None:
            parent.kill()
            parent.wait()
        if kernel.is_running():
            kernel.kill()


def test_new_clients_come_and_go(kernel, cells):
    for _ in range(10):
        c = kernel.client()
        assert c.execute(cells("hello")).stdout == "hello, world\n"
        c.close()
        kernel.clients.remove(c)


def test_heartbeat(kernel):
    info = kernel.manager.get_connection_info()
    kernel.client()
    with zmq.Context() as context, context.socket(zmq.REQ) as beat:
        beat.linger = 0
        beat.connect(f"tcp://{info['ip']}:{info['hb_port']}")
        for _ in range(100):
            beat.send(b"ping")
            assert beat.poll(DEADLINE * 1000), "no heartbeat"
            assert beat.recv() == b"ping"


def test_ipc(start, cells):
    kernel = start(transport="ipc")
    c = kernel.client()
    assert c.execute(cells("hello")).stdout == "hello, world\n"
    kernel.restart()
    assert kernel.client().execute(cells("hello")).stdout == "hello, world\n"
