"""T33: what is called from here reaches nothing inside. Real sockets; only the name server is ours."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from apps.webhooks import outgoing
from apps.webhooks.outgoing import (
    FailedError,
    RefusedError,
    Resolver,
    is_public,
    pinned,
    post,
    system_resolver,
    target_of,
)
from tests.patience import HANGS_S
from tests.webhooks.receiver import Answer, Receiver, receiver, says, without_end

NAME = "hooks.example.com"
GIVEN_S = outgoing.SECONDS


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer comes at once, and its reader may have to wait for a core."""
    monkeypatch.setattr(outgoing, "SECONDS", HANGS_S)


def resolves(*answers: list[str]) -> tuple[Resolver, list[str]]:
    """A name server that gives one answer after the other, the last one for ever; and the names that it was
    asked for.
    """
    lookups: list[str] = []

    def resolver(host: str, _port: int) -> list[str]:
        lookups.append(host)
        return answers[min(len(lookups), len(answers)) - 1]

    return resolver, lookups


def send(found: Receiver, path: str = "/x", *, host: str = NAME, scheme: str = "http", place: str = "127.0.0.1") -> int:
    """To a receiver of ours, whose host an administrator has named."""
    resolver, _ = resolves([place])
    return post(
        f"{scheme}://{host}:{found.port}{path}",
        b"{}",
        {},
        allowed=frozenset({f"{host}:{found.port}"}),
        resolver=resolver,
    )


@pytest.fixture
def inside() -> Iterator[Receiver]:
    """What must never be reached."""
    with receiver() as found:
        yield found
        assert found.connections == 0


def test_what_is_allowed_arrives_whole(inside: Receiver) -> None:
    with receiver() as found:
        assert send(found, "/hooks/1?a=b") == 204
    first, headers, body = found.parts()
    assert first == "POST /hooks/1?a=b HTTP/1.1"
    assert headers == {"Host": f"{NAME}:{found.port}", "Content-Length": "2", "Connection": "close"}
    assert body == b"{}"


SCHEMES = (
    "file:///etc/passwd", "gopher://127.0.0.1:6379/_x", "ftp://hooks.example.com/", "unix:///run/valkey.sock",
    "redis://hooks.example.com",
    "javascript:alert(1)", "data:text/plain,x", "//hooks.example.com/", "hooks.example.com/x",
    "HTTPSX://hooks.example.com", "",
)  # fmt: skip


@pytest.mark.parametrize("address", SCHEMES)
def test_t33_only_two_schemes_are_called(address: str) -> None:
    with pytest.raises(RefusedError):
        target_of(address)


ODD = (
    "https://user:word@hooks.example.com/", "https://hooks.example.com@10.0.0.1/",
    "https://hooks.example.com\\@10.0.0.1/", "https:///x",
    "https://hooks.example.com/a b", "https://hooks.example.com/\r\nHost: x", "https://hooks.example.com/#x",
    "https://hooks.example.com\t/",
    "https://b\u00fccher.example/", "https://hooks..example.com/", "https://-x.example/", "https://[::1/",
    "https://a%00b.example/",
    "https://hooks.example.com/" + "x" * 500, "https://hooks.example.com:99999/", "https://hooks.example.com:x/",
)  # fmt: skip


@pytest.mark.parametrize("address", ODD)
def test_t33_what_two_readers_could_take_differently_is_no_address(address: str) -> None:
    with pytest.raises(RefusedError):
        target_of(address)


@pytest.mark.parametrize("port", [22, 25, 80, 3306, 6379, 8000, 8080, 8443, 11211])
def test_t33_other_ports_are_called_only_where_an_administrator_named_them(port: int) -> None:
    with pytest.raises(RefusedError, match="port"):
        target_of(f"https://{NAME}:{port}/")
    with pytest.raises(RefusedError, match="port"):
        target_of(f"https://{NAME}:{port}/", frozenset({NAME, f"{NAME}:{port + 1}", f"x.{NAME}:{port}"}))
    assert target_of(f"https://{NAME}:{port}/", frozenset({f"{NAME}:{port}"})).port == port


