"""What a playbook of Ansible could not do: results of its tasks, and the sums at its end.

    TASK [storage : Create the file system] ********************************
    fatal: [larch1 -> larch0]: FAILED! => {"changed": true, "rc": 1, "stderr": "mmcrfs: ..."}
    failed: [larch2] (item=work) => {"changed": false, "msg": "..."}
    PLAY RECAP *************************************************************
    larch1   : ok=45   changed=0    unreachable=0    failed=1    skipped=27   rescued=0    ignored=0

Yields ``ListedState`` per result and per host: wrong where a task failed or the host was not reached. A failure that
the playbook passes over (``...ignoring`` below it) is a hint. Source: Ansible's default callback, ansible.builtin.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import ListedStanding, ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_KEPT: Final = 400
_PASSED_OVER: Final = "...ignoring"


def _task(section: OpenSection, _line: Line, match: re.Match[str]) -> None:
    section.state["task"] = match["task"]


def _put(section: OpenSection, line: Line, host: str, state: str, standing: ListedStanding) -> None:
    row = " ".join(line.text.split())[:_KEPT]
    section.add(ListedState, line.number, source="ansible", name=host, state=state, standing=standing, row=row)


def _result(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    below = section.peek()
    is_passed_over = below is not None and below.text.strip() == _PASSED_OVER
    task = section.state.get("task")
    state = "not reached" if match["what"] == "UNREACHABLE" else f"task {task} failed" if task else "task failed"
    _put(section, line, match["host"] or match["looped"], state, "hint" if is_passed_over else "wrong")


def _sums(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    away, failed = int(match["away"]), int(match["failed"])
    state = "not reached" if away else f"{failed} tasks failed" if failed else "all tasks done"
    _put(section, line, match["host"], state, "wrong" if away or failed else "good")


_ROWS: Final = Rows(
    Row("task", r"(?:TASK|RUNNING HANDLER) \[(?P<task>[^\]\n]{1,160})\] \*{3,200}$", _task, fate=Fate.FRAME),
    Row("play", r"PLAY (?:RECAP|\[[^\]\n]{0,160}\]) \*{3,200}$", fate=Fate.FRAME),
    Row(
        "result",
        r"(?:fatal: \[(?P<host>[\w.-]{1,253})(?: -> [^\]]{1,253})?\]: (?P<what>FAILED|UNREACHABLE)! ?=>"
        r"|failed: \[(?P<looped>[\w.-]{1,253})(?: -> [^\]]{1,253})?\] \(item=)",
        _result,
    ),
    Row(
        "sums of a host",
        r"(?P<host>[\w.-]{1,253})\s{1,80}: ok=\d{1,6}\s{1,8}changed=\d{1,6}\s{1,8}unreachable=(?P<away>\d{1,6})\s{1,8}"
        r"failed=(?P<failed>\d{1,6})\b",
        _sums,
    ),
    Row("done", r"(?:ok|changed|skipping|included): \[?[\w.-]{1,253}|\.\.\.ignoring$", fate=Fate.EVERYDAY, opens=False),
)


@parser("ansible_results", version=1, product="", rows=_ROWS, commands=("ansible-playbook",), priority=-60)
def ansible_results(section: OpenSection, out: Output) -> None:
    """Results of tasks, and sums of hosts. What the strings of a result hold is read before it: that tells more."""
    _ROWS.read(section, out, "no result of a task")
