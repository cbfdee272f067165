"""Objects of Kubernetes whose counts are no numbers, and lines of a kernel below them."""

from __future__ import annotations

import pytest

from parsers.records import Event
from parsers.records.states import ListedState
from tests.parsers.golden import Reading

POD = """apiVersion: v1
kind: Pod
metadata:
  name: mailq-0
status:
  containerStatuses:
  - name: post
    ready: false
    restartCount: {restarts}
    lastState:
      terminated:
        exitCode: {code}
        reason: Error
    state:
      waiting:
        reason: CrashLoopBackOff
"""


@pytest.mark.parametrize(
    ("restarts", "code"), [("41", "137"), ("many", "x"), ("1e309", "1e309"), ("true", "false"), ("[]", "{}")]
)
def test_a_container_is_listed_whatever_stands_for_its_counts(restarts: str, code: str) -> None:
    reading = Reading(POD.format(restarts=restarts, code=code))
    assert reading.adds_up
    [container] = [one for one in reading.of(ListedState) if "container post" in (one.name or "")]
    assert "CrashLoopBackOff" in (container.state or "")


@pytest.mark.parametrize(
    "message",
    [
        "end_request: I/O error, dev sdq, sector 991234",
        "blk_update_request: I/O error, dev nvme2n1, sector 8812 op 0x1:(WRITE) flags 0x800 phys_seg 1 prio class 2",
    ],
)
def test_a_message_without_its_head_is_heard_below_an_object(message: str) -> None:
    text = POD.format(restarts=3, code=1) + f"{message}\n"
    assert [one.line for one in Reading(text).of(Event)] == [text.count("\n")]


def test_keys_at_the_margin_stay_parts_of_the_object() -> None:
    text = POD.format(restarts=3, code=1) + 'phase: Running\nlabels: {a: b, c: d}\nnote: "one, two"\n'
    reading = Reading(text)
    assert reading.adds_up
    assert not list(reading.of(Event))
