"""Hosts that start again and again, or without having been stopped (ST-28)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

if TYPE_CHECKING:
    from pathlib import Path

START = "{at} alder kernel: Linux version 6.1.0-18-amd64 (debian-kernel@lists) #1 SMP\n"
WORK = "{at} alder crond[811]: (root) CMD (run-parts /etc/cron.hourly)\n"
STOP = "{at} alder systemd-logind[700]: The system will power off now!\n"
DAYS = ("Mar  3", "Mar  4", "Mar  5", "Mar 20")


def log(*lines: tuple[str, str]) -> str:
    """A log of lines and their days, an hour apart."""
    return "".join(line.format(at=f"{day} {hour:02d}:00:00") for hour, (line, day) in enumerate(lines))


ABRUPT = log((WORK, DAYS[0]), (START, DAYS[0]), (WORK, DAYS[1]), (START, DAYS[1]))
FAR = log((WORK, DAYS[0]), (START, DAYS[0]), (WORK, DAYS[3]), (START, DAYS[3]))
ONCE = log((WORK, DAYS[0]), (START, DAYS[1]))
STOPPED = log((WORK, DAYS[0]), (STOP, DAYS[0]), (START, DAYS[0]), (WORK, DAYS[1]), (STOP, DAYS[1]), (START, DAYS[1]))
TWICE_SHOWN = log((WORK, DAYS[0]), (START, DAYS[0])) + START.format(at="Mar  3 01:00:01")


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (ABRUPT, "medium"),
        (FAR, "low"),
        (ONCE, "low"),
        (STOPPED, None),
        (TWICE_SHOWN, "low"),
        (log((START, DAYS[0])), None),
    ],
)
def test_starts_without_an_end_are_judged_by_their_number(text: str, severity: str | None, tmp_path: Path) -> None:
    found = [one.severity for one in diagnosis_of(tmp_path, messages=text).findings if one.ref == "ST-28"]
    assert found == ([severity] if severity else [])
