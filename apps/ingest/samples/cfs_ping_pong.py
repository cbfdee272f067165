"""SAMPLE-CFS: two nodes of a cluster file system walk one tree and take the inodes from each other.

Half an hour on four nodes: without ``lazy_isize_enable``, then with it. Every counter, packet rate and elapsed time
is derived from the same walks, so they agree with each other as they do in life.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Final

from apps.ingest.samples.bundle import tar_gz
from apps.ingest.samples.cfs_counters import (
    inode_report,
    llt_report,
    matching,
    node_report,
    non_zero,
    sample_blocks,
    warm_walks,
)
from apps.ingest.samples.cfs_story import (
    CLOCK,
    DRAINS,
    INODES,
    LAZY_SET_S,
    LENGTH_S,
    MOUNT,
    NODES,
    PARALLEL,
    RIVALS,
    SEED,
    SINGLE,
    TREE,
    WARM,
    Traffic,
    Walk,
    walks,
)
from apps.ingest.samples.known_answer import KnownAnswer, Phase, Root, Sample
from apps.ingest.samples.noise import syslog

_WALKS: Final = walks()
_NOTES: Final = """\
Call with the media team, morning of the sixth

ls and du below /srv/media/assets take minutes, but only when the other render host is busy as well.
The thumbnail job walks the tree on gannet1, the catalogue job walks it on gannet2.
Nobody changed the private links. Disks are bored all the time.
We try the setting the vendor names at about a quarter past nine and let both jobs walk again.
"""


def _prompt(node: str, command: str) -> str:
    return f"[root@{node} ~]# {command}"


def _plain(block_header: str, lines: list[str]) -> list[str]:
    return ["", block_header, "", *lines]


def _awk(block_header: str, lines: list[str]) -> list[str]:
    return [block_header, *non_zero(lines)]


def _egrep(block_header: str, lines: list[str]) -> list[str]:
    return [block_header, *matching(lines, "lock", "owner")]


_SHOWN: Final[dict[str, tuple[str, Callable[[str, list[str]], list[str]]]]] = {
    "gannet1": (f"vxfsstat -s -t 10 {MOUNT}", _plain),
    "gannet2": (f"vxfsstat -s {MOUNT} -t 10 | awk '$2 != 0 || $4 != 0 {{print}}'", _awk),
    "gannet3": (f"vxfsstat -s -t 10 {MOUNT} | egrep 'sample|lock|owner'", _egrep),
    "gannet4": (f"vxfsstat -s -t 10 {MOUNT}", _plain),
}


def _lock_file(node: str, traffic: Traffic) -> list[str]:
    command, show = _SHOWN[node]
    text = [_prompt(node, command)]
    for block_header, lines in sample_blocks(node, traffic):
        text += show(block_header, lines)
    return text


def _damaged(lines: list[str]) -> list[str]:
    """A mistyped command first, one value on a line of its own, and an end inside a row."""
    spot = [i for i, line in enumerate(lines) if line.startswith("vxi_masterless_locks")][41]
    name, _, value = lines[spot].rpartition(" ")
    lines[spot : spot + 1] = [name.rstrip(), f"      {value}"]
    mistyped = [_prompt("gannet4", f"vxfstat -s -t 10 {MOUNT}"), "-bash: vxfstat: command not found"]
    return [*mistyped, *lines[:-1], lines[-1][:12]]


def _annotated(lines: list[str]) -> list[str]:
    """Remarks of the engineer behind two rows; they hold no figure that the rows don't."""
    pulls = [i for i, line in enumerate(lines) if line.startswith("vxi_staleowner") and not line.endswith(" 0")]
    lines[pulls[20]] += "    <<< both take from each other"
    lines[pulls[-3]] += "    <<< after the change"
    return lines


def _loop(node: str, commands: Iterable[str], pause_s: int) -> list[str]:
    return [_prompt(node, "while :"), "> do", *(f"> {command}" for command in commands), f"> sleep {pause_s}", "> done"]


def _llt_file(node: str, traffic: Traffic) -> list[str]:
    """Every five seconds; only the rates on one of the two quiet nodes."""
    rng = Random(f"{SEED} llt {node}")
    only_rates = node == NODES[-1]
    command = "/opt/VRTSllt/lltshow -p 5" + (" | grep xrate" if only_rates else "")
    text = _loop(node, ("date", command), 5)
    talk = traffic if node in RIVALS else Traffic(())
    at = 2.6 + NODES.index(node)
    while at < LENGTH_S:
        report = llt_report(at, talk, rng, swapped=node == RIVALS[1])
        text += [CLOCK.date_output(at), *(matching(report, "xrate") if only_rates else report)]
        at += 5.0
    return text


