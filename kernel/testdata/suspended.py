"""A subscriber that stops reading, as the client of a laptop that was shut."""

import contextlib
import os
import signal
import subprocess
import sys

SUBSCRIBER = """
import sys, zmq
s = zmq.Context().socket(zmq.SUB)
s.rcvhwm = 10
s.subscribe(b"")
s.connect(sys.argv[1])
s.poll()
print("listening", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def subscriber(kernel, client, code):
    """Subscribes to a kernel from another process, and suspends that when it has heard something
    of the cell that the client runs meanwhile."""
    info = kernel.manager.get_connection_info()
    p = subprocess.Popen(
        [sys.executable, "-c", SUBSCRIBER, f"tcp://{info['ip']}:{info['iopub_port']}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        os.set_blocking(p.stdout.fileno(), False)
        while not p.stdout.read():
            assert p.poll() is None
            client.execute(code)
        os.kill(p.pid, signal.SIGSTOP)
        yield
    finally:
        p.kill()
        p.wait()
        p.stdin.close()
        p.stdout.close()
