#!/usr/bin/env python3
"""Send files to Lockscope, wait for the verdict, print it. One file, standard library only: copy it anywhere.

    LOCKSCOPE_URL=https://lockscope.example LOCKSCOPE_TOKEN=lsc_... lockscope.py [--case KEY | --title TEXT] PATH... | -

Exit: 0 nothing above "info", 1 "low" or "medium", 2 "high" or "critical", 3 it could not be sent or read.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPMessage as Message
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

EXIT_OF = {"info": 0, "": 0, "low": 1, "medium": 1, "high": 2, "critical": 2}
FAILED = 3
PREFIX = "LOCKSCOPE_"  # of the variables with the address and the token
CHUNK = 1 << 20
PIECE = 64 << 20
TRIES = 8
LONGEST_PAUSE_S = 30.0
AGAIN = {
    408,
    409,
    423,
    429,
}  # broken off, elsewhere than thought, still held by the broken connection, too many requests
ASK_EVERY_S = 1.0


class RefusedError(Exception):
    """What the server said, or why it could not be asked."""


class LostError(RefusedError):
    """It may work in a moment: the connection broke, or the server is busy with this upload."""


class Server:
    """One Lockscope, and a token for it."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise RefusedError("LOCKSCOPE_URL must be an address such as https://lockscope.example")
        self.kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self.host, self.base = parts.netloc, parts.path.rstrip("/")
        self.headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """One request with JSON, or nothing."""
        headers = {} if body is None else {"Content-Type": "application/json"}
        body = None if body is None else json.dumps(body).encode()
        connection = self.kind(self.host, timeout=600)
        try:
            connection.request(method, f"{self.base}/api/v1/{path}", body=body, headers=self.headers | headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise RefusedError(f"{self.host} does not answer: {error}") from None
        finally:
            connection.close()
        found: dict[str, Any] = json.loads(text) if text.startswith(b"{") else {}
        if answer.status >= 400:
            raise RefusedError(found.get("detail") or f"{self.host} answered {answer.status}")
        return found

    def send(self, case: str, name: str, stream: BinaryIO) -> str:
        """Upload one file, a megabyte in memory at a time; what is to be said of it."""
        size = stream.seek(0, os.SEEK_END)
        told = ",".join(
            f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in (("filename", name), ("case", case))
        )
        head = self.tus("POST", f"{self.base}/api/v1/uploads/", {"Upload-Length": str(size), "Upload-Metadata": told})
        place, at, tries = urlsplit(head["Location"]).path, 0, 0
        while at < size:
            try:
                if tries:
                    at = int(self.tus("HEAD", place)["Upload-Offset"])
                head = self.tus("PATCH", place, {"Upload-Offset": str(at)}, Piece(stream, at, min(PIECE, size - at)))
                at, tries = int(head["Upload-Offset"]), 0
            except LostError as error:
                tries += 1
                if tries > TRIES:
                    raise RefusedError(f"{name} was sent up to byte {at}: {error}") from None
                time.sleep(min(2.0**tries, LONGEST_PAUSE_S))
        return unquote(head.get("Lockscope-Message", ""))

    def tus(self, method: str, path: str, headers: dict[str, str] | None = None, piece: Piece | None = None) -> Message:
        """One request of the protocol; the headers of its answer."""
        told = (
            self.headers
            | {"Tus-Resumable": "1.0.0", "Content-Length": str(piece.length if piece else 0)}
            | (headers or {})
        )
        if piece:
            told["Content-Type"] = "application/offset+octet-stream"
        connection = self.kind(self.host, timeout=600)
        try:
            connection.request(method, path, body=piece, headers=told)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace").strip()
        except (OSError, http.client.HTTPException) as error:
            raise LostError(f"{self.host} does not answer: {error}") from None
        finally:
            connection.close()
        if answer.status in AGAIN or answer.status >= 500:
            raise LostError(text[:200] or f"{self.host} answered {answer.status}")
        if answer.status >= 400:
            raise RefusedError(text[:200] or f"{self.host} answered {answer.status}")
        return answer.headers


class Piece:
    """Part of a file, in chunks."""

    def __init__(self, stream: BinaryIO, at: int, length: int) -> None:
        self.stream, self.at, self.length = stream, at, length

    def __iter__(self) -> Iterator[bytes]:
        self.stream.seek(self.at)
        left = self.length
        while left:
            chunk = self.stream.read(min(CHUNK, left))
            if not chunk:
                raise RefusedError("the file became shorter while it was sent")
            left -= len(chunk)
            yield chunk


def files_of(paths: list[str]) -> Iterator[tuple[str, BinaryIO]]:
    """Name and stream of each file; folders with all that is in them; - is standard input."""
    for path in paths:
        if path == "-":
            with tempfile.TemporaryFile() as kept:  # a pipe cannot be read again from where it broke
                shutil.copyfileobj(sys.stdin.buffer, kept, CHUNK)
                yield "standard-input.txt", kept
            continue
        top = Path(path)
        found = sorted(p for p in top.rglob("*") if p.is_file()) if top.is_dir() else [top]
        for file in found:
            name = str(file.relative_to(top.parent)) if top.is_dir() else file.name
            with file.open("rb") as stream:
                yield name, stream


def run(arguments: argparse.Namespace, server: Server) -> int:
    """Send, wait, print."""
    key = (
        arguments.case
        or server.ask("POST", "cases/", {"title": arguments.title or Path(arguments.paths[0]).name})["key"]
    )
    for name, stream in files_of(arguments.paths):
        sys.stderr.write(f"{key}: {name} {server.send(key, name, stream) or 'sent'}\n")
    end = time.monotonic() + arguments.wait
    while not (state := server.ask("GET", f"cases/{key}/state/"))["settled"]:
        if time.monotonic() > end:
            raise RefusedError(
                f"{key} is not read to the end after {arguments.wait:.0f} s; its page shows how far it is"
            )
        time.sleep(ASK_EVERY_S)
    if state["failure"] or state["verdict"] is None:
        raise RefusedError(state["failure"] or f"{key}: nothing could be read; its files page says why")
    sys.stdout.write(f"{key} [{(state['severity'] or 'info').upper()}] {state['verdict']}\n")
    return EXIT_OF.get(state["severity"] or "", 0)


def main() -> int:
    parser = argparse.ArgumentParser(description="Send files to Lockscope, wait for the verdict, print it.")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file, folder, or - for standard input")
    parser.add_argument("--case", help="key of a case to add to; without it a new case is made")
    parser.add_argument("--title", help="title of a new case")
    parser.add_argument("--wait", type=float, default=900, help="seconds to wait for the verdict (900)")
    arguments = parser.parse_args()
    try:
        return run(arguments, Server(os.environ.get(f"{PREFIX}URL", ""), os.environ.get(f"{PREFIX}TOKEN", "")))
    except (RefusedError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
