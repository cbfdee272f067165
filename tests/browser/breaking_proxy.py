"""A connection that breaks: between the browser and the site, cut after so many bytes as a test says, and away for a
while.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

AT_REST = 1 << 62
BLOCK = 64 << 10
OF_A_FILE = BLOCK // 4
"""What asks for a page is smaller."""


class BreakingProxy:
    def __init__(self, origin: str) -> None:
        where = urlsplit(origin)
        self.target = (str(where.hostname), int(where.port or 80))
        self.server = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{self.server.getsockname()[1]}"
        self.breaks = 0
        self.sent = 0
        self.pause_s = 0.0
        self.away_until = 0.0
        self._left = self._before_hold = AT_REST
        self._go_on = threading.Event()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def break_after(self, sent: int, *, away_s: float = 1.0) -> None:
        """Once, when that many more bytes went to the site."""
        with self._lock:
            self._left, self._away_s = sent, away_s

    def hold_after(self, sent: int) -> None:
        """What files bring beyond that many more bytes waits until `go_on`, however long the browser's page takes to
        say what it does.
        """
        with self._lock:
            self._before_hold = sent

    def go_on(self) -> None:
        self._go_on.set()

    def cut(self, *, away_s: float) -> None:
        """All connections end at once, as the lid of a laptop does it; none begins for a while."""
        self.breaks += 1
        self.away_until = time.monotonic() + away_s
        for connection in list(self._open):
            with suppress(OSError):
                connection.setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                )  # a reset, not an end
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def close(self) -> None:
        self.go_on()
        self.server.close()
        self.cut(away_s=0)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                browser, _ = self.server.accept()
                if time.monotonic() < self.away_until:
                    browser.close()
                    continue
                site = socket.create_connection(self.target)
                self._open |= {browser, site}
                threading.Thread(target=self._carry, args=(browser, site, True), daemon=True).start()
                threading.Thread(target=self._carry, args=(site, browser, False), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, is_sent: bool) -> None:
        with suppress(OSError):
            while block := source.recv(BLOCK):
                if is_sent and self._must_break(len(block)):
                    self.cut(away_s=self._away_s)
                    return
                if is_sent and self._must_wait(len(block)):
                    self._go_on.wait()
                target.sendall(block)
                if is_sent and self.pause_s:
                    time.sleep(self.pause_s)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
            self._open.discard(end)

    def _must_break(self, size: int) -> bool:
        with self._lock:
            self.sent += size
            self._left -= size
            if self._left > 0:
                return False
            self._left = AT_REST
            return True

    def _must_wait(self, size: int) -> bool:
        with self._lock:
            self._before_hold -= size
            return self._before_hold < 0 and size >= OF_A_FILE


@contextmanager
def breaking_proxy(origin: str) -> Iterator[BreakingProxy]:
    proxy = BreakingProxy(origin)
    try:
        yield proxy
    finally:
        proxy.close()
