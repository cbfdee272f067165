"""A server on this machine that notes what reaches it, and answers as it is told to."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.patience import HANGS_S

Answer = Callable[[socket.socket], None]
OK = b"HTTP/1.1 204 No Content\r\n\r\n"


@dataclass(slots=True)
class Receiver:
    port: int
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0

    def parts(self, number: int = 0) -> tuple[str, dict[str, str], bytes]:
        """First line, headers, body."""
        head, _, body = self.requests[number].partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        return first, dict(line.split(": ", 1) for line in lines), body


def says(answer: bytes) -> Answer:
    return lambda connection: connection.sendall(answer)


def without_end(start: bytes, part: bytes, every_s: float = 0.0) -> Answer:
    """Until the other side hangs up."""

    def send(connection: socket.socket) -> None:
        connection.sendall(start)
        while True:
            connection.sendall(part)
            time.sleep(every_s)

    return send


@contextmanager
def receiver(
    answer: Answer | None = None, *, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> Iterator[Receiver]:
    listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.settimeout(0.02)
    found = Receiver(listening.getsockname()[1])
    ended = threading.Event()
    thread = threading.Thread(target=_serve, args=(listening, found, answer or says(OK), ended, tls))
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join(HANGS_S)
        listening.close()


def _serve(
    listening: socket.socket, found: Receiver, answer: Answer, ended: threading.Event, tls: ssl.SSLContext | None
) -> None:
    while not ended.is_set():
        try:
            connection, _ = listening.accept()
        except TimeoutError:
            continue
        found.connections += 1
        try:
            with tls.wrap_socket(connection, server_side=True) if tls else connection as open_one:
                open_one.settimeout(HANGS_S)
                found.requests.append(_request(open_one))
                answer(open_one)
        except OSError:  # the other side hung up, as it shall
            connection.close()


def _request(connection: socket.socket) -> bytes:
    got = b""
    while b"\r\n\r\n" not in got or len(got.partition(b"\r\n\r\n")[2]) < _length(got):
        part = connection.recv(65536)
        if not part:
            break
        got += part
    return got


def _length(got: bytes) -> int:
    lines = got.partition(b"\r\n\r\n")[0].lower().split(b"\r\n")
    return next((int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:")), 0)