NOT_PUBLIC = {
    "loopback": ("127.0.0.1", "127.255.255.254", "::1", "0.0.0.1", "::"),
    "private": ("10.0.0.1", "172.16.5.4", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fc00::1", "fd12:3456::1",
        "fec0::1"),
    "link-local": ("169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%eth0"),
    "multicast": ("224.0.0.1", "239.1.2.3", "255.255.255.255", "240.0.0.1", "ff02::1", "ff0e::1"),
    "disguised": (
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe", "2002:7f00:1::1",
        "2002:a9fe:a9fe::", "2001:0:53aa:64c::1", "64:ff9b:1::1",
    ),
    "for documents": ("192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "2001:db8::1", "100::1", "192.0.0.1"),
    "for routers and others": (
        "192.88.99.1", "192.88.99.2", "192.31.196.1", "192.52.193.1", "192.175.48.1", "192.0.0.9", "192.0.0.10",
        "2620:4f:8000::1", "168.63.129.16",
        "2001:3::1", "2001:4:112::1", "2001:1::1", "2001:20::1", "2001:30::1", "2001:2::1", "3fff::1", "5f00::1",
        "2001:10::1",
    ),
    "none": ("", "x", "1.2.3", "999.1.1.1"),
}  # fmt: skip


@pytest.mark.parametrize("kind", NOT_PUBLIC)
def test_t33_loopback_private_link_local_and_the_like_are_refused(kind: str) -> None:
    for address in NOT_PUBLIC[kind]:
        assert not is_public(address), address
        resolver, _ = resolves([address])
        with pytest.raises(FailedError, match="public network"):
            post(f"https://{NAME}/", b"", {}, resolver=resolver)


def test_plain_public_addresses_are_not_refused() -> None:
    assert all(
        is_public(address) for address in ("8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "2a00:1450::1")
    )


@pytest.mark.parametrize("good", ["8.8.8.8", "2606:4700::1111"])
@pytest.mark.parametrize("bad", ["127.0.0.1", "10.0.0.1", "::1", "::ffff:10.0.0.1", "169.254.169.254"])
def test_t33_one_bad_address_among_good_ones_refuses_all(good: str, bad: str) -> None:
    for mixed in ([good, bad], [bad, good], [good, good, bad]):
        resolver, _ = resolves(mixed)
        with pytest.raises(FailedError):
            pinned(target_of(f"https://{NAME}/"), resolver)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "localhost", "localhost.", "[::1]", "0"]
)
def test_t33_this_machine_under_any_name_is_not_called(
    host: str, inside: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the system's own resolver, which knows all these spellings; the port is allowed, so that only the address can
    refuse.
    """
    monkeypatch.setattr(outgoing, "PORTS", {"http": inside.port, "https": 443})
    with pytest.raises((RefusedError, FailedError)):
        post(f"http://{host}/", b"", {}, resolver=system_resolver)


def test_t33_the_name_is_requested_once_and_the_connection_goes_to_that_answer() -> None:
    """Rebinding: the second answer of the name server leads to another machine, and nobody asks for it."""
    with receiver() as first, receiver(host="127.0.0.2", port=first.port) as second:
        resolver, lookups = resolves(["127.0.0.1"], ["127.0.0.2"])
        allowed = frozenset({f"{NAME}:{first.port}"})
        assert post(f"http://{NAME}:{first.port}/", b"{}", {}, allowed=allowed, resolver=resolver) == 204
    assert (first.connections, second.connections, lookups) == (1, 0, [NAME])


def test_t33_a_public_name_that_turns_inwards_is_still_called_where_it_was(
    inside: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[tuple[str, int]] = []

    def connect(place: tuple[str, int], timeout: float) -> socket.socket:
        called.append(place)
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", connect)
    resolver, lookups = resolves(["8.8.8.8"], ["127.0.0.1"])
    with pytest.raises(FailedError):
        post(f"https://{NAME}/", b"", {}, resolver=resolver)
    assert (called, lookups) == ([("8.8.8.8", 443)], [NAME])


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_t33_redirects_are_not_followed(status: int, inside: Receiver) -> None:
    to = f"HTTP/1.1 {status} Moved\r\nLocation: http://127.0.0.1:{inside.port}/\r\n\r\n".encode()
    with receiver(says(to)) as found:
        assert send(found) == status
    assert found.connections == 1


HEAD = b"HTTP/1.1 200 OK\r\n"


def test_t33_a_body_without_end_is_not_read() -> None:
    with receiver(without_end(HEAD + b"\r\n", b"x" * 65536)) as found:
        assert send(found) == 200


def test_t33_a_head_without_end_is_refused_after_64_kb() -> None:
    with (
        receiver(without_end(HEAD, b"X-A: " + b"x" * 1000 + b"\r\n")) as found,
        pytest.raises(FailedError, match="64 kB"),
    ):
        send(found)


SLOW: tuple[tuple[str, Answer], ...] = (
    ("silent", lambda connection: time.sleep(0.5)),
    ("drop by drop", without_end(HEAD, b"x", 0.05)),
)


@pytest.mark.parametrize("answer", [one for _, one in SLOW], ids=[name for name, _ in SLOW])
def test_t33_who_is_slow_is_left_after_the_time(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five seconds for all of it; a third of one here."""
    assert GIVEN_S == 5
    monkeypatch.setattr(outgoing, "SECONDS", 0.3)
    with receiver(answer) as found:
        began = time.monotonic()
        with pytest.raises(FailedError, match="no answer within"):
            send(found)
        assert time.monotonic() - began > 0.25


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"-ERR unknown command\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 999 X\r\n\r\n",
    ],
)
def test_t33_nothing_of_what_another_service_says_is_reported(answer: bytes) -> None:
    with receiver(says(answer)) as found, pytest.raises(FailedError) as failed:
        send(found)
    assert str(failed.value) in {outgoing.NO_HTTP, outgoing.NOT_REACHED}


