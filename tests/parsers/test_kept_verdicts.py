"""What was said of a line is said of all that differ from it in their digits alone, only where that is so."""

from __future__ import annotations

import pytest

from parsers import lookup
from parsers.enclosed import objects as enclosed_objects
from parsers.enclosed.objects import Objects
from parsers.formats.scale.logs import log as scale_log
from parsers.grammars import json_walk
from parsers.grammars.json_walk import Walk
from parsers.lookup import noticed, parsers
from parsers.messages import catalogue as module
from parsers.messages.catalogue import catalogue
from parsers.patterns import dispatch
from parsers.patterns.dispatch import Dispatch
from tests.parsers.golden import FIXTURES
from tests.parsers.test_plain_shapes import TURNED, read_of
from tests.part import part

LINES = sorted(
    {
        line
        for path in FIXTURES.glob("*/typical.txt")
        for line in path.read_text("utf-8", "replace").splitlines()[:60]
        if 8 < len(line) < 300
    }
)
FITTING, PASSED_OVER = 80, 500
"""Of the lines, in a run."""
OTHERS = (
    "I0903 20:11:12.000123 4711 volumes.go:12] Error syncing pod",
    "I9903 20:11:12.000123 4711 volumes.go:12] Error syncing pod",
    "gfs2: fsid=web:1.0: withdrawn",
    "gfs9: fsid=web:1.0: withdrawn",
    "2031-03-02 07:45:02,396 INFO  [pool-2-thread-42] com.shop.Orders - customer 9102282 took 1914 ms",
    "2031-03-02 07:45:02,396 INFO  gfs2: fsid=web:1.0: withdrawn",
    'time="2031-03-02T07:45:02Z" level=3 msg="nothing listens here"',
    'time="2031-03-02T07:45:02Z" level=6 msg="nothing listens here"',
    "2031-03-02 07:45:02 INFO store: 6027-300 nothing of it is here",
    "2031-03-02 07:45:02 INFO driver: rpc error: code = 3 of nothing",
    '10.9.1.2 - - [02/Mar/2031:07:45:01 +0100] "GET /items/12?page=3 HTTP/1.1" 200 51 "-" "curl"',
)


@pytest.mark.parametrize("group", sorted(catalogue().groups))
def test_rows_that_fit_are_found_among_messages_that_come_again(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FREQUENT", 0)
    rows = catalogue().groups[group]
    for line in part(LINES[::7], FITTING, group):
        for text in (line, line.translate(TURNED)):
            fitting = [row for row in rows if row.search(text[:400])]
            found = [row for row in catalogue().candidates(group, text[:400]) if row.search(text[:400])]
            assert found == fitting, text


def test_a_line_is_passed_over_by_its_shape_only_where_it_would_be_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = Dispatch((p.claims, p) for p in parsers().values())
    monkeypatch.setattr(dispatch, "FREQUENT", 1)
    monkeypatch.setattr(lookup, "_claims", lambda: claims)
    passed: set[bytes] = set()
    for line in (*OTHERS, *part(LINES, PASSED_OVER, "passed over")):
        for text in (line, line, line.translate(TURNED)):
            assert noticed(text.encode(), passed) == noticed(text.encode()), text
    assert len(passed) > 3


@pytest.mark.parametrize(
    "text",
    [
        '{"ts":1772437501,"level":"info","span":"a1b2c3d4e5f60718","msg":"cache hit","ms":2.50}',
        '{"ts":"2031-03-02T07:45:02Z","host":"kite3","app":"kernel","msg":"GFS2: fsid=a:b: withdrawn"}',
        '{"time":"2031-03-02T07:45:02Z","msg":"2031-03-02_07:45:02.110+0100: [E] Lost membership in cluster a.lab."}',
        '{"a.host":"kite3","time":"2031-03-02T07:45:02Z","message":"kernel: sd 1:0:0:1: rejecting I/O","app":"kernel"}',
        '{"stdout":"Port a gen 51c001 membership 01","a":1}',
        '{"kite3":"Port a gen 51c001 membership 01","a":1}',
        '{"msg":"a\\nb","n":-0,"big":1e999,"nan":NaN,"no":null,"yes":true,"long":11111111111111111111111111111111111111111}',
        '{"msg":"tab\there","x":1}',
        '{"msg":"x","inner":{"a":1}}',
        '{"msg":"x","inner":[1,2]}',
        '{"name":"d12","name":"d13","state":"down"},',
        '{"name":"d12","state":"down","of":"<p>GAB Port Memberships<p>"}',
        "{'name': 'd12', 3: 'down'}",
        "{}",
    ],
)
def test_an_object_on_one_line_is_read_as_one_over_many(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def walked() -> tuple[object, ...]:
        walk = Walk()
        opened = [(one.key, one.line, one.is_list, repr(one.values)) for one in walk.feed(text, 3)]
        objects = Objects()
        taken = objects.take(3, iter([text])) if objects.begins(3, text) else None
        return opened, walk.path, taken, objects.is_inside, read_of(f"{text}\n{text}\n")

    at_once = walked()
    monkeypatch.setattr(json_walk, "_whole", lambda text: None)
    monkeypatch.setattr(enclosed_objects, "_is_flat", lambda whole: False)
    assert at_once == walked()


def test_idle_lines_of_the_log_that_come_again_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = []
    for at in range(2_000):
        stamp = f"2031-03-02_07:{at // 60 % 60:02d}:{at % 60:02d}.110+0100:"
        idle = f"[I] Full audit producer {at % 90} for fs{at % 9} sent {at} events"
        coded = f"[I] mmlsx: {5000 + at}-300 nothing is said here"
        lines.append(f"{stamp} {idle if at % 5 else coded}")
        if at % 97 == 0:
            lines.append(
                f"{stamp} [E] Node 10.1.0.{at % 200} (lund{at % 90:03d}) is being expelled because of an expired lease."
            )
    text = "\n".join(lines) + "\n"
    known = read_of(text)
    monkeypatch.setattr(scale_log, "is_idle_alike", lambda shape: False)
    assert known == read_of(text)
