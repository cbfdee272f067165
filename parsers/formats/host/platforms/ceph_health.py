"""How a cluster of Ceph stands, in its own words: ``ceph -s``, ``ceph health detail``.

      cluster:                                             HEALTH_WARN 1 osds down; 2 slow ops
        id:     d150cf0b-c27d-45ff-947b-b71a07bedd69       [WRN] OSD_DOWN: 1 osds down
        health: HEALTH_ERR                                     osd.7 (root=default,host=carp2) is down
                1 scrub errors
      services:
        osd: 12 osds: 11 up (since 3h), 12 in (since 4w)

Yields ``HealthState`` of the cluster with the reasons below it, and of its daemons and placement groups where figures
show what the level does not say: a daemon that was taken out of use no longer counts for it. Other figures are
everyday. ``ceph osd stat`` and ``ceph pg stat`` stand alone as well. No times. Tolerated: the
form of releases before 2017 (``health HEALTH_OK`` beside the cluster's id). Source: the manual of Ceph on monitoring a
cluster and on health checks.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_TOOL: Final = "ceph"
_KEPT: Final = 300
_LEVELS: Final[dict[str, HealthStanding]] = {"OK": "healthy", "WARN": "degraded", "ERR": "failed"}
_HEALTH = re.compile(r"(?:health:? {1,4})?HEALTH_(OK|WARN|ERR)\b;?(?: {1,4}(\S.{0,400}))?$")
_MINOR = re.compile(
    r"(?:\d{1,6} )?(?:mons? (?:is|are) allowing insecure|.{0,60}flag\(s\) set|.{0,60}not (?:deep-)?scrubbed in time"
    r"|too (?:few|many) PGs|.{0,60}application not enabled|.{0,40}(?:have|has) recently crashed"
    r"|.{0,60}no replicas configured|.{0,40}old crush)"
)
"""What Ceph warns of where nothing fails."""
_PARTS: Final = r"(?:cluster|services|data|io|progress|recovery|task status|client|cache):"
_ROWS: Final = (
    rf"{_PARTS}|id: {{1,8}}[0-9a-f]|cluster [0-9a-f]{{8}}-|(?:mon|mgr|mds|osd|rgw|rgw-nfs|rbd-mirror|tcmu-runner|iscsi"
    r"|flags|pools|objects|usage|pgs|volumes|client|recovery|monmap|osdmap|pgmap|mdsmap|fsmap|mgrmap|election)\b"
    r".{0,10}[: ]|[\d.]{1,12} [kMGTP]i?B used,|\d{1,9} [a-z_]{4,20}(?:\+[a-z_]{4,20}){1,8}$"
)
_REASON: Final = (
    r"(?:\d{1,9}(?:/\d{1,9})? |clock skew|too (?:many|few) |no(?:out|scrub|down|up|in|backfill|rebalance)|mons? |mds "
    r"|osds? |pool|pgs? |insufficient|Degraded data|Reduced data|Possible data|(?:near)?full "
    r"|Module |Monitor |application )"
)
"""How a reason begins."""
_CLAIMS: Final = r"(?:health:? {1,4})?HEALTH_(?:OK|WARN|ERR)\b"
_STATES: Final = r"\d{1,9} {1,20}[a-z_+]{4,120}"
_OSDS: Final = (
    r"(?:osd: |osdmap \S{2,12}:? |e\d{1,9}: )?"
    r"(?P<all>\d{1,6}) osds: (?P<up>\d{1,6}) up(?: \([^)]{1,40}\))?, \d{1,6} in\b"
)
_PGS: Final = rf"(?:pgmap \S{{2,14}}:? |v\d{{1,12}}: )?\d{{1,9}} pgs: (?P<states>{_STATES}(?:, {_STATES}){{0,40}});"
_ALONE: Final = re.sub(r"\?P<\w{2,8}>", "?:", rf"{_OSDS}|{_PGS}")
_COUNTED_OSDS = re.compile(_OSDS)
_COUNTED_GROUPS = re.compile(rf"{_PGS}|(?:pgs: {{1,10}})?(?P<one>{_STATES})$")
_WRONG = re.compile(
    r"\b(?:down|incomplete|inconsistent|stale|degraded|undersized|inactive|unknown|recovery_unfound|failed_repair"
    r"|backfill_toofull|recovery_toofull|snaptrim_error)\b"
)
_OUT_OF_REACH = re.compile(r"\b(?:down|incomplete|stale|inactive|unknown|recovery_unfound)\b")


def ceph_level(level: str) -> HealthStanding | None:
    """How the whole stands by its level; None where a word is none."""
    return _LEVELS.get(level.removeprefix("HEALTH_")) if level.startswith("HEALTH_") else None


def _owns(text: str, before: str) -> bool:
    """A line set in belongs to what stands above it."""
    stripped = text.strip()
    return re.match(rf"(?:{_CLAIMS}|{_ROWS}|{_ALONE})", stripped) is not None or (
        text[:1] in (" ", "\t", "[") and bool(before.strip())
    )


@parser(
    "ceph_health",
    version=3,
    product="",
    claims=rf"(?:HEALTH_(?:WARN|ERR) {_REASON}|(?:id: {{2,8}}|cluster )[0-9a-f]{{8}}-[0-9a-f-]{{27}}$|{_ALONE})",
    owns=_owns,
    commands=(_TOOL,),
    places=r"\bceph (?:-s|status|health|-w)\b",
)
def ceph_health(section: OpenSection, out: Output) -> None:
    """``ceph -s``, ``ceph health detail``: the level and its reasons."""
    # The level alone may be a word of any program: it opens a section below its command only.
    held: tuple[int, str] | None = None
    reasons: list[str] = []
    known: list[str] = []
    for line in section:
        text = line.text.strip()
        if (match := _HEALTH.match(text)) is not None:
            _put(section, held, reasons)
            held, reasons = (line.number, match[1]), match[2].strip().split("; ") if match[2] else []
        elif held is not None and held[1] != "OK" and not re.match(_ROWS, text):
            reasons.append(re.sub(r"^\[(?:WRN|ERR)\] [A-Z_]{3,40}: ", "", text))
            out.frame()
        elif text.startswith("health:"):
            out.skip(line, "a level that nobody knows")
        elif not _figures(section, line, " ".join((*known, *reasons))):
            out.everyday()
            if re.match(_PARTS, text):
                _put(section, held, reasons)
                known += reasons
                held, reasons = None, []
    _put(section, held, reasons)


def _figures(section: OpenSection, line: Line, known: str) -> bool:
    """Daemons or placement groups in figures; whether they gave a record. known: reasons of the level above them."""
    text = line.text.strip()
    if (match := _COUNTED_OSDS.match(text)) is not None:
        down = int(match["all"]) - int(match["up"])
        if down > 0 and "osd" not in known:
            _add(section, line.number, "OSDs of Ceph", f"{down} of {match['all']} are down", "degraded")
            return True
        if down <= 0 and not known:
            _add(section, line.number, "OSDs of Ceph", f"{match['up']} of {match['all']} are up", "healthy")
            return True
    elif not known and (match := _COUNTED_GROUPS.match(text)) is not None:
        states = (match["states"] or match["one"]).split(", ")
        wrong = [state for state in states if _WRONG.search(state)]
        standing: HealthStanding = "failed" if any(map(_OUT_OF_REACH.search, wrong)) else "degraded"
        _add(
            section,
            line.number,
            "placement groups of Ceph",
            ", ".join(wrong or states),
            standing if wrong else "healthy",
        )
        return True
    return False


def _put(section: OpenSection, held: tuple[int, str] | None, reasons: list[str]) -> None:
    if held is None:
        return
    words = "; ".join(dict.fromkeys(reasons))
    state = f"HEALTH_{held[1]}{f': {words}' if words else ''}"
    is_minor = held[1] == "WARN" and bool(reasons) and all(map(_MINOR.match, reasons))
    _add(section, held[0], "Ceph", state, "hint" if is_minor else _LEVELS[held[1]])


def _add(section: OpenSection, line: int, component: str, state: str, standing: HealthStanding) -> None:
    section.add(HealthState, line, source=_TOOL, component=component, state=state[:_KEPT], standing=standing)
