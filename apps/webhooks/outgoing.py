"""The one place that calls an address which a person has named: a POST that reaches nothing inside the network it is
sent from.

The name is resolved once. If any of its addresses is not a plain public one, nothing is sent; else the connection goes
to the address that was looked at, never to the name, so that a second answer of the name server changes nothing.
Redirects are answers, not ways. An administrator may name hosts of the own network (LOCKSCOPE_WEBHOOK_HOSTS); these are
asked for nothing but the port.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import SplitResult, urlsplit

from parsers.dataclass import dataclass

PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}
SECONDS: Final = 5.0
ANSWER_BYTES: Final = 64 << 10
ADDRESS_CHARS: Final = 500
VISIBLE: Final = re.compile(r"[\x21-\x7e]+")
HOST: Final = re.compile(r"(?!-)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*\.?|\[[0-9a-f:.]+\]")
STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})[ \r]")
# What is given out of IPv6; all else, such as addresses in which one of IPv4 is written, is of no machine that needs to
# be called.
GIVEN_OUT: Final = ipaddress.IPv6Network("2000::/3")
# Set aside by IANA for protocols, routers, name servers and documents, which ``is_global`` lets pass, 6to4 and Teredo
# with IPv4 inside; and the address by which machines of one large cloud reach what runs them.
SET_ASIDE: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.175.48.0/24",
            "168.63.129.16/32",
            "2001::/23", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
        ),
    )
)  # fmt: skip

NOT_AN_ADDRESS: Final = "Give an address such as https://chat.example.com/hooks/123, without user name, password or #."
NOT_THIS_SCHEME: Final = "Only http:// and https:// can be called."
NOT_THIS_PORT: Final = "Only port 443 of https and port 80 of http can be called; an administrator can allow others."
NOT_OUTSIDE: Final = (
    "This host is not on the public network, or its name is not known. An administrator can allow it by name "
    "(LOCKSCOPE_WEBHOOK_HOSTS)."
)
"""One sentence for both: two would tell which names there are inside."""
UNKNOWN_HOST: Final = "The name of the host is not known."
NOT_REACHED: Final = "The host could not be reached."
BAD_CERTIFICATE: Final = "The certificate of the host is not valid for it."
TOO_SLOW: Final = f"There was no answer within {SECONDS:.0f} s."
TOO_LARGE: Final = f"The head of the answer is longer than {ANSWER_BYTES >> 10} kB."
NO_HTTP: Final = "What answered does not speak HTTP."

Resolver = Callable[[str, int], list[str]]


class RefusedError(Exception):
    """Not called, and never will be as it stands; the words are for whoever named the address."""


class FailedError(Exception):
    """Called, or tried to; another time it may work."""


@dataclass(frozen=True, slots=True)
class Target:
    """A checked address."""

    scheme: str
    host: str
    port: int
    path: str
    is_named: bool
    """An administrator has named the host: it may be inside."""

    @property
    def authority(self) -> str:
        """For the header Host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def target_of(address: str, allowed: frozenset[str] = frozenset()) -> Target:
    """Scheme, host and port checked; `allowed` holds names, or names with a port. Nothing is resolved here."""
    parts = _parts(address)
    if parts.scheme not in PORTS:
        raise RefusedError(NOT_THIS_SCHEME)
    host, port = (parts.hostname or "").rstrip("."), _port(parts)
    if HOST.fullmatch(f"[{host}]" if ":" in host else host) is None:
        raise RefusedError(NOT_AN_ADDRESS)
    names_port = f"{host}:{port}" in allowed
    if port != PORTS[parts.scheme] and not names_port:
        raise RefusedError(NOT_THIS_PORT)
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    return Target(parts.scheme, host, port, path, is_named=names_port or host in allowed)


def _parts(address: str) -> SplitResult:
    try:
        parts = urlsplit(address) if len(address) <= ADDRESS_CHARS and VISIBLE.fullmatch(address) else None
    except ValueError:
        parts = None
    if parts is None or parts.fragment or "@" in parts.netloc or "\\" in address or not parts.netloc:
        raise RefusedError(NOT_AN_ADDRESS if "://" in address else NOT_THIS_SCHEME)
    return parts


def _port(parts: SplitResult) -> int:
    try:
        return parts.port or PORTS[parts.scheme]
    except ValueError:
        raise RefusedError(NOT_THIS_PORT) from None


def system_resolver(host: str, port: int) -> list[str]:
    """All addresses of a name, as the system knows them."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def is_public(address: str) -> bool:
    """A plain address of the public network: not of this machine, a private or local net, many machines, or IPv4 in
    disguise.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:  # with a zone, such as fe80::1%eth0
        return False
    if isinstance(found, ipaddress.IPv6Address) and found not in GIVEN_OUT:
        return False
    if any(found in net for net in SET_ASIDE):
        return False
    return found.is_global and not (found.is_multicast or found.is_reserved or found.is_unspecified)


def pinned(target: Target, resolver: Resolver = system_resolver) -> str:
    """The address to connect to. One bad address among good ones refuses them all: which one is used would be
    chance.
    """
    try:
        found = resolver(target.host, target.port)
    except (OSError, UnicodeError):
        found = []
    if target.is_named and not found:
        raise FailedError(UNKNOWN_HOST)
    if not target.is_named and not (found and all(is_public(address) for address in found)):
        raise FailedError(NOT_OUTSIDE)
    return found[0]


def post(
    address: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    allowed: frozenset[str] = frozenset(),
    resolver: Resolver = system_resolver,
) -> int:
    """Send it; the status of the answer. Everything together, but for resolving, takes 5 s at most; the body of the
    answer is not read.
    """
    target = target_of(address, allowed)
    place = pinned(target, resolver)
    ends_at = time.monotonic() + SECONDS
    try:
        with _connection(target, place, ends_at) as connection:
            connection.settimeout(_left(ends_at))
            connection.sendall(_request(target, body, headers))
            return _status(connection, ends_at)
    except TimeoutError:
        raise FailedError(TOO_SLOW) from None
    except ssl.SSLCertVerificationError:
        raise FailedError(BAD_CERTIFICATE) from None
    except OSError:
        raise FailedError(NOT_REACHED) from None


def _connection(target: Target, place: str, ends_at: float) -> socket.socket:
    plain = socket.create_connection((place, target.port), timeout=_left(ends_at))
    if target.scheme == "http":
        return plain
    try:
        plain.settimeout(_left(ends_at))
        return ssl.create_default_context().wrap_socket(plain, server_hostname=target.host)
    except BaseException:
        plain.close()
        raise


def _left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _request(target: Target, body: bytes, headers: Mapping[str, str]) -> bytes:
    fields = {"Host": target.authority, "Content-Length": str(len(body)), "Connection": "close", **headers}
    lines = [f"POST {target.path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _status(connection: socket.socket, ends_at: float) -> int:
    """The status alone: what else stands in the answer is passed to nobody, or it could be used to look around."""
    head = bytearray()
    while b"\r\n\r\n" not in head:
        if len(head) > ANSWER_BYTES:
            raise FailedError(TOO_LARGE)
        connection.settimeout(_left(ends_at))
        part = connection.recv(8192)
        if not part:
            break
        head += part
    match = STATUS.match(head)
    if match is None:
        raise FailedError(NO_HTTP)
    return int(match[1])
