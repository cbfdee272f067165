"""Each sample case from bytes to verdict: its known answer is found and nothing contrary, twice the same, in any order
of members.
"""

from __future__ import annotations

import io
import json
import tarfile
from typing import Any

import pytest

from apps.ingest.samples import SAMPLES, Sample
from parsers.times.clock import parse_instant
from tests.reports import built, bundle, report_on_sample, text_on, text_on_sample

every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
SMALLEST = "SAMPLE-GFS2"
read_again = pytest.mark.parametrize(
    "sample",
    [pytest.param(sample, marks=() if sample.key == SMALLEST else pytest.mark.matrix) for sample in SAMPLES],
    ids=lambda sample: sample.key,
)
"""The others take three times as long."""
BY_KEY = {sample.key: sample for sample in SAMPLES}
SHOWN_BY = {  # phases of the stories -> the finding that covers them, the n-th of its rule in time
    "disk does not answer": ("SC-01", 0),
    "recovery log blocked": ("SC-04", 0),
    "pull by gannet2, lazy off": ("R5", 0),
    "ping-pong, lazy off": ("R7", 0),
    "pull by gannet1, lazy on": ("R6", 0),
    "ping-pong, lazy on": ("R7", 1),
    "drain on gannet2": ("R8", 0),
    "drain on gannet1": ("R8", 0),
    "backup holds the directory": ("GL-01", 0),
}
QUIET = {"healthy", "quiet", "lazy_isize_enable set"}
SLACK_S = 31.0  # dumps are up to half a minute apart


def found(key: str) -> dict[str, Any]:
    return report_on_sample(key)


def seconds(at: str) -> float:
    instant = parse_instant(at[:19].replace("T", " "))
    assert instant is not None
    return instant.us / 1e6


@every_sample
def test_what_must_be_found_is_found_and_nothing_contrary(sample: Sample) -> None:
    result, answer = found(sample.key), sample.answer
    refs = {finding["ref"] for finding in result["findings"]}
    assert set(answer.rules) <= refs
    assert not refs & set(answer.rules_forbidden)
    assert refs <= {*answer.rules, *answer.rules_also_true}
    assert result["products"] == list(answer.products)
    assert {node["name"] for node in result["nodes"]} == set(answer.nodes)
    assert result["problems"] == []


@every_sample
def test_the_root_is_the_first_root_or_what_the_first_finding_speaks_of(sample: Sample) -> None:
    result, root = found(sample.key), sample.answer.root
    if result["roots"]:
        first = result["roots"][0]
        assert (first["kind"], first["what"], first["node"]) == (root.kind, root.what, root.node)
    else:
        assert root.what in result["findings"][0]["title"]
        assert any(
            root.through is not None and root.through in line["text"] for line in result["findings"][0]["evidence"]
        )


@every_sample
def test_the_verdict_names_the_root(sample: Sample) -> None:
    verdict, root = found(sample.key)["verdict"], sample.answer.root
    assert root.what in verdict["title"]
    assert verdict["ref"] in sample.answer.rules
    assert verdict["severity"] in ("high", "critical")
    assert verdict["confidence"] >= 0.85


@every_sample
def test_every_phase_lies_within_its_finding_and_quiet_ones_within_none(sample: Sample) -> None:
    findings = sorted(found(sample.key)["findings"], key=lambda finding: str(finding["start"]))
    for phase in sample.answer.phases:
        start, end = seconds(phase.start), seconds(phase.end)
        if phase.name in QUIET:
            spans = [
                (seconds(f["start"]), seconds(f["end"])) for f in findings if f["severity"] != "info" and f["start"]
            ]
            assert not any(first + 1 < end and last - 1 > start for first, last in spans), phase.name
            continue
        ref, number = SHOWN_BY[phase.name]
        finding = [f for f in findings if f["ref"] == ref][number]
        assert seconds(finding["start"]) <= start + SLACK_S, phase.name
        assert seconds(finding["end"]) >= end - SLACK_S, phase.name


@every_sample
def test_every_line_of_evidence_is_shown_as_it_stands_in_the_bundle(sample: Sample) -> None:
    members: dict[str, list[str]] = {}
    with tarfile.open(fileobj=io.BytesIO(built(sample.key))) as archive:
        for member in archive:
            if (stream := archive.extractfile(member)) is not None:
                members[member.name] = stream.read().decode().split("\n")
    for finding in found(sample.key)["findings"]:
        assert finding["evidence"]
        for line in finding["evidence"]:
            assert members[line["path"].partition("!")[2]][line["line"] - 1].strip()[:400] == line["text"]


@read_again
def test_equal_bytes_give_equal_output(sample: Sample) -> None:
    assert text_on(bundle(built(sample.key), sample.filename)) == text_on_sample(sample.key)


def reversed_members(content: bytes) -> bytes:
    """The same archive with its members in the opposite order."""
    out = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(content)) as archive, tarfile.open(fileobj=out, mode="w:gz") as other:
        for member in reversed(archive.getmembers()):
            other.addfile(member, archive.extractfile(member))
    return out.getvalue()


@read_again
def test_the_order_of_members_does_not_change_what_is_found(sample: Sample) -> None:
    turned = json.loads(text_on(bundle(reversed_members(built(sample.key)), sample.filename)))
    for key in (
        "findings",
        "verdict",
        "roots",
        "cycles",
        "tunings",
        "nodes",
        "window",
        "waiter_kinds",
        "waits_for",
        "lock_roles",
    ):
        assert turned[key] == found(sample.key)[key], key


# --- figures ----------------------------------------------------------------------------------------------------------


def figures(key: str) -> dict[str, float]:
    return dict(BY_KEY[key].answer.figures)


def test_cfs_every_timed_walk_is_read_to_the_millisecond() -> None:
    walks = {
        name: value
        for name, value in figures("SAMPLE-CFS").items()
        if name.endswith("_s") and not name.endswith("per_s")
    }
    read = sorted(row["value"] for row in found("SAMPLE-CFS")["measurements"] if row["what"] == "real")
    assert read == sorted(walks.values())


@pytest.mark.parametrize(
    ("name", "node", "role", "lazy"),
    [
        ("gannet2_alone_lazy_off", "gannet2", "puller", "off"),
        ("gannet1_alone_lazy_on", "gannet1", "puller", "on"),
        ("gannet1_parallel_lazy_off", "gannet1", "ping_pong", "off"),
        ("gannet2_parallel_lazy_off", "gannet2", "ping_pong", "off"),
        ("gannet1_parallel_lazy_on", "gannet1", "ping_pong", "on"),
        ("gannet2_parallel_lazy_on", "gannet2", "ping_pong", "on"),
    ],
)
def test_cfs_pull_rates_and_forecasts_are_those_of_the_story(name: str, node: str, role: str, lazy: str) -> None:
    expected = figures("SAMPLE-CFS")[f"{name}_about_pull_per_s"]
    rows = [
        row
        for row in found("SAMPLE-CFS")["lock_roles"]
        if (row["node"], row["role"], row["lazy_isize"]) == (node, role, lazy)
    ]
    inner = rows[1:-2]  # windows in which a walk begins or ends count less
    mean = sum(row["per_s"]["pull"] for row in inner) / len(inner)
    assert mean == pytest.approx(expected, rel=0.03)
    for row in inner:
        assert row["forecast_s"] == pytest.approx(figures("SAMPLE-CFS")["inodes"] / row["per_s"]["pull"], rel=1e-4)


def test_cfs_the_tunable_is_reported_as_set_and_since_when() -> None:
    result = found("SAMPLE-CFS")
    values = [row["value"] for row in result["settings"] if row["name"] == "lazy_isize_enable"]
    assert set(values) == {figures("SAMPLE-CFS")["lazy_isize_before"], figures("SAMPLE-CFS")["lazy_isize_after"]}
    [change] = [row for row in result["tunings"] if row["id"] == "lazy-isize-enable"]
    assert (change["status"], change["current"]) == ("applied", "1")
    assert change["current_at"]["path"].endswith("session.txt")
    assert "gannet2 since 6 Nov 2024 09:15:38" in change["why"]
    assert any("on since 6 Nov 2024 09:15:38" in finding["explanation"] for finding in result["findings"])
    assert not any(row["label_conflict"] or row["node_inferred"] for row in result["lock_roles"])


def test_scale_figures() -> None:
    expected, result = figures("SAMPLE-SCALE"), found("SAMPLE-SCALE")
    assert result["roots"][0]["waiters"] == result["roots"][0]["relieves"] == expected["blocked_waits"]
    shown = {finding["ref"]: finding["figures"] for finding in result["findings"]}
    assert shown["SC-01"]["Longest wait on the disk"] == expected["longest_disk_wait_s"]
    assert shown["SC-04"]["Waits for the LogFile mutex"] == expected["log_mutex_waits"]
    assert shown["SC-04"]["Age of the log write"] == expected["longest_log_write_wait_s"]


def test_gfs2_figures() -> None:
    expected, result = figures("SAMPLE-GFS2"), found("SAMPLE-GFS2")
    shown = {finding["ref"]: finding["figures"] for finding in result["findings"]}
    assert shown["GL-01"]["Waiting at one time"] == expected["waiters_peak"]
    assert shown["GL-01"]["Captures with waiters"] == expected["captures_with_waiters"]
    assert shown["GL-02"]["Age of the request"] == expected["longest_demote_s"]
    [first] = (finding for finding in result["findings"] if finding["ref"] == result["verdict"]["ref"])
    assert str(int(expected["directory_inode"])) in first["title"]
