"""A stream that can be looked into before it is read, and that always gives as much as was asked for."""

from __future__ import annotations

from typing import Final

from parsers.text import Readable

CHUNK: Final = 1 << 18


class Source:
    """Wraps a stream. ``taken`` counts what was read through it; a stream behind it may give short reads."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._held = b""
        self._at = 0
        self.taken = 0

    def peek(self, size: int) -> bytes:
        """The next ``size`` bytes without taking them; fewer at the end."""
        held = self._held[self._at :]
        while len(held) < size and (more := self._stream.read(CHUNK)):
            held += more
        self._held, self._at = held, 0
        return held[:size]

    def read(self, size: int = -1, /) -> bytes:
        """Exactly ``size`` bytes; fewer at the end of the stream; all of it for a negative size."""
        wanted = size if size >= 0 else 1 << 62
        parts: list[bytes] = []
        while wanted and (part := self.some(wanted)):
            parts.append(part)
            wanted -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def some(self, most: int) -> bytes:
        """What is at hand, at most ``most`` bytes; empty only at the end."""
        if self._at >= len(self._held):
            self._held, self._at = self._stream.read(CHUNK), 0
        start = self._at
        part = self._held if start == 0 and len(self._held) <= most else self._held[start : start + most]
        self._at = start + len(part)
        self.taken += len(part)
        return part

    def unread(self, data: bytes) -> None:
        """Put the bytes read last back in front; usually they are still held and nothing is copied."""
        if self._at >= len(data):
            self._at -= len(data)
        else:
            self._held, self._at = data + self._held[self._at :], 0
        self.taken -= len(data)

    def skip(self, size: int) -> int:
        """Read past ``size`` bytes; returns how many there were."""
        left = size
        while left and (part := self.some(left)):
            left -= len(part)
        return size - left
