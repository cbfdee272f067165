"""A log of the engine in which all is well tells when it was written and which systems there are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.reports import bundle, text_on

_SWITCHED = (
    ("04:00:00", "INFO V-16-1-50135 User root fired command: hagrp -switch potsg  smew2  from localhost"),
    ("04:00:01", "NOTICE V-16-1-10167 Initiating manual offline of group potsg on system smew1"),
    ("04:00:11", "NOTICE V-16-1-10446 Group potsg is offline on system smew1"),
    ("04:00:20", "NOTICE V-16-1-10447 Group potsg is online on system smew2"),
)


@pytest.mark.parametrize("rows", [_SWITCHED, _SWITCHED[:3], _SWITCHED[1:]])
def test_window_and_systems(rows: tuple[tuple[str, str], ...]) -> None:
    text = "".join(f"2031/06/01 {clock} VCS {words}\n" for clock, words in rows)
    found: dict[str, Any] = json.loads(text_on(bundle(text.encode(), "engine_A.log")))
    assert found["window"] == {"start": f"2031-06-01T{rows[0][0]}", "end": f"2031-06-01T{rows[-1][0]}"}
    systems = {words.rsplit(" ", 1)[1] for _, words in rows if "on system" in words}
    assert {node["name"] for node in found["nodes"]} == systems
    assert found["verdict"]["severity"] == "info"
