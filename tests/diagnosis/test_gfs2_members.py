"""Members that Pacemaker calls lost, with nothing beside it that tells why: NW-11."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Finding
from tests.diagnosis.cluster_texts import diagnosis_of

LOST = "May 11 17:41:18 wren pacemaker-based[2210]:  notice: Node {} state is now lost\n"
LED = "May 11 17:41:18 wren pacemaker-controld[2215]:  warning: Our DC node ({}) left the cluster\n"
BACK = "May 11 17:42:40 wren pacemaker-based[2210]:  notice: Node {} state is now member\n"


def found(folder: Path, text: str) -> list[Finding]:
    return [one for one in diagnosis_of(folder, text).findings if one.ref == "NW-11"]


@pytest.mark.parametrize("name", ["siskin", "n2", "db-07.ha.example"])
def test_a_member_that_is_called_lost_is_reported(tmp_path: Path, name: str) -> None:
    [gone] = found(tmp_path / "a", LOST.format(name))
    assert (gone.severity, gone.nodes) == ("medium", (name,))
    [led] = found(tmp_path / "b", LOST.format(name) + LED.format(name))
    assert (led.severity, led.nodes) == ("high", (name,))
    assert "as it does before an ordered stop" in led.explanation


def test_one_that_is_back_weighs_little_and_stands_apart(tmp_path: Path) -> None:
    text = LOST.format("siskin") + LOST.format("linnet") + BACK.format("siskin")
    assert {one.nodes: one.severity for one in found(tmp_path, text)} == {("linnet",): "medium", ("siskin",): "low"}


@pytest.mark.parametrize(
    "line",
    [
        "wren pacemaker-controld[2215]:  notice: do_shutdown of peer siskin is complete",
        "wren pacemaker-attrd[2213]:  notice: Setting shutdown[siskin] in instance 1: (unset) -> 1756872649",
        "wren pacemaker-controld[2215]:  notice: Node siskin state is now standby",
        "siskin pacemakerd[1901]:  notice: Shutting down Pacemaker",
        "wren corosync[1649]:   [TOTEM ] A new membership (1.31) was formed. Members left: 2",
    ],
)
def test_a_member_that_stopped_in_order_is_no_alarm(tmp_path: Path, line: str) -> None:
    assert found(tmp_path, f"May 11 17:41:10 {line}\n" + LOST.format("siskin")) == []


def test_where_a_lost_token_is_reported_it_is_not_reported_twice(tmp_path: Path) -> None:
    token = "May 11 17:41:10 wren corosync[1649]:   [TOTEM ] A processor failed, forming new configuration.\n"
    assert found(tmp_path, token + LOST.format("siskin")) == []