def _node_cache_file(node: str, traffic: Traffic) -> list[str]:
    text: list[str] = []
    for minute in range(30):
        text += [_prompt(node, f"vxfsstat -v {MOUNT}"), *node_report(node, 60.0 * minute + 13.0, traffic)]
    return text


def _inode_cache_file(node: str, traffic: Traffic) -> list[str]:
    rng = Random(f"{SEED} cache {node}")
    text = [_prompt(node, f"vxfsstat -i -t 10 {MOUNT}")]
    start = 30.5 + RIVALS.index(node)
    for k in range(176):
        end = start + 10.0 * k
        kind = "delta (10.000 sec sample)" if k else "absolute sample"
        walked = traffic.pulls(node, end - 10.0, end).total / INODES + warm_walks(node, end - 10.0, end)
        text += [
            "",
            f"{CLOCK.millis(end)} {CLOCK.long_date(end)} -- {kind}",
            "",
            *inode_report(rng, walked if k else 24.6),
        ]
    return text


def _elapsed(seconds: float) -> list[str]:
    """bash's ``time``; a walk costs little of the processor itself."""
    parts = {"real": seconds, "user": 1.9 + seconds / 400, "sys": 1.0 + seconds / 9}
    return ["", *(f"{name}\t{int(value // 60)}m{value % 60:.3f}s" for name, value in parts.items())]


def _walk_events(node: str) -> list[tuple[float, list[str]]]:
    find = f"time find {TREE} -ls | wc -l"
    events: list[tuple[float, list[str]]] = []
    for who, start, seconds in WARM:
        if who == node:
            events.append(
                (
                    start,
                    [
                        _prompt(node, "date"),
                        CLOCK.date_output(start),
                        _prompt(node, find),
                        f"{INODES}",
                        *_elapsed(seconds),
                    ],
                )
            )
    for walk in _WALKS:
        if walk.node == node:
            shown = [
                _prompt(node, "date"),
                CLOCK.date_output(walk.start),
                _prompt(node, find),
                f"{INODES}",
                *_elapsed(walk.printed_s),
            ]
            events.append((walk.start, shown))
    return events


def _setting_events(node: str) -> list[tuple[float, list[str]]]:
    show, change = f"vxtunefs {MOUNT} | grep lazy_isize", f"vxtunefs -o lazy_isize_enable=1 {MOUNT}"
    before = [_prompt(node, show), "lazy_isize_enable = 0"]
    at = LAZY_SET_S[node]
    after = [
        _prompt(node, "date"),
        CLOCK.date_output(at),
        _prompt(node, change),
        f"UX:vxfs vxtunefs: INFO: V-3-22525: Parameters successfully set for {MOUNT}",
        _prompt(node, show),
        "lazy_isize_enable = 1",
    ]
    return [(5.0, [_prompt(node, "date"), CLOCK.date_output(5.0), *before]), (at, after)]


def _session_file(node: str) -> list[str]:
    start = [
        _prompt(node, "uname -r"),
        "3.10.0-1160.49.1.el7.x86_64",
        _prompt(node, f"df -h {MOUNT}"),
        "Filesystem                     Size  Used Avail Use% Mounted on",
        f"/dev/vx/dsk/mediadg/assetvol    11T  6.2T  4.7T  57% {MOUNT}",
        "",
        _prompt(node, "mount | grep media"),
        (
            f"/dev/vx/dsk/mediadg/assetvol on {MOUNT} type vxfs "
            "(rw,cluster,mntlock=VCS,delaylog,largefiles,noatime,ioerror=mdisable,crw)"
        ),
    ]
    for _, lines in sorted([*_setting_events(node), *_walk_events(node)]):
        start += lines
    return [*start, _prompt(node, "exit"), "logout"]


