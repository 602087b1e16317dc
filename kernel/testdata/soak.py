"""Runs many cells in one kernel: python soak.py [--cells N] [KERNEL]

Outputs, errors, interrupts, questions, pictures, late output and clients that come and go are mixed
as the dice fall. Every request must be answered, and memory and goroutines must be level: what is
there at the end is compared with what was there after a fifth of the cells.
"""

import argparse
import os
import random
import sys
import tempfile
import time

from jupyter_client.kernelspec import KernelSpecManager

from cells import Cells
from client import Kernel

MB = 1_000_000


class Soak:
    """One kernel, the client of the moment, and the dice."""

    def __init__(self, kernel, cells, dice):
        self.kernel, self.cells, self.dice = kernel, cells, dice
        self.client = kernel.client()

    def step(self):
        """Runs a cell or two of a kind that the dice choose."""
        kinds = [
            (40, self.lines),
            (10, self.value),
            (10, self.error),
            (10, self.displays),
            (5, self.live),
            (5, self.question),
            (5, self.help),
            (5, self.interrupt),
            (3, self.late),
            (3, self.aborted),
            (2, self.reconnect),
            (2, self.second_client),
        ]
        weights = [w for w, _ in kinds]
        self.dice.choices(kinds, weights)[0][1]()
        self.client.exchanges.clear()
        self.client.others.clear()

    def lines(self):
        count = self.dice.choice([1, 10, 100, 1000])
        e = self.client.execute(self.cells("lines", COUNT=count))
        assert e.stdout == "".join(f"{i}\n" for i in range(count))

    def value(self):
        self.client.execute(self.cells("define"))
        assert self.client.execute(self.cells.word("kept")).result == "42"

    def error(self):
        cell = self.dice.choice(["fail", "undefined"])
        assert self.client.execute(self.cells(cell)).status == "error"

    def displays(self):
        assert (
            len(self.client.execute(self.cells("displays", COUNT=20)).of_type("display_data")) == 20
        )
        assert self.client.execute(self.cells("image")).status == "ok"

    def live(self):
        assert self.client.execute(self.cells("update")).of_type("update_display_data")

    def question(self):
        e = self.client.send_execute(self.cells("ask"))
        self.client.answer(e, "soak")
        assert self.client.finish(e).result == self.cells.word("text", TEXT="soak")

    def help(self):
        code = self.cells.word("member prefix")
        content = dict(code=code, cursor_pos=len(code))
        assert self.client.request("complete_request", content).reply["content"]["matches"]
        self.client.request("inspect_request", dict(content, detail_level=1))

    def interrupt(self):
        cell = self.dice.choice(["lines for ever", "for ever"])
        e = self.client.send_execute(self.cells(cell))
        self.client.until(lambda: e.of_type("execute_input"), "execute_input")
        self.client.interrupt()
        assert self.client.finish(e).status == "error"

    def late(self):
        e = self.client.execute(self.cells("say late"))
        self.client.execute(self.cells("hello, now"))
        self.client.until(lambda: e.late, "late output")

    def aborted(self):
        sent = [self.client.send_execute(self.cells(c)) for c in ("ask, fail", "hello", "hello")]
        self.client.arrived()
        self.client.answer(sent[0], "yes")
        assert [self.client.finish(e).status for e in sent] == ["error", "aborted", "aborted"]

    def reconnect(self):
        self.client.close()
        self.kernel.clients.remove(self.client)
        self.client = self.kernel.client()

    def second_client(self):
        """Another client, which goes without having read its output."""
        other = self.kernel.client()
        e = other.send_execute(self.cells("lines", COUNT=1000))
        other.until(lambda: e.published, "busy")
        other.close()
        self.kernel.clients.remove(other)
        assert self.client.execute(self.cells("hello")).stdout == "hello, world\n"

    def figures(self):
        goroutines = int(self.client.execute(self.cells("goroutines"), store_history=False).result)
        return self.kernel.memory() / MB, goroutines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", nargs="?", default="halfnote")
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    language = KernelSpecManager().get_kernel_spec(options.kernel).language
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, IPYTHONDIR=home)
        kernel = Kernel(options.kernel)
        try:
            return run(Soak(kernel, Cells(language), random.Random(options.seed)), options.cells)
        finally:
            kernel.close()


def run(soak, cells):
    start = told = time.monotonic()
    checkpoints = []
    for i in range(cells):
        soak.step()
        now = time.monotonic()
        if (i + 1) % max(1, cells // 10) == 0:
            memory, goroutines = soak.figures()
            checkpoints.append((memory, goroutines))
            print(
                f"{i + 1:6} cells {now - start:6.0f} s {memory:6.0f} MB {goroutines:4} goroutines",
                flush=True,
            )
        elif now - told > 10:
            told = now
            print(f"{i + 1:6} cells {now - start:6.0f} s", flush=True)
    early, late = checkpoints[1], checkpoints[-1]
    print(f"memory {early[0]:.0f} → {late[0]:.0f} MB, goroutines {early[1]} → {late[1]}")
    if late[0] > 1.5 * early[0] + 10 or late[1] > early[1] + 3:
        print("not level", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
