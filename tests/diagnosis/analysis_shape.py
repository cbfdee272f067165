"""Checks a JSON analysis against the documented form, key by key: a list of faults, empty where all is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final

DATED: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:[+-]\d\d:\d\d)?")
OF_DAY: Final = re.compile(r"\d\d:\d\d:\d\d(?:\.\d{1,6})?")
SHA256: Final = re.compile(r"[0-9a-f]{64}")
ALWAYS: Final = frozenset(("path", "line", "name", "tool", "ref", "rule", "severity", "role", "parameter", "status"))
LEFT_OUT: Final = ("waiters", "spans", "series", "rates", "locks", "disk_io", "events")

# A row's keys with their types; `|` parts alternatives of a word. Keys of ALWAYS must stand with a value; the others
# may be null or absent.
ROWS: Final = {
    "inputs": "path:str bytes:int sha256:sha recognised:bool lines:lines sections:rows unread:rows",
    "unread": "command:str node:str first_line:int last_line:int why:str",
    "sections": "format:str node:str captured_at:time first_line:int last_line:int records:int skipped_lines:int",
    "nodes": "name:str aliases:strs clock_offset_s:num",
    "waiters": (
        "node:str captured_at:time thread:str thread_id:int address:text seconds:num since:time wait_on:wait "
        "reason:str rpc:str target:str object:str holder:str monitored:bool category:1|2|3|4 "
        "category_name:str kind_id:str meaning:str path:str line:int"
    ),
    "waiter_kinds": (
        "kind_id:str category:1|2|3|4 thread:str reason:str wait_on:text count:int longest_s:num nodes:strs"
    ),
    "spans": "node:str thread:str thread_id:int kind_id:str category:1|2|3|4 start:time end:time seconds:num dumps:int "
    "state:stuck|moving|finished|unknown",
    "waits_for": "from:str to:str via:str count:int longest_s:num resolved:bool",
    "roots": (
        "kind:disk|node|thread|lock|link|daemon what:str node:str why:str waiters:int relieves:int leaves_data:bool"
    ),
    "series": "node:str scope:str source:str name:str kind:gauge|cumulative|delta unit:str points:points",
    "rates": "node:str scope:str name:str at:time per_s:num",
    "settings": "node:str scope:str name:str value:scalar default:scalar path:str line:int",
    "measurements": "node:str tool:str what:str value:num unit:str path:str line:int",
    "lock_roles": (
        "node:str node_inferred:bool scope:str at:time interval_s:num "
        "role:puller|victim|ping_pong|drain|idle first_time:bool lazy_isize:on|off|unknown per_s:per_s "
        "forecast_s:num label_conflict:bool path:str line:int"
    ),
    "locks": (
        "node:str at:time kind:str object:str state:str target:str demote:str age_s:num flags:str "
        "holders:rows waiters:int dumps:int path:str line:int"
    ),
    "claims": "speaker:str what:str value:num unit:str text:str path:str line:int",
    "disk_io": (
        "node:str source:str device:str op:str count:num bytes:num mean_ms:num max_ms:num util:num queue:num "
        "path:str line:int"
    ),
    "links": "node:str peer:str link:str address:str state:str path:str line:int",
    "members": "node:str source:str group:str generation:str members:strs state:str path:str line:int",
    "versions": "node:str product:str version:str path:str line:int",
    "events": "node:str at:time source:str kind:str text:str path:str line:int",
    "findings": (
        "rule:slug ref:str severity:critical|high|medium|low|info confidence:share "
        "basis:stated|derived|inferred|proposed|recalled title:str explanation:str nodes:strs start:time "
        "end:time figures:figures evidence:rows disproved_by:str tunings:strs"
    ),
    "tunings": (
        "id:slug parameter:str scope:str current:text current_at:place recommended:text "
        "status:recommended|applied|not_applicable commands:strs persist:str caution:str way_back:str "
        "verify:str since:str why:str findings:strs sources:strs"
    ),
    "missing": "what:str why:str node:str commands:strs",
    "next_steps": "why:str commands:strs",
    "problems": "path:str line:int message:str",
    "evidence": "path:str line:int text:str",
}
KEYS: Final = (
    "schema", "inputs", "products", "nodes", "window", "waiters", "waiter_kinds", "spans", "waits_for", "roots",
    "cycles", "series",
    "rates", "settings", "measurements", "claims", "lock_roles", "locks", "disk_io", "links", "members", "versions",
    "events", "verdict",
    "findings", "tunings", "missing", "next_steps", "problems",
)  # fmt: skip
RATES: Final = {"h_grant", "h_revoke", "h_deinit", "g_grant", "g_revoke", "rw_grant", "rw_revoke", "pull", "normalize"}
MAY_LACK_A_LINE: Final = frozenset(("problems",))


def is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    return is_whole(value) or isinstance(value, float)


def is_time(value: object) -> bool:
    return isinstance(value, str) and bool(DATED.fullmatch(value) or OF_DAY.fullmatch(value))


def _are(kind: type, value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _is_point(point: object) -> bool:
    if not isinstance(point, list) or len(point) != 3:
        return False
    at, value, interval_s = point
    return (
        (at is None or is_time(at))
        and (value is None or is_number(value))
        and (interval_s is None or is_number(interval_s))
    )


def _keys_are(value: object, keys: set[str], holds: Callable[[object], bool]) -> bool:
    return isinstance(value, dict) and set(value) <= keys and all(holds(item) for item in value.values())


TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "str": lambda v: isinstance(v, str),
    "text": lambda v: isinstance(v, str),
    "int": is_whole,
    "num": is_number,
    "bool": lambda v: isinstance(v, bool),
    "time": is_time,
    "sha": lambda v: isinstance(v, str) and bool(SHA256.fullmatch(v)),
    "slug": lambda v: isinstance(v, str) and bool(re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", v)),
    "share": lambda v: is_number(v) and 0 <= v <= 1,
    "scalar": lambda v: is_number(v) or isinstance(v, str),
    "strs": lambda v: _are(str, v),
    "rows": lambda v: _are(dict, v),
    "lines": lambda v: _keys_are(v, {"total", "understood", "ignored", "not_understood"}, is_whole) and len(v) == 4,
    "wait": lambda v: _keys_are(v, {"kind", "address", "name"}, lambda item: item is None or isinstance(item, str)),
    "points": lambda v: isinstance(v, list) and all(_is_point(point) for point in v),
    "per_s": lambda v: _keys_are(v, RATES, is_number),
    "figures": lambda v: (
        isinstance(v, dict) and all(isinstance(key, str) and is_number(item) for key, item in v.items())
    ),
    "place": lambda v: _keys_are(v, {"path", "line"}, lambda item: item is not None) and is_whole(v["line"]),
}


def faults(found: dict[str, Any], *, summary: bool = False) -> list[str]:
    """All that is not as documented."""
    return list(_faults(found, summary))


def _faults(found: dict[str, Any], summary: bool) -> Iterator[str]:
    expected = [key for key in KEYS if not (summary and key in LEFT_OUT)]
    if set(found) != set(expected):
        yield f"keys: {sorted(set(found) ^ set(expected))}"
        return
    if found["schema"] != "lockscope.analysis/1":
        yield "schema"
    for key in set(ROWS) & set(found):
        yield from _rows(key, found[key])
    yield from _head(found)
    for row in found["inputs"]:
        yield from _lines(row)
    yield from _links(found)


def _rows(key: str, rows: Any) -> Iterator[str]:
    kinds = dict(word.split(":") for word in ROWS[key].split())
    if not isinstance(rows, list):
        yield f"{key} is no list"
        return
    for number, row in enumerate(rows):
        yield from (f"{key}[{number}].{name}: {row.get(name)!r}" for name in _wrong(key, row, kinds))
        for inner in ("sections", "evidence"):
            if inner in kinds:
                yield from _rows(inner, row[inner])


def _wrong(key: str, row: dict[str, Any], kinds: dict[str, str]) -> Iterator[str]:
    yield from set(row) - set(kinds)
    for name, kind in kinds.items():
        value = row.get(name)
        if value is None:
            if name in ALWAYS and not (name == "line" and key in MAY_LACK_A_LINE):
                yield name
        elif not _fits(kind, value) or (name == "line" and value < 1):
            yield name


def _fits(kind: str, value: object) -> bool:
    return TYPES[kind](value) if kind in TYPES else str(value) in kind.split("|")


def _head(found: dict[str, Any]) -> Iterator[str]:
    if not _are(str, found["products"]):
        yield "products"
    window = found["window"]
    if set(window) != {"start", "end"} or not all(value is None or is_time(value) for value in window.values()):
        yield f"window: {window}"
    if not isinstance(found["cycles"], list) or not all(_are(str, cycle) for cycle in found["cycles"]):
        yield "cycles"
    verdict = found["verdict"]
    good = isinstance(verdict, dict) and set(verdict) == {"title", "severity", "confidence", "ref", "form"}
    good = good and verdict["form"] in ("explained", "unexplained", "not_judged", "healthy")
    if not good or not verdict["title"] or not TYPES["share"](verdict["confidence"]):
        yield f"verdict: {verdict}"


def _lines(row: dict[str, Any]) -> Iterator[str]:
    """Line counts add up; sections stand in line order, never overlap, and lie inside the text."""
    lines = row["lines"]
    if lines["total"] != lines["understood"] + lines["ignored"] + lines["not_understood"]:
        yield f"{row['path']}: lines do not add up: {lines}"
    for one, other in pairwise(row["sections"]):
        if other["first_line"] <= one["last_line"]:
            yield f"{row['path']}: sections at {one['first_line']} and {other['first_line']} overlap"
    for section in row["sections"]:
        if not 1 <= section["first_line"] <= section["last_line"] <= lines["total"]:
            yield (
                f"{row['path']}: section at {section['first_line']} to {section['last_line']} of {lines['total']} lines"
            )


def _links(found: dict[str, Any]) -> Iterator[str]:
    """What a row refers to is there."""
    totals = {row["path"]: row["lines"]["total"] for row in found["inputs"]}
    for finding in found["findings"]:
        for line in finding["evidence"]:
            if not line["line"] <= totals.get(line["path"], 0):
                yield f"{finding['ref']}: no line {line['line']} in {line['path']}"
    rules = {finding["rule"] for finding in found["findings"]}
    yield from (
        f"tuning {row['id']}: {rule} did not fire"
        for row in found["tunings"]
        for rule in row["findings"]
        if rule not in rules
    )
    refs = {finding["ref"] for finding in found["findings"]}
    if found["verdict"]["ref"] and found["verdict"]["ref"] not in refs:
        yield "the verdict names a finding that is not there"
    ages = [row.get("longest_s") or 0 for row in found["waiter_kinds"]]
    if ages != sorted(ages, reverse=True):
        yield "waiter_kinds: not the longest first"
