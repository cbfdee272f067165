"""A bundle as customers send it: four nodes, many formats, files in files, copies, equal waits on every node, something
broken.
"""

from __future__ import annotations

import gzip
import io
import random
import tarfile
from functools import cache
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "parsers"
THINNED = 13
NODES = ("heron1", "heron2", "heron3", "heron4")
TABLE = b"""Node  Daemon node name            IP address       Admin node name             Designation
--------------------------------------------------------------------------------------------------
   1  heron1-ib.lab.example   10.9.0.1     heron1.lab.example     quorum-manager
   2  heron2-ib.lab.example   10.9.0.2     heron2.lab.example     quorum
   3  heron3-ib.lab.example   10.9.0.3     heron3.lab.example
   4  heron4-ib.lab.example   10.9.0.4     heron4.lab.example
"""
WAITS = b"=== mmdiag: waiters ===\n" + b"".join(
    b"Waiting 412.5000 sec since 09:12:40, monitored, thread %d NSDThread: for I/O completion on disk reed_nsd%02d\n"
    % (4100 + n, n % 3)
    for n in range(9)
)


@cache
def members() -> tuple[tuple[str, bytes], ...]:
    """Files by path. The waits are equal on all nodes: which of them are shown is a matter of order alone."""
    samples = [path.read_bytes() for path in sorted(FIXTURES.glob("*/typical.txt"))][::THINNED]
    files = [(f"{NODES[n % 4]}/{n:03d}.txt", text) for n, text in enumerate(samples)]
    waits = [(f"{node}/waiters.txt", WAITS + b"on %s\n" % node.encode()) for node in NODES]
    same = [(f"{node}/sys/kernel/config/dlm/cluster/toss_secs", b"10\n") for node in NODES]
    copies = [
        ("copies/waiters.txt", dict(waits)["heron2/waiters.txt"]),
        ("a/first.txt", samples[3]),
        ("z/last.txt", samples[3]),
    ]
    inner = [
        ("heron4/more.tar", packed([("var/log/a.txt", samples[5] + b"\n"), ("var/log/b.txt", samples[6] + b"\n")]))
    ]
    odd = [
        ("heron1/core.bin", bytes(range(256)) * 20),
        ("heron2/empty", b""),
        ("heron3/cut.gz", gzip.compress(samples[7], mtime=0)[:60]),
    ]
    return (*files, *waits, *same, *copies, *inner, *odd, ("mmlscluster", TABLE))


def packed(files: list[tuple[str, bytes]]) -> bytes:
    """A tar that holds them in this order, with times that do not depend on the clock."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 1_709_632_800
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def shuffled(seed: int) -> bytes:
    """The bundle with its members in an order of their own."""
    files = list(members())
    random.Random(seed).shuffle(files)
    return packed(files)
