#!/usr/bin/env python3
"""Send files to Lockscope, wait for the verdict, print it. One file, standard library only: copy it anywhere.

    LOCKSCOPE_URL=https://lockscope.example LOCKSCOPE_TOKEN=lsc_... lockscope.py [--case KEY | --title TEXT] PATH... | -
    ... lockscope.py watch [--case KEY | --title TEXT] [--every 20] [--for 3600] [--command "mmdiag --waiters"]...

``watch`` runs on a node while it hangs: every 20 s it runs commands that only read, sends what they print, and says
what blocks. Samples that cannot be sent wait in a folder of bounded size below TMPDIR, which is removed at the end;
nothing else is written. It ends after --for seconds, or when what blocked has been gone for 15 samples.

Exit: 0 nothing above "info", 1 "low" or "medium", 2 "high" or "critical", 3 it could not be sent or read.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
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

    def __init__(self, url: str, token: str, *, limit_s: float = 600.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise RefusedError("LOCKSCOPE_URL must be an address such as https://lockscope.example")
        self.kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self.limit_s = limit_s
        self.host, self.base = parts.netloc, parts.path.rstrip("/")
        self.headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """One request with JSON, or nothing."""
        headers = {} if body is None else {"Content-Type": "application/json"}
        body = None if body is None else json.dumps(body).encode()
        connection = self.kind(self.host, timeout=self.limit_s)
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

    def send(self, case: str, name: str, stream: BinaryIO, tries: int = TRIES) -> str:
        """Upload one file, a megabyte in memory at a time; what is to be said of it. ``tries``: after a broken
        connection, before it is given up.
        """
        size = stream.seek(0, os.SEEK_END)
        metadata = ",".join(
            f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in (("filename", name), ("case", case))
        )
        head = self.tus(
            "POST", f"{self.base}/api/v1/uploads/", {"Upload-Length": str(size), "Upload-Metadata": metadata}
        )
        place, at, broken = urlsplit(head["Location"]).path, 0, 0
        while at < size:
            try:
                if broken:
                    at = int(self.tus("HEAD", place)["Upload-Offset"])
                head = self.tus("PATCH", place, {"Upload-Offset": str(at)}, Piece(stream, at, min(PIECE, size - at)))
                at, broken = int(head["Upload-Offset"]), 0
            except LostError as error:
                broken += 1
                if broken > tries:
                    raise RefusedError(f"{name} was sent up to byte {at}: {error}") from None
                time.sleep(min(2.0**broken, LONGEST_PAUSE_S))
        return unquote(head.get("Lockscope-Message", ""))

    def tus(self, method: str, path: str, headers: dict[str, str] | None = None, piece: Piece | None = None) -> Message:
        """One request of the protocol; the headers of its answer."""
        metadata = (
            self.headers
            | {"Tus-Resumable": "1.0.0", "Content-Length": str(piece.length if piece else 0)}
            | (headers or {})
        )
        if piece:
            metadata["Content-Type"] = "application/offset+octet-stream"
        connection = self.kind(self.host, timeout=self.limit_s)
        try:
            connection.request(method, path, body=piece, headers=metadata)
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


COMMANDS = (
    ("mmdiag --waiters", "/usr/lpp/mmfs/bin/mmdiag"),
    ("cat /sys/kernel/debug/gfs2/*/glocks", "/sys/kernel/debug/gfs2/*"),
    ("dlm_tool lockdump -v", "/usr/sbin/dlm_tool"),
    ("lltstat -nvv active", "/sbin/lltstat"),
)
"""What is run where nothing else is named: each command where its file is there. All of them only read."""
WATCH_PATH = "/usr/lpp/mmfs/bin:/usr/sbin:/sbin:/opt/VRTS/bin"
OUTPUT_MOST = 32 << 20
CALM_SAMPLES = 15
LAST_TRY_S = 60.0


class Queue:
    """Samples that were taken and not sent yet: files in a folder of its own, never more than ``most`` bytes together.

    The oldest goes where there is no room: what blocks now matters more than what blocked.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self.folder, self.most, self.dropped, self.lock = folder, most, 0, threading.Lock()

    def put(self, name: str, data: bytes) -> None:
        with self.lock:
            kept = sorted(self.folder.iterdir())
            room = self.most - len(data) - sum(one.stat().st_size for one in kept)
            while room < 0 and kept:
                oldest = kept.pop(0)
                room += oldest.stat().st_size
                oldest.unlink()
                self.dropped += 1
            if room < 0:
                self.dropped += 1
                return
            part = self.folder / f".{name}"
            part.write_bytes(data)
            part.rename(self.folder / name)

    def waiting(self) -> list[Path]:
        with self.lock:
            return sorted(one for one in self.folder.iterdir() if not one.name.startswith("."))

    def sent(self, path: Path) -> None:
        with self.lock:
            path.unlink(missing_ok=True)


