"""Measures kernels side by side: python bench.py [--rounds N] [KERNEL PEER]

Each round measures one kernel and then the other, each in new processes; the table has the medians,
and beside them what is wanted. A client in this process reads everything, as a front end would.
"""

import argparse
import os
import statistics
import tempfile
import time

import suspended
from jupyter_client.kernelspec import KernelSpecManager

from cells import Cells
from client import Client, Kernel

MB = 1_000_000
NAMES = 200


def measure(name):
    """Figure by figure, in the order of the table."""
    cells = Cells(KernelSpecManager().get_kernel_spec(name).language)
    with running(name) as kernel:
        client = first_reply(kernel)
        yield "start to first reply", time.monotonic() - kernel.start
        client.execute(cells("hello"))
        yield "idle memory", kernel.memory() / MB
        for what, code in [
            ("100k printed lines", cells("lines", COUNT=100_000)),
            ("2k display_data", cells("displays", COUNT=2_000)),
            ("20k lines", cells("lines", COUNT=20_000)),
        ]:
            yield what, timed(client, code)
        with suspended.subscriber(kernel, client, cells("hello")):
            yield "20k lines beside a suspended subscriber", timed(
                client, cells("lines", COUNT=20_000)
            )

    with running(name) as kernel:
        client = first_reply(kernel)
        client.execute(cells("big image", COUNT=50 * MB))
        time.sleep(3)  # for what is given back
        yield "memory 3 s after a 50 MB image", kernel.memory() / MB

    with running(name) as kernel:
        client = first_reply(kernel)
        assert client.execute(cells.names(NAMES)).status == "ok"
        client.request("complete_request", dict(code="name", cursor_pos=4))
        yield "complete", median_reply(client, "complete_request", lambda i: f"name{i}"[:-1])
        yield "inspect", median_reply(client, "inspect_request", lambda i: f"name{i}")


class running:
    """A kernel for the length of a with block."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.kernel = Kernel(self.name)
        return self.kernel

    def __exit__(self, *_):
        self.kernel.close()


def first_reply(kernel) -> Client:
    client = kernel.client(ready=False, strict=False)
    e = client.send("kernel_info_request", {})
    client.until(lambda: e.reply, "first reply")
    client.ready()
    return client


def timed(client, code):
    """Seconds from the request to idle, all output read."""
    start = time.monotonic()
    e = client.execute(code, timeout=600)
    took = time.monotonic() - start
    assert e.status == "ok", e.reply["content"]
    client.exchanges.clear()
    return took


def median_reply(client, kind, code):
    times = []
    for i in range(NAMES):
        text = code(i)
        content = dict(code=text, cursor_pos=len(text))
        if kind == "inspect_request":
            content["detail_level"] = 0
        start = time.monotonic()
        e = client.send(kind, content)
        client.until(lambda: e.reply, "reply")
        times.append(time.monotonic() - start)
        assert e.status == "ok"
        client.finish(e)
    return 1000 * statistics.median(times)


UNITS = {
    "start to first reply": ("s", "≤ 0.3, and faster"),
    "idle memory": ("MB", "≤ 40"),
    "100k printed lines": ("s", "≥ 8 ×"),
    "2k display_data": ("s", "≥ 5 ×"),
    "20k lines": ("s", ""),
    "20k lines beside a suspended subscriber": ("s", "as without"),
    "memory 3 s after a 50 MB image": ("MB", ""),
    "complete": ("ms", "≤ 10"),
    "inspect": ("ms", "≤ 10"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", default=["halfnote", "python3"])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    figures = {k: {} for k in options.kernels}
    with tempfile.TemporaryDirectory() as home:
        os.environ["IPYTHONDIR"] = home
        for i in range(options.rounds):
            for k in options.kernels:
                print(f"round {i + 1} of {options.rounds}: {k}", flush=True)
                for what, figure in measure(k):
                    figures[k].setdefault(what, []).append(figure)
    print_table(figures)


def print_table(figures):
    names = list(figures)
    width = max(map(len, UNITS))
    print(f"\n{'median':{width}}      " + "".join(f"{n:>12}" for n in names) + "     ratio  wanted")
    for what, (unit, wanted) in UNITS.items():
        medians = [statistics.median(figures[n][what]) for n in names]
        ratio = f"{medians[-1] / medians[0]:8.1f} ×"
        columns = "".join(f"{m:12.3f}" if unit == "s" else f"{m:12.1f}" for m in medians)
        print(f"{what:{width}}  {unit:>2}  {columns}{ratio}  {wanted}")


if __name__ == "__main__":
    main()
