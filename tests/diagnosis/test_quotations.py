"""An article on a fault quotes messages, and so does somebody who reports one: only the second is an alarm."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

VXFS = (
    "vxfs: msgcnt 14 mesg 037: V-2-37: vx_metaioerr - vx_logbuf_clean - /dev/vx/dsk/{group}/vol01 file system meta "
    "data write error in dev/block 0/1044"
)
GFS2 = "GFS2: fsid={group}:pool.0: fatal: invalid metadata block"
VCS = "VCS ERROR V-16-1-10205 Group {group} is faulted on system"
PLAIN = """How to bring it back

Problem
A file system or a group may become useless after a fault below it.

Error Message
{message}

Cause
The paths to the storage went away.

Solution
1. See that the paths are back.
2. Check it on one node.
"""
MARKED = """# A fault below the cluster

## Issue

Users get errors after a path was lost.

    {message}

## Root Cause

The array was restarted.

## Resolution

See that the paths are back.
"""
COLONS = """Symptom:
Nothing can be written.

{message}

Environment:
Any release

Resolving the Problem:
See that the paths are back.
"""
MAIL = """Hello,

since this morning our application on two nodes gets errors. We got this:

{message}

What shall we do?
"""
FORM = """Problem:
since today our application can not write

{message}

Workaround:
none
"""
PASTED = "{message}\n"


def text_of(layout: str, message: str, group: str) -> str:
    return layout.format(message=message.format(group=group))


@pytest.mark.parametrize("layout", [PLAIN, MARKED, COLONS], ids=["plain", "marked", "with colons"])
@pytest.mark.parametrize(("message", "group"), [(VXFS, "tolldg"), (GFS2, "ledger"), (VCS, "web")])
def test_what_an_article_quotes_is_no_incident_of_this_cluster(
    layout: str, message: str, group: str, tmp_path: Path
) -> None:
    diagnosis = diagnosis_of(tmp_path, article_dot_txt=text_of(layout, message, group))
    assert diagnosis.verdict is not None
    assert diagnosis.verdict.form == "not_judged"
    assert len(diagnosis.verdict.title) <= 140
    assert {one.severity for one in diagnosis.findings} <= {"info"}


@pytest.mark.parametrize("layout", [MAIL, FORM, PASTED], ids=["mail", "form", "pasted"])
@pytest.mark.parametrize(("message", "group"), [(VXFS, "tolldg"), (GFS2, "ledger"), (VCS, "web")])
def test_what_somebody_reports_is_an_alarm(layout: str, message: str, group: str, tmp_path: Path) -> None:
    verdict = diagnosis_of(tmp_path, mail_dot_txt=text_of(layout, message, group)).verdict
    assert verdict is not None
    assert verdict.form in ("explained", "unexplained")
    assert verdict.severity in ("critical", "high", "medium")


def test_a_log_with_node_and_time_in_an_article_is_judged(tmp_path: Path) -> None:
    message = f"Mar  7 02:31:22 larch kernel: {GFS2}"
    verdict = diagnosis_of(tmp_path, article_dot_txt=text_of(MARKED, message, "ledger")).verdict
    assert verdict is not None
    assert verdict.severity == "critical"
