"""Secrets in the spellings in which tools, files and people write them."""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Callable

SEED = 20270615
Spelling = Callable[[random.Random], tuple[str, str]]
"""What is written, and the piece of it that must not be seen."""

BIG = (100, 254)
JOINTS = (".", "_", "-", "%2E", "%2e")


def v4(rng: random.Random) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(".".join(str(rng.randint(*BIG)) for _ in range(4)))


def v6(rng: random.Random) -> ipaddress.IPv6Address:
    return ipaddress.IPv6Address(f"2001:db8:{rng.randint(4096, 65535):x}::{rng.randint(4096, 65535):x}")


def numbers(form: str, joint: str = ".") -> Spelling:
    def spell(rng: random.Random) -> tuple[str, str]:
        joined = joint.join(str(v4(rng)).split("."))
        return form.format(joined), joined

    return spell


def subnet(form: str) -> Spelling:
    def spell(rng: random.Random) -> tuple[str, str]:
        three = str(v4(rng)).rsplit(".", 1)[0]
        return form.format(three), three

    return spell


def subnet_of_two(form: str) -> Spelling:
    def spell(rng: random.Random) -> tuple[str, str]:
        two = ".".join(str(v4(rng)).split(".")[:2])
        return form.format(two), two

    return spell


def hex_octets(rng: random.Random) -> tuple[str, str]:
    written = ".".join(f"0x{part:02x}" for part in v4(rng).packed)
    return written, written


def sixes(form: str, change: Callable[[ipaddress.IPv6Address], str]) -> Spelling:
    def spell(rng: random.Random) -> tuple[str, str]:
        written = change(v6(rng))
        return form.format(written), written

    return spell


def octets(form: str, joint: str) -> Spelling:
    def spell(rng: random.Random) -> tuple[str, str]:
        written = joint.join(["52", *(f"{rng.randint(16, 255):02x}" for _ in range(5))])
        return form.format(written), written

    return spell


def thirds(rng: random.Random) -> tuple[str, str]:
    written = ".".join(f"{rng.randint(0xA000, 0xFFFF):x}" for _ in range(3))
    return written, written


def digits(form: str, least: int) -> Spelling:
    def spell(rng: random.Random) -> tuple[str, str]:
        written = str(rng.randint(10 ** (least - 1), 10**least - 1))
        return form.format(written), written

    return spell


def name(form: str) -> Spelling:
    def spell(rng: random.Random) -> tuple[str, str]:
        written = "".join(rng.choice(pair) for pair in ("kvz", "oua", "rst", "qxy", "eio", "lmn", "bdg"))
        return form.format(written, written.title()), written

    return spell


