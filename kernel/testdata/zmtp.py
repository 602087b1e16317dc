"""Just enough of ZeroMQ's wire protocol, ZMTP 3.0, to speak it wrongly."""

import socket

from client import DEADLINE

GREETING = b"\xff" + bytes(8) + b"\x7f" + b"\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(1 + 31)

MORE, LONG, COMMAND = 1, 2, 4


class Peer:
    """A connection to one of a kernel's ports."""

    def __init__(self, info, port):
        self.socket = socket.create_connection((info["ip"], info[port]), DEADLINE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def greet(self, kind):
        """Shakes hands as a socket of a kind, such as DEALER."""
        self.send(GREETING)
        self.receive(len(GREETING))
        self.frame(
            b"\x05READY" + _property("Socket-Type", kind) + _property("Identity", ""), COMMAND
        )
        flags, size = self.receive(2)
        assert flags == COMMAND, flags
        self.receive(size)

    def frame(self, body, flags=0):
        if len(body) > 255:
            self.send(bytes([flags | LONG]) + len(body).to_bytes(8, "big") + body)
        else:
            self.send(bytes([flags, len(body)]) + body)

    def send(self, data):
        self.socket.sendall(data)

    def receive(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise ConnectionResetError
            data += part
        return data

    def closed(self):
        """Waits until the other side has closed the connection."""
        try:
            while self.socket.recv(1 << 16):
                pass
        except TimeoutError:
            return False
        except ConnectionError:
            pass
        return True


def _property(name, value):
    return bytes([len(name)]) + name.encode() + len(value).to_bytes(4, "big") + value.encode()
