#!/usr/bin/env python3
"""Send files to Lockscope, wait for the verdict, print it. One file, standard library only: copy it anywhere.

    LOCKSCOPE_URL=https://lockscope.example LOCKSCOPE_TOKEN=lsc_... lockscope.py [--case KEY | --title TEXT] PATH... | -

Exit: 0 nothing above "info", 1 "low" or "medium", 2 "high" or "critical", 3 it could not be sent or read.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

EXIT_OF = {"info": 0, "": 0, "low": 1, "medium": 1, "high": 2, "critical": 2}
FAILED = 3
PREFIX = "LOCKSCOPE_"  # of the variables with the address and the token
CHUNK = 1 << 20
ASK_EVERY_S = 1.0


class RefusedError(Exception):
    """What the server said, or why it could not be asked."""


class Server:
    """One Lockscope, and a token for it."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise RefusedError("LOCKSCOPE_URL must be an address such as https://lockscope.example")
        self.kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self.host, self.base = parts.netloc, parts.path.rstrip("/")
        self.headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> dict[str, Any]:
        """One request. The body: JSON, or an iterator of bytes with its own headers."""
        if headers is None and body is not None:
            body, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
        connection = self.kind(self.host, timeout=600)
        try:
            connection.request(method, f"{self.base}/api/v1/{path}", body=body, headers=self.headers | (headers or {}))
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

    def send(self, case: str, name: str, stream: BinaryIO) -> dict[str, Any]:
        """Upload one file, a megabyte in memory at a time."""
        mark = uuid.uuid4().hex
        safe = name.replace('"', "'").replace("\r", " ").replace("\n", " ")
        head = (
            f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{safe}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        )
        parts = (head.encode(), f"\r\n--{mark}--\r\n".encode())
        size = stream.seek(0, os.SEEK_END) if stream.seekable() else None
        if size is None:  # a pipe: its length is to be known beforehand
            whole = stream.read()
            size, chunks = len(whole), iter([whole])
        else:
            stream.seek(0)
            chunks = iter(lambda: stream.read(CHUNK), b"")
        headers = {"Content-Type": f"multipart/form-data; boundary={mark}", "Content-Length": str(size + sum(map(len, parts)))}
        return self.ask("POST", f"cases/{case}/bundles/", _joined(parts, chunks), headers)


def _joined(parts: tuple[bytes, bytes], chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield parts[0]
    yield from chunks
    yield parts[1]


def files_of(paths: list[str]) -> Iterator[tuple[str, BinaryIO]]:
    """Name and stream of each file; folders with all that is in them; - is standard input."""
    for path in paths:
        if path == "-":
            yield "standard-input.txt", sys.stdin.buffer
            continue
        top = Path(path)
        found = sorted(p for p in top.rglob("*") if p.is_file()) if top.is_dir() else [top]
        for file in found:
            name = str(file.relative_to(top.parent)) if top.is_dir() else file.name
            with file.open("rb") as stream:
                yield name, stream


def run(arguments: argparse.Namespace, server: Server) -> int:
    """Send, wait, print."""
    key = arguments.case or server.ask("POST", "cases/", {"title": arguments.title or Path(arguments.paths[0]).name})["key"]
    for name, stream in files_of(arguments.paths):
        for bundle in server.send(key, name, stream)["results"]:
            sys.stderr.write(f"{key}: {bundle['filename']} {bundle['message'] or 'sent'}\n")
    end = time.monotonic() + arguments.wait
    while not (state := server.ask("GET", f"cases/{key}/state/"))["settled"]:
        if time.monotonic() > end:
            raise RefusedError(f"{key} is not read to the end after {arguments.wait:.0f} s; its page shows how far it is")
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
