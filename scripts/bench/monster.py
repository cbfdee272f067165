"""A case as large as they come, for the browser: 200 nodes, five million waiters over hours, and ten thousand other
cases beside it.

``python -m scripts.bench.monster`` fills the database of LOCKSCOPE_VAR with the other cases.
"""

from __future__ import annotations

import io
import os
import random
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from scripts.bench.corpus import THREADS

NODES: Final = 200
THREADS_PER_DUMP: Final = 25
PAUSE_S: Final = 30
STUCK: Final = 5
"""Threads of each dump whose waits never end; the others wait for a moment."""
CASES: Final = 10_000
DOCUMENTS: Final = 20
BATCH: Final = 1000
WORDS: Final = (
    "NSDThread",
    "tmMsgRevoke",
    "LogFile",
    "dm-17",
    "MsgRecordCondvar",
    "glock",
    "lazy_isize_enable",
    "multipath",
    "LLT",
    "quorum",
)


def write(path: Path, samples: int) -> Path:
    """A .tar.gz with one file a node; one that is there is used again."""
    if path.exists():
        return path
    part = path.with_suffix(".part")
    with tarfile.open(part, "w:gz", compresslevel=1) as tar:
        for node in range(NODES):
            data = "".join(_node_text(node, samples // NODES // THREADS_PER_DUMP)).encode()
            info = tarfile.TarInfo(f"monster/stor{node:03d}/waiters.txt")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    part.rename(path)
    return path


def _node_text(node: int, dumps: int) -> Iterator[str]:
    rng = random.Random(node)
    shapes = [
        detail.format(a=f"0x{0x7F0000000000 + rng.getrandbits(32) * 16:X}", ip=f"10.9.{node // 100}.11", n=11)
        for _, detail in THREADS
    ]
    for dump in range(dumps):
        moment = 6 * 3600 + dump * PAUSE_S
        yield (
            f"### BEGIN DATA COLLECTION 2026/03/{1 + moment // 86400:02d} {_clock(moment)} "
            f"stor{node:03d}.bench.example ###\n"
        )
        yield "=== mmdiag: waiters ===\n"
        for thread in range(THREADS_PER_DUMP):
            age = dump * PAUSE_S + 1.5 + thread if thread < STUCK else rng.random() * 3
            name = THREADS[thread % len(THREADS)][0]
            number = 20_000 + node * 100 + thread
            since = _clock(int(moment - age))
            yield (
                f"Waiting {age:.4f} sec since {since}, monitored, thread {number} {name}: "
                f"{shapes[thread % len(shapes)]}\n"
            )


def _clock(seconds: int) -> str:
    return f"{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def fill() -> None:
    """Ten thousand cases of the first team, each with what a diagnosis leaves for the search."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from apps.accounts.models import Team
    from apps.cases.models import Case
    from apps.diagnosis.models import SearchDocument
    from apps.operations.tasks import count_rows

    team, rng = Team.objects.order_by("pk")[0], random.Random(7)
    for start in range(0, CASES, BATCH):
        cases = Case.objects.bulk_create(
            Case(key=f"BENCH-{number}", title=f"Bench case {number}", team=team, search_text=f"bench case {number}")
            for number in range(start, start + BATCH)
        )
        texts = [
            (case, f"{rng.choice(WORDS)} of node n{rng.randrange(4000)} in case {case.key}")
            for case in cases
            for _ in range(DOCUMENTS)
        ]
        SearchDocument.objects.bulk_create(
            (SearchDocument(case=case, kind="finding", text=text, folded=text.lower()) for case, text in texts),
            batch_size=BATCH,
        )
    count_rows()  # a worker does so every hour


if __name__ == "__main__":
    fill()