SPELLINGS: dict[str, Spelling] = {
    **{f"four{joint}": numbers("{}", joint) for joint in JOINTS},
    "after-letters": numbers("host{}"),
    "after-word": numbers("mgmt_{}"),
    "before-word": numbers("{}_eth0"),
    "dashes-after-word": numbers("ip-{}", "-"),
    "underscores-in-word": numbers("snap_{}_x", "_"),
    "port-behind-dot": numbers("{}.2049"),
    "port": numbers("{}:1191"),
    "short-port": numbers("{}.22"),
    "prefix": numbers("{}/24"),
    "reversed": numbers("{}.in-addr.arpa"),
    "brackets": numbers("<{}>"),
    "account": numbers("root@{}:/x"),
    "version-like": numbers("v{}"),
    "star": subnet("{}.*"),
    "dot": subnet("{}."),
    "letter": subnet("{}.x"),
    "bare": subnet("{}"),
    "short-prefix": subnet("{}/24"),
    "set": subnet("{}.{{7,8}}"),
    "no-link": numbers("{}", "[.]"),
    "no-link-round": numbers("{}", "(.)"),
    "of-a-pattern": numbers("{}", "\\."),
    "escaped-twice": numbers("{}", "%252E"),
    "of-markup": numbers("{}", "&#46;"),
    "two-lines-below": numbers("x{}y", "__"),
    "hex-octets": hex_octets,
    "v4-in-v6": numbers("::ffff:{}"),
    "v4-in-v6-brackets": numbers("[::FFFF:{}]:22"),
    "v6": sixes("{}", str),
    "v6-upper": sixes("{}", lambda one: str(one).upper()),
    "v6-exploded": sixes("{}", lambda one: one.exploded),
    "v6-after-label": sixes("addr:{}", str),
    "v6-beside-letters": sixes("eth{}", str),
    "v6-before-word": sixes("{}x", str),
    "v6-zone": sixes("{}%bond0", str),
    "v6-port": sixes("[{}]:1191", str),
    "v6-prefix": sixes("{}/64", str),
    "v6-dashes": sixes("{}.ipv6-literal.net", lambda one: str(one).replace(":", "-")),
    "v6-underscores": sixes("{}", lambda one: str(one).replace(":", "_")),
    "v6-escaped": sixes("{}", lambda one: str(one).replace(":", "%3A")),
    "v6-plain-hex": sixes("{}", lambda one: one.packed.hex()),
    "v6-nibbles": sixes("{}", lambda one: one.reverse_pointer.removesuffix(".ip6.arpa")),
    **{f"mac{joint}": octets("{}", joint) for joint in (":", "-", "", "_")},
    "mac-dots": octets("{}", "."),
    "mac-three": thirds,
    "mac-hex": octets("0x{}", ""),
    "mac-label": octets("mac={}", ":"),
    "number-9": digits("{}", 9),
    "number-12": digits("{}", 12),
    "number-19": digits("{}", 19),
    "serial": digits("sn {}", 7),
    "cluster-id": digits("clusterId {}", 9),
    "ticket": digits("PMR {}", 7),
    "ticket-sr": digits("SR-{}", 8),
    "ticket-behind-name": digits("waiters_SR-{}", 8),
    "ticket-before-name": digits("CHG-{}_x", 8),
    "phone-label": digits("Tel.: 0{}", 8),
    "phone-round": digits("tel (030) {}", 8),
    "node-id": digits("nodeid {}", 9),
    "name": name("{0}"),
    "name-capital": name("{1}"),
    "name-thread": name("{1}HandlerThread"),
    "name-condvar": name("File{1}Condvar"),
    "name-message": name("tmMsg{1}"),
    "name-symbol": name("{0}_lookup+0x12/0x340"),
    "name-symbol-inner": name("gfs2_{0}_lock+0x1f/0x90"),
    "name-host": name("{0}-storage-01"),
    "name-domain": name("node1.{0}.example"),
    "name-user": name("user={0}"),
    "name-uid": name("uid=1001({0})"),
    "name-path": name("/gpfs/{0}/data"),
    "name-mail": name("{0}@example.com"),
    "name-camel": name("{1}Server"),
    "name-cluster": name("clusterName west.{0}.backup"),
}
NETS: dict[str, Spelling] = {
    "set-inside": subnet_of_two("{}.{{110,120}}.9"),
    "two-prefix": subnet_of_two("{}/16"),
    "two-letters": subnet_of_two("{}.x.x"),
    "two-stars": subnet_of_two("{}.*.*"),
}
"""Of two numbers, which alone could be a figure: a reader that takes them for a name shows them so."""
LINES = (
    "{}",
    "Waiting 61.0 sec since 14:30:02, monitored, thread 4711 NSDThread: on node {} <c0n4>",
    "Jun 15 09:12:40 n1 kernel: dlm: connecting to {}",
    "subnets {}",
    "thread was {} before",
    'peer "{}" is not responding (110)',
    "value={};next=2",
    "  3   {}   quorum-manager",
    "G:  s:EX n:2/805b owner {}",
    "mmfsd: {}, waited 12.5 s",
)
FILES = ("{}.txt", "snap_{}/waiters.txt", "logs/mmfs.log.{}", "oulu/{}!waiters_{}.txt")
NOT_IN_FILES = (
    "serial",
    "cluster-id",
    "ticket",
    "phone-label",
    "phone-round",
    "node-id",
    "name-cluster",
    "name-user",
    "name-uid",
    "name-path",
    "prefix",
    "short-prefix",
    "two-prefix",
    "of-a-pattern",
    "account",
)


def is_seen(secret: str, after: str) -> bool:
    """All of it, two numbers of an address side by side, or a long piece of anything."""
    return secret.casefold() in after or any(secret[at : at + 7].casefold() in after for at in range(len(secret) - 6))
