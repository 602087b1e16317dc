"""Kernels as processes, and clients that keep account of what a kernel owes them.

A Client files every message under the request it belongs to, checks it against the protocol, and
checks the order of each exchange: busy, what the request brings, one reply, idle.
"""

import os
import signal
import subprocess
import tempfile
import time

import psutil
import zmq
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

import protocol

DEADLINE = 180  # seconds after which a kernel is called silent, on a busy machine too


class Silent(AssertionError):
    """The kernel has not sent in time what it owed."""


class Exchange:
    """A request and everything that came back for it."""

    def __init__(self, message, channel):
        self.id = message["header"]["msg_id"]
        self.type = message["header"]["msg_type"]
        self.content = message["content"]
        self.channel = channel
        self.reply = None
        self.published = []  # from busy to idle
        self.late = []  # after idle
        self.inputs = []  # input requests not answered yet

    @property
    def idle(self):
        return bool(self.published) and _state(self.published[-1]) == "idle"

    @property
    def wants_reply(self):
        return not self.type.startswith("comm_") or self.type == "comm_info_request"

    @property
    def finished(self):
        return self.idle and (self.reply is not None or not self.wants_reply)

    @property
    def status(self):
        return self.reply["content"]["status"]

    def of_type(self, kind):
        """The contents of the published messages of a type."""
        return [m["content"] for m in self.published if m["header"]["msg_type"] == kind]

    @property
    def kinds(self):
        """The types of what was published, without busy, idle and the input."""
        kinds = [m["header"]["msg_type"] for m in self.published]
        return [k for k in kinds if k not in ("status", "execute_input")]

    def stream(self, name):
        return "".join(c["text"] for c in self.of_type("stream") if c["name"] == name)

    @property
    def stdout(self):
        return self.stream("stdout")

    @property
    def stderr(self):
        return self.stream("stderr")

    @property
    def result(self):
        """The text of the value that the cell showed."""
        (content,) = self.of_type("execute_result")
        return content["data"]["text/plain"]

    @property
    def error(self):
        (content,) = self.of_type("error")
        return content

    def check(self):
        """Checks the order of a finished exchange."""
        states = [_state(m) for m in self.published]
        said = [s for s in states if s]
        assert said == ["busy", "idle"], f"{self.type}: states {said}"
        assert (
            states[0] == "busy"
        ), f"{self.type}: {self.published[0]['header']['msg_type']} before busy"
        if self.reply is None:
            return
        kind = self.reply["header"]["msg_type"]
        want = self.type.removesuffix("_request") + "_reply"
        assert kind == want, f"{self.type} got a {kind}"
        dates = [m["header"]["date"] for m in (self.published[0], self.reply, self.published[-1])]
        assert dates == sorted(dates), f"{self.type}: busy, reply, idle at {dates}"
        inputs = self.of_type("execute_input")
        if self.type != "execute_request":
            assert not inputs
            return
        ran = self.status != "aborted" and not self.content["silent"]
        assert len(inputs) == (1 if ran else 0), f"{len(inputs)} execute_input"
        if ran:
            assert self.published[1]["header"]["msg_type"] == "execute_input"
            assert inputs[0]["code"] == self.content["code"]
            if self.content["store_history"] and self.content["code"].strip():
                assert inputs[0]["execution_count"] == self.reply["content"]["execution_count"]


def _state(message):
    return (
        message["content"].get("execution_state")
        if message["header"]["msg_type"] == "status"
        else None
    )