def test_t33_nobody_there_and_no_such_name() -> None:
    with receiver() as found:
        pass
    with pytest.raises(FailedError, match="could not be reached"):
        send(found)
    for answer in NOBODY:
        with pytest.raises(FailedError, match="not known"):
            post(f"https://{NAME}/", b"", {}, allowed=frozenset({NAME}), resolver=answer)


def _unknown(_host: str, _port: int) -> list[str]:
    raise socket.gaierror(-2, "Name or service not known")


NOBODY: tuple[Resolver, ...] = (lambda _host, _port: [], _unknown)


@pytest.mark.parametrize("inner", ["10.0.0.1", "127.0.0.1", "fd00::1", "192.0.0.9"])
def test_t33_a_name_inside_and_one_that_does_not_exist_are_answered_alike(inner: str) -> None:
    messages = set()
    for answer in (*NOBODY, resolves([inner])[0]):
        with pytest.raises(FailedError) as failed:
            post(f"https://{NAME}/", b"", {}, resolver=answer)
        messages.add(str(failed.value))
    assert len(messages) == 1


# TLS
# --------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def certified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """For NAME, by an authority that this test trusts as an administrator would make the system trust it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    both = tmp_path / "both.pem"
    text = serialization.Encoding.PEM
    plain = key.private_bytes(text, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    both.write_bytes(plain + made.public_bytes(text))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    monkeypatch.setenv("SSL_CERT_FILE", str(both))
    return context


def test_t33_the_certificate_must_be_for_the_name_though_the_address_is_pinned(
    certified: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiver(tls=certified) as found:
        assert send(found, scheme="https") == 204
        with pytest.raises(FailedError, match="certificate"):
            send(found, scheme="https", host="other.example.com")
        monkeypatch.setenv("SSL_CERT_FILE", "/dev/null")
        with pytest.raises(FailedError, match="certificate"):
            send(found, scheme="https")
    assert len(found.requests) == 1