def commands_here() -> list[str]:
    """Those of ``COMMANDS`` whose file this node has."""
    return [command for command, file in COMMANDS if any(Path("/").glob(file.lstrip("/")))]


def output_of(command: str, limit_s: float) -> bytes:
    """What a command prints, without a shell; patterns are filled in. One that hangs with the cluster is given up."""
    words = [
        path
        for word in shlex.split(command)
        for path in (sorted(map(str, Path("/").glob(word.lstrip("/")))) if "*" in word and word[0] == "/" else [word])
    ]
    env = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:{WATCH_PATH}", "LC_ALL": "C"}
    try:
        process = subprocess.Popen(  # noqa: S603 - named by who runs this on his own node, and without a shell
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=env,
            start_new_session=True,
        )
    except OSError as error:
        return f"{words[0]}: {error.strerror}\n".encode()
    late = threading.Timer(limit_s, process.kill)
    late.start()
    try:
        printed = process.stdout.read(OUTPUT_MOST) if process.stdout else b""
    finally:
        is_late = not late.is_alive()
        late.cancel()
        process.kill()
        if process.stdout:
            process.stdout.close()
        process.wait()
    if is_late:
        printed += f"\n{words[0]} gave no answer within {limit_s:.0f} s\n".encode()
    return printed


def sample_of(node: str, commands: list[str], limit_s: float) -> bytes:
    """One sample as a terminal would show it: each command behind a prompt that names the node, with the time."""
    parts = []
    for command in commands:
        now = time.strftime("%a %b %e %H:%M:%S %Z %Y")
        head = f"[root@{node} ~]# date\n{now}\n[root@{node} ~]# {command}\n"
        parts += [head.encode(), output_of(command, limit_s), b"\n"]
    return b"".join(parts)