class Client:
    """A front end: four sockets and the exchanges made over them."""

    def __init__(self, blocking_client, strict=True):
        self.strict = strict  # checks each message, which takes longer than reading it
        self.jupyter = blocking_client
        self.jupyter.start_channels(hb=False)
        self.session = self.jupyter.session
        self.sockets = {
            "shell": self.jupyter.shell_channel.socket,
            "control": self.jupyter.control_channel.socket,
            "stdin": self.jupyter.stdin_channel.socket,
            "iopub": self.jupyter.iopub_channel.socket,
        }
        self.poller = zmq.Poller()
        for socket in self.sockets.values():
            socket.linger = 0
            self.poller.register(socket, zmq.POLLIN)
        self.exchanges = {}
        self.others = []  # published for other clients, or for nobody

    def close(self):
        self.jupyter.stop_channels()

    def ready(self, timeout=DEADLINE):
        """Waits until the kernel answers and its publications arrive."""
        deadline = time.monotonic() + timeout
        sent = []  # what is published for the first of them may go before the subscription
        while time.monotonic() < deadline:
            sent.append(self.send("kernel_info_request", {}))
            if self.pump(lambda: any(e.finished for e in sent), 1):
                return
        raise Silent("no kernel_info_reply with busy and idle")

    def send(self, kind, content, channel="shell", buffers=None, **header):
        message = self.session.msg(kind, content)
        message["header"].update(header)
        self.exchanges[message["header"]["msg_id"]] = e = Exchange(message, channel)
        self.session.send(self.sockets[channel], message, buffers=buffers)
        return e

    def send_execute(self, code, *, channel="shell", subshell_id=None, **options):
        content = dict(
            code=code,
            silent=False,
            store_history=True,
            user_expressions={},
            allow_stdin=True,
            stop_on_error=True,
        )
        content.update(options)
        header = {} if subshell_id is None else dict(subshell_id=subshell_id)
        return self.send("execute_request", content, channel, **header)

    def execute(self, code, timeout=DEADLINE, **options):
        return self.finish(self.send_execute(code, **options), timeout)

    def request(self, kind, content=None, channel="shell", timeout=DEADLINE, **header):
        return self.finish(self.send(kind, content or {}, channel, **header), timeout)

    def finish(self, e, timeout=DEADLINE):
        """Reads until the exchange is finished, and checks its order."""
        if not self.pump(lambda: e.finished, timeout):
            got = [m["header"]["msg_type"] for m in e.published][-20:]
            raise Silent(f"{e.type}: reply {e.reply and e.status}, published {got}")
        e.check()
        return e

    def until(self, condition, what, timeout=DEADLINE):
        if not self.pump(condition, timeout):
            raise Silent(f"no {what}")

    def answer(self, e, value, timeout=DEADLINE):
        """Answers the next input request of an exchange and returns it."""
        self.until(lambda: e.inputs or e.finished, "input request", timeout)
        assert e.inputs, f"no input request before the reply: {e.reply['content']}"
        request = e.inputs.pop(0)
        message = self.session.msg("input_reply", dict(value=value, status="ok"), parent=request)
        self.session.send(self.sockets["stdin"], message)
        return request

    def arrived(self):
        """Waits until all that was sent on the shell has come to the kernel, where a cell may run:
        requests to a subshell are answered meanwhile."""
        subshell = self.request("create_subshell_request", channel="control").reply["content"]
        self.request("kernel_info_request", subshell_id=subshell["subshell_id"])
        self.request("delete_subshell_request", dict(subshell_id=subshell["subshell_id"]), "control")

    def interrupt(self):
        return self.request("interrupt_request", channel="control")

    def pump(self, condition, timeout):
        """Reads until the condition holds; False if it does not in time."""
        deadline = time.monotonic() + timeout
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            events = dict(self.poller.poll(left * 1000))
            for channel, socket in self.sockets.items():
                if socket in events:
                    self._receive(channel, socket)
        return True

    def _receive(self, channel, socket):
        for _ in range(100):
            try:
                _, message = self.session.recv(socket, mode=zmq.NOBLOCK)
            except zmq.Again:
                return
            if message is None:
                return
            if self.strict:
                protocol.check(channel, message)
            self._file(channel, message)

    def _file(self, channel, message):
        e = self.exchanges.get(message["parent_header"].get("msg_id"))
        if e is None:
            assert channel == "iopub", f"{message['header']['msg_type']} on {channel} for nobody"
            self.others.append(message)
        elif channel == "stdin":
            e.inputs.append(message)
        elif channel == "iopub":
            (e.late if e.idle else e.published).append(message)
        else:
            assert channel == e.channel, f"{e.type} on {e.channel} was answered on {channel}"
            assert e.reply is None, f"{e.type} was answered twice"
            e.reply = message

    def all_published(self):
        """Everything published so far, in no order."""
        for e in self.exchanges.values():
            yield from e.published
            yield from e.late
        yield from self.others


class Kernel:
    """A kernel's process."""

    def __init__(self, name, env=None, transport="tcp"):
        self.stderr = tempfile.TemporaryFile("w+")
        self.manager = KernelManager(kernel_name=name, transport=transport)
        self.manager.shutdown_wait_time = DEADLINE
        self.clients = []
        self.start = time.monotonic()
        options = dict(stdout=self.stderr, stderr=self.stderr)
        options["env"] = {**os.environ, **(env or {})}
        options["env"].pop("PYTEST_CURRENT_TEST", None)  # ipykernel hears no descriptors with it
        self.manager.start_kernel(**options)

    @property
    def pid(self):
        return self.manager.provisioner.process.pid

    def client(self, ready=True, strict=True):
        jupyter = BlockingKernelClient()  # not manager.client(): all of those have one identity
        jupyter.load_connection_info(self.manager.get_connection_info())
        c = Client(jupyter, strict)
        self.clients.append(c)
        if ready:
            c.ready()
        return c

    def memory(self):
        """The memory that the process really occupies, in bytes."""
        return psutil.Process(self.pid).memory_info().rss

    def shrinks(self, most):
        """Waits until the process occupies less than so many bytes."""
        deadline = time.monotonic() + DEADLINE
        while self.memory() > most:
            assert time.monotonic() < deadline, f"{self.memory()} bytes remain, more than {most}"
            time.sleep(0.2)

    def log(self):
        """What the process has written to the standard streams it was born with."""
        self.stderr.flush()
        self.stderr.seek(0)
        return self.stderr.read()

    def restart(self):
        for c in self.clients:
            c.close()
        self.clients = []
        # A request to shut down that is sent to a dead kernel would reach the next one.
        self.manager.restart_kernel(now=not self.alive())

    def alive(self):
        return self.manager.is_alive()

    def ended(self, timeout=DEADLINE):
        """Waits until the process has ended, and returns its exit status."""
        return self.manager.provisioner.process.wait(timeout)

    def close(self):
        for c in self.clients:
            c.close()
        if self.alive():
            self.manager.provisioner.process.send_signal(signal.SIGKILL)
        self.manager.cleanup_resources()
        self.stderr.close()


def argv(kernel_name, connection_file):
    """The command line that the kernelspec gives for a connection file."""
    spec = KernelSpecManager().get_kernel_spec(kernel_name)
    return [a.replace("{connection_file}", str(connection_file)) for a in spec.argv]


def run_kernel(kernel_name, connection_file, timeout=DEADLINE):
    """Runs a kernel that is expected to end by itself."""
    return subprocess.run(
        argv(kernel_name, connection_file),
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )
