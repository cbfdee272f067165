"""States and figures of tools that have no reader of their own: as JSON, as a table of any separator, as the journal's
JSON. The sick text is named with its object and node, its twin in order raises no alarm.
"""

from __future__ import annotations

import json

import pytest

from tests.diagnosis.test_scale_pasted import ALARMS, judged, severity_of, title_of

SICK = {
    "objects on one line": '{"disks":[{"name":"fig1","status":"up"},{"name":"fig2","availability":"down"}]}\n',
    "objects over lines": '{\n  "pools": [\n    {\n      "name": "fig2",\n      "health": "FAULTED"\n    }\n  ]\n}\n',
    "an object that is cut": '[\n  {\n    "id": "fig2",\n    "state": "degraded",\n    "size": "4T"\n',
    "events": '{"time":"2031-03-09T11:12:12Z","node":"oven3","name":"fig2","severity":"ERROR","message":"it failed"}\n',
    "markdown": "| Disk | Availability |  Server |\n|---|---|---|\n| fig1 | up | a |\n| fig2 | down | a |\n",
    "semicolons": "disk;status;server\nfig1;ok;oven1\nfig2;failed;oven1\n",
    "commas": "name,state,server\nfig1,online,oven1\nfig2,faulted,oven1\n",
}


@pytest.mark.parametrize("shape", SICK)
def test_a_state_that_is_wrong_is_named(shape: str) -> None:
    analysis = judged(SICK[shape])
    assert severity_of(analysis) in ALARMS, title_of(analysis)
    assert "fig2" in title_of(analysis)
    assert "fig1" not in title_of(analysis)


@pytest.mark.parametrize("shape", SICK)
def test_states_in_order_raise_no_alarm(shape: str) -> None:
    text = SICK[shape]
    for wrong in ("down", "FAULTED", "degraded", "failed", "faulted"):
        text = text.replace(f'"{wrong}"', '"online"').replace(f"| {wrong} |", "| up |")
        text = text.replace(f";{wrong};", ";ok;").replace(f",{wrong},", ",online,")
    text = text.replace("ERROR", "INFO").replace("it failed", "it is there")
    assert severity_of(judged(text)) == "info"


def test_json_without_a_state_is_called_unread() -> None:
    analysis = judged('{"sizes": [{"name": "fig1", "size": 4}, {"name": "fig2", "size": 5}]}\n')
    assert analysis["verdict"]["form"] == "not_judged"
    assert analysis["inputs"][0]["lines"]["not_understood"] == 1


ENTRY = {
    "__REALTIME_TIMESTAMP": "1930821072000000",
    "_HOSTNAME": "vega2",
    "SYSLOG_IDENTIFIER": "kernel",
    "PRIORITY": "2",
}


def test_entries_of_the_journal_are_read_as_its_lines() -> None:
    text = json.dumps(ENTRY | {"MESSAGE": "gfs2: fsid=pans:larder.2: about to withdraw this file system"}) + "\n"
    analysis = judged(text)
    assert severity_of(analysis) == "critical"
    assert "larder" in title_of(analysis)
    assert "vega2" in title_of(analysis)
    [line] = analysis["findings"][0]["evidence"]
    assert line["line"] == 1
    fine = json.dumps(ENTRY | {"SYSLOG_IDENTIFIER": "systemd", "MESSAGE": "Started Network Manager."}) + "\n"
    assert severity_of(judged(fine)) == "info"


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        ("time,host,device,r/s,w/s,await,%util", "2031-03-09 11:00:{at},lark4,sdb,90,40,{ms},{busy}"),
        (
            "# hostname;interval;timestamp;DEV;tps;await;%util",
            "lark4;10;2031-03-09 10:00:{at} UTC;sdb;130.0;{ms};{busy}",
        ),
        ("| Node | Disk | r_await | w_await | %util |", "| lark4 | sdb | {ms} | {ms} | {busy} |"),
    ],
    ids=["commas", "sadf", "bars"],
)
def test_figures_of_disks_in_any_separator_are_judged(heading: str, row: str) -> None:
    def table(ms: float, busy: int) -> str:
        return "\n".join([heading, *(row.format(at=10 * at, ms=ms, busy=busy) for at in range(1, 5))]) + "\n"

    slow = judged(table(812.5, 100))
    assert "sdb on lark4" in title_of(slow), title_of(slow)
    assert severity_of(slow) != "info"
    assert severity_of(judged(table(0.8, 11))) == "info"
