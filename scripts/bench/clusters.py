"""Precision and recall on generated Spectrum Scale clusters, and the time of the wait graph: one table,
``docs/benchmarks_scale.md``.

Clusters of 2 to 200 nodes are made and judged from their text to the verdict; ``BENCH_CLUSTERS`` sets how many (140; 0
leaves this out).
"""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

BASE_DIR: Final = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(BASE_DIR))


from apps.diagnosis.engine.core.facts.case import Case  # noqa: E402  the path is set above
from apps.diagnosis.engine.core.facts.node_clocks import Clocks  # noqa: E402  the path is set above
from apps.diagnosis.engine.core.facts.nodes import Nodes  # noqa: E402  the path is set above
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source  # noqa: E402  the path is set above
from apps.diagnosis.engine.products import PRODUCTS  # noqa: E402  the path is set above
from apps.diagnosis.engine.scale.chains import Chains  # noqa: E402  the path is set above
from apps.diagnosis.engine.scale.waits import ScaleWaits  # noqa: E402  the path is set above
from parsers.output import Output  # noqa: E402  the path is set above
from parsers.records import NodeAlias, Section  # noqa: E402  the path is set above
from parsers.records.waits import Waiter, WaiterShape  # noqa: E402  the path is set above
from tests.diagnosis.clusters import Cluster, Judged, Score, run, scores  # noqa: E402  the path is set above

PAGE: Final = BASE_DIR / "docs" / "benchmarks_scale.md"
NODES: Final = 200
NOON_US: Final = 1_867_665_600_000_000


def found(count: int) -> list[Score]:
    """Clusters of every kind, judged on all processors; the scores by kind."""
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        return scores(pool.map(_one, range(count)))


def _one(seed: int) -> tuple[Cluster, Judged]:
    return next(run(1, first=seed))


def graph_seconds(waits: int) -> float:
    """Graph, ends, circles and what-if of so many long waits on 200 nodes: the best of three."""
    with tempfile.TemporaryDirectory() as folder:
        case = _case(Path(folder), waits)
        table = case.get(ScaleWaits).spans
        times = []
        for _ in range(3):
            began = time.process_time()
            chains = Chains(table, case.store, case.get(Nodes), case.get(Clocks))
            ends, _ = chains.behind, chains.deadlocks
            times.append(time.process_time() - began)
            if not ends:
                raise RuntimeError("the waits have no end: nothing was measured")
        return min(times)


def _case(folder: Path, waits: int) -> Case:
    out = Output(FactsWriter(folder))
    shapes: dict[WaiterShape, int] = {}
    rows: dict[str, list[object]] = {
        name: [] for name in ("line", "node", "at", "seconds", "thread_id", "wait_address", "shape")
    }
    rng = random.Random(waits)
    for k in range(waits):
        shape = _shape(k, f"10.9.{rng.randrange(NODES)}.1", rng.randrange(40))
        number = shapes.setdefault(shape, len(shapes) + 1)
        values = (
            k + 1,
            f"n{k % NODES}",
            NOON_US,
            10.0 + k * 7919 % 900_000 / 1000,
            1000 + k,
            0x7F0000000000 + k % 5000 * 64,
            number,
        )
        for column, value in zip(rows.values(), values, strict=True):
            column.append(value)
    out.extend(Waiter, **rows)
    for shape, number in shapes.items():
        out.structure(WaiterShape(**{name: getattr(shape, name) for name in WaiterShape.columns()} | {"shape": number}))
    for k in range(NODES):
        out.add(NodeAlias(line=1, node=f"n{k}", alias=f"10.9.{k}.1", kind="address"))
    out.structure(Section(line=1, last_line=waits, format="scale_waiters_new", records=waits))
    out.close()
    return Case(Facts([Source(0, "waits.txt", folder)]), PRODUCTS)


def _shape(k: int, target: str, disk: int) -> WaiterShape:
    """Answers of servers and holders, disks, locks; every fifth thread gives tokens up."""
    thread = "InodeRevokeWorkerThread" if k % 5 == 0 else "NSDThread" if k % 4 == 2 else "CreateHandlerThread"
    if k % 4 == 0:
        return WaiterShape(thread=thread, reason="for NSD I/O completion", aux="for NSD I/O completion", target=target)
    if k % 4 == 1:
        return WaiterShape(
            thread=thread,
            wait_kind="ThCond",
            wait_name="MsgRecordCondvar",
            reason="RPC wait",
            rpc="tmMsgRevoke",
            target=target,
        )
    if k % 4 == 2:
        return WaiterShape(thread=thread, reason="for I/O completion", aux="for I/O completion", object=f"dm-{disk}")
    return WaiterShape(thread=thread, wait_kind="ThMutex", wait_name="InodeCacheObjMutex")


def page(count: int) -> str:
    """The table, as Markdown."""
    began = time.perf_counter()
    rows = found(count)
    judged = time.perf_counter() - began
    one, two = graph_seconds(100_000), graph_seconds(200_000)
    lines = [
        "# Generated Spectrum Scale clusters",
        "",
        (
            f"{count} clusters of 2 to 200 nodes, three dumps a node, from text to verdict, in {judged:.0f} "
            "s. A cluster is right when"
        ),
        (
            "kind and disk, lock, node or members are exactly those that were made; *leaves* is one whose "
            "deciding dump was taken out."
        ),
        "",
        "| kind | clusters | named so | right | precision | recall |",
        "|---|---|---|---|---|---|",
        *(
            f"| {s.kind} | {s.clusters} | {s.named} | {s.right} | {_share(s.precision)} | {_share(s.recall)} |"
            for s in rows
        ),
        "",
        "| graph, roots, circles and what-if, one core | measured | budget |",
        "|---|---|---|",
        f"| 100,000 waits on 200 nodes | {one:.2f} s | \u2264 1 s |",
        f"| 200,000 waits | {two:.2f} s, {two / one:.1f} times as long | \u2264 2.2 times |",
    ]
    return "\n".join(lines) + "\n"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def main() -> None:
    """Write the page."""
    count = int(os.environ.get("BENCH_CLUSTERS", "140"))
    if count:
        text = page(count)
        PAGE.write_text(text, encoding="utf-8")
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