def _texts() -> dict[str, str]:
    traffic = Traffic(_WALKS)
    files: dict[str, list[str]] = {}
    for node in NODES:
        files[f"{node}/vxfsstat-s.txt"] = _lock_file(node, traffic)
        files[f"{node}/lltshow.txt"] = _llt_file(node, traffic)
        files[f"{node}/session.txt"] = _session_file(node)
    for node in RIVALS:
        files[f"{node}/vxfsstat-v.txt"] = _node_cache_file(node, traffic)
        files[f"{node}/vxfsstat-i.txt"] = _inode_cache_file(node, traffic)
    files["gannet1/vxfsstat-s.txt"] = _annotated(files["gannet1/vxfsstat-s.txt"])
    files["gannet4/vxfsstat-s.txt"] = _damaged(files["gannet4/vxfsstat-s.txt"])
    files["call-notes.txt"] = _NOTES.splitlines()
    texts = {path: "\n".join(lines) + "\n" for path, lines in files.items()}
    rng = Random(SEED + 1)
    return texts | {f"{node}/messages": syslog(rng, CLOCK, node, lines=900, until_s=LENGTH_S) for node in NODES}


def build() -> bytes:
    return tar_gz(_texts(), folder="media-slow-walks", written_at=CLOCK.epoch(LENGTH_S + 240.0))


def _group(node: str, *, lazy: bool, alone: bool) -> list[Walk]:
    return [walk for walk in _WALKS if (walk.node, walk.lazy, walk.alone) == (node, lazy, alone)]


def _span(name: str, group: list[Walk]) -> Phase:
    return Phase(name=name, start=CLOCK.iso(min(w.start for w in group)), end=CLOCK.iso(max(w.end for w in group)))


def _figures() -> dict[str, float]:
    figures: dict[str, float] = {"inodes": INODES, "lazy_isize_before": 0, "lazy_isize_after": 1}
    for node, _, _, lazy in SINGLE:
        walk = _group(node, lazy=lazy, alone=True)[0]
        label = "lazy_on" if lazy else "lazy_off"
        figures[f"{node}_alone_{label}_s"] = walk.printed_s
        figures[f"{node}_alone_{label}_about_pull_per_s"] = round(INODES / (walk.end - walk.start), 1)
    for _, rates, lazy in PARALLEL:
        label = "lazy_on" if lazy else "lazy_off"
        for node in rates:
            group = _group(node, lazy=lazy, alone=False)
            figures |= {f"{node}_parallel_{label}_{k + 1}_s": walk.printed_s for k, walk in enumerate(group)}
            mean_s = sum(walk.end - walk.start for walk in group) / len(group)
            figures[f"{node}_parallel_{label}_about_pull_per_s"] = round(INODES / mean_s, 1)
    for k, (node, _, seconds) in enumerate(WARM):
        figures[f"{node}_warm_{k + 1}_s"] = seconds
    return figures


def _phases() -> tuple[Phase, ...]:
    off = [walk for walk in _WALKS if not walk.lazy and not walk.alone]
    on = [walk for walk in _WALKS if walk.lazy and not walk.alone]
    changed = LAZY_SET_S.values()
    return (
        _span("pull by gannet2, lazy off", _group("gannet2", lazy=False, alone=True)),
        _span("ping-pong, lazy off", off),
        Phase(name=f"drain on {DRAINS[0][0]}", start=CLOCK.iso(DRAINS[0][1]), end=CLOCK.iso(DRAINS[0][2])),
        Phase(name="lazy_isize_enable set", start=CLOCK.iso(min(changed)), end=CLOCK.iso(max(changed))),
        _span("pull by gannet1, lazy on", _group("gannet1", lazy=True, alone=True)),
        _span("ping-pong, lazy on", on),
        Phase(name=f"drain on {DRAINS[1][0]}", start=CLOCK.iso(DRAINS[1][1]), end=CLOCK.iso(DRAINS[1][2])),
    )


SAMPLE: Final = Sample(
    key="SAMPLE-CFS",
    title=f"ls and du slow on {MOUNT}",
    customer="Gannet Media",
    description=(
        f"Four nodes mount {MOUNT}, two of them walk the same tree at the same time. Half an hour of lock "
        "counters, link rates and timed commands, before and after lazy_isize_enable is switched on."
    ),
    filename="media-slow-walks.tar.gz",
    answer=KnownAnswer(
        products=("veritas",),
        nodes=NODES,
        root=Root(kind="lock", what=MOUNT, node=None, through="vxi_strong_pullowner"),
        rules=("R5", "R6", "R7", "R8"),
        rules_also_true=("R10", "R22", "R3"),
        rules_forbidden=("R1", "R2", "R4", "R9", "R11", "R13", "R14", "R15", "R16", "R17", "R18", "R19", "R20", "R26"),
        figures=_figures(),
        phases=_phases(),
    ),
    build=build,
)
