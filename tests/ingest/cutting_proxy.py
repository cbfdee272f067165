"""A connection to PostgreSQL that breaks at a COMMIT: before the server got it, or after it, with no answer."""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.db import connection

from tests.patience import HANGS_S

BLOCK = 64 << 10
SOCKET = ".s.PGSQL.5432"


class CuttingProxy:
    def __init__(self, folder: Path, server: Path) -> None:
        self._server = server
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / SOCKET))
        self._listener.listen()
        self._left = 0
        self._is_done = False
        self._lock = threading.Lock()
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_at(self, number: int, *, is_done: bool) -> None:
        """Once, at that COMMIT counted from here; ``is_done``: the server does it, and nobody hears."""
        with self._lock:
            self._left, self._is_done, self.cuts = number, is_done, 0

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self._server))
                threading.Thread(target=self._forward, args=(client, server), daemon=True).start()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        quiet = threading.Event()
        back = threading.Thread(target=_carry, args=(server, client, quiet), daemon=True)
        back.start()
        with suppress(OSError):
            while block := client.recv(BLOCK):
                if b"COMMIT" in block and self._is_due():
                    quiet.set()
                    if self._is_done:
                        server.sendall(block)
                        server.shutdown(socket.SHUT_WR)  # it ends once it has done what it got
                        back.join(HANGS_S)
                    break
                server.sendall(block)
        for end in (client, server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _is_due(self) -> bool:
        with self._lock:
            self._left -= 1
            self.cuts += self._left == 0
            return self._left == 0


def _carry(source: socket.socket, target: socket.socket, quiet: threading.Event) -> None:
    with suppress(OSError):
        while block := source.recv(BLOCK):
            if not quiet.is_set():
                target.sendall(block)


@contextmanager
def cutting_proxy() -> Iterator[CuttingProxy]:
    """Connections that this process opens meanwhile go through it."""
    values = connection.settings_dict
    host = values["HOST"]
    with tempfile.TemporaryDirectory() as folder:
        proxy = CuttingProxy(Path(folder), Path(host) / SOCKET)
        connection.close()
        values["HOST"] = folder
        try:
            yield proxy
        finally:
            connection.close()
            values["HOST"] = host
            proxy.close()