class Watch:
    """Takes samples at a fixed pace, whatever the connection does; another thread sends them."""

    def __init__(self, arguments: argparse.Namespace, server: Server, folder: Path) -> None:
        self.server, self.every = server, arguments.every
        self.node = platform.node().partition(".")[0] or "node"
        self.commands = arguments.command or commands_here()
        self.queue = Queue(folder, arguments.queue_mb << 20)
        self.key, self.title = arguments.case, arguments.title or f"Live watch of {self.node}"
        self.until = time.monotonic() + arguments.last
        self.number, self.calm, self.was_blocked, self.answer = 0, 0, False, dict[str, Any]()
        self.is_over = threading.Event()
        self.is_new = threading.Event()

    def run(self) -> int:
        """Until the time is over, the hang is, or somebody stops it."""
        if not self.commands:
            raise RefusedError("Nothing to watch is installed here: name a --command that only reads.")
        sender = threading.Thread(target=self.send_all, daemon=True)
        sender.start()
        try:
            while time.monotonic() < self.until and self.calm < CALM_SAMPLES:
                began = time.monotonic()
                self.take()
                self.is_over.wait(max(0.0, self.every - (time.monotonic() - began)))
        except KeyboardInterrupt:
            sys.stderr.write("stopping; what is queued is still sent\n")
        self.is_over.set()
        self.is_new.set()
        sender.join(LAST_TRY_S)
        left = len(self.queue.waiting())
        if left:
            raise RefusedError(f"{left} of {self.number} samples could not be sent")
        state = self.answer
        if not state.get("severity"):
            raise RefusedError(f"the samples are sent and not read yet; the page of {self.key} shows the verdict")
        sys.stdout.write(f"{self.key} [{state['severity'].upper()}] {state.get('verdict') or ''}\n")
        return EXIT_OF.get(state.get("severity") or "", 0)

    def take(self) -> None:
        self.number += 1
        data = sample_of(self.node, self.commands, max(2.0, 0.8 * self.every))
        self.queue.put(f"{self.node}-{time.strftime('%Y%m%dT%H%M%S')}-{self.number:06d}.txt", data)
        self.is_new.set()

    def send_all(self) -> None:
        """Oldest first. A connection that breaks is tried again with each new sample, and at the end until it is time
        to go.
        """
        while True:
            self.is_new.wait(self.every)
            self.is_new.clear()
            last = self.is_over.is_set()
            try:
                for path in self.queue.waiting():
                    self.send(path)
                if last:
                    self.say(is_over=True)
                    return
            except (RefusedError, OSError) as error:
                sys.stderr.write(f"{time.strftime('%H:%M:%S')} not sent, kept: {error}\n")
                if last:
                    time.sleep(2.0)
                    self.is_new.set()

    def send(self, path: Path) -> None:
        if not self.key:
            self.key = self.server.ask("POST", "cases/", {"title": self.title})["key"]
            sys.stderr.write(f"case {self.key}\n")
        with path.open("rb") as stream:
            self.server.send(self.key, path.name, stream, tries=0)
        self.queue.sent(path)
        self.say(is_over=False)

    def say(self, *, is_over: bool) -> None:
        """Tell the server how far the watch is, and print what blocks."""
        if not self.key:
            return
        metadata = {
            "node": self.node,
            "number": self.number,
            "every_s": round(self.every),
            "dropped": self.queue.dropped,
        }
        self.answer = self.server.ask(
            "POST", f"cases/{self.key}/live/", metadata | {"queued": len(self.queue.waiting()), "is_over": is_over}
        )
        blocker = self.answer.get("blocker")
        self.calm = 0 if blocker or not self.was_blocked else self.calm + 1
        self.was_blocked = self.was_blocked or bool(blocker)
        words = "nothing blocks" if self.answer.get("severity") else "not read yet"
        if blocker:
            same = self.answer["same_root_samples"]
            words = f"blocked by {blocker}, {self.answer['waits']} waits" + (
                f", same root for {same} samples" if same > 1 else ""
            )
        sys.stderr.write(f"{time.strftime('%H:%M:%S')} sample {self.number}: {words}\n")


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


def watch(arguments: argparse.Namespace, server: Server) -> int:
    """A folder for the queue, gone at the end: also where somebody ends it or the terminal goes."""

    def stop(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, stop)
    with tempfile.TemporaryDirectory(prefix="lockscope-watch-") as folder:
        return Watch(arguments, server, Path(folder)).run()


def watch_arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lockscope.py watch", description="Send a sample every 20 s while it hangs.")
    parser.add_argument("--case", help="key of a case to add to; without it a new case is made")
    parser.add_argument("--title", help="title of a new case")
    parser.add_argument("--every", type=float, default=20, help="seconds between two samples (20, at least 5)")
    parser.add_argument("--for", dest="last", type=float, default=3600, help="seconds until it ends by itself (3600)")
    parser.add_argument("--queue-mb", type=int, default=64, help="most megabytes that wait for the connection (64)")
    parser.add_argument(
        "--command", action="append", help="a command that only reads, in place of the usual ones; again for more"
    )
    arguments = parser.parse_args(words)
    arguments.every = min(600.0, max(5.0, arguments.every))
    return arguments


def send_arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Send files to Lockscope, wait for the verdict, print it. Live samples: lockscope.py watch --help"
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file, folder, or - for standard input")
    parser.add_argument("--case", help="key of a case to add to; without it a new case is made")
    parser.add_argument("--title", help="title of a new case")
    parser.add_argument("--wait", type=float, default=900, help="seconds to wait for the verdict (900)")
    return parser.parse_args(words)


def main() -> int:
    words = sys.argv[1:]
    runs: Callable[[argparse.Namespace, Server], int]
    is_watch = words[:1] == ["watch"]
    runs, arguments = (watch, watch_arguments(words[1:])) if is_watch else (run, send_arguments(words))
    url, token = (os.environ.get(f"{PREFIX}{name}", "") for name in ("URL", "TOKEN"))
    try:
        return runs(arguments, Server(url, token, limit_s=60.0 if is_watch else 600.0))
    except (RefusedError, OSError) as error:
        sys.stderr.write(f"{error}\n")
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
