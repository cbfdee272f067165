"""Two articles through the whole path: what must be found in them, and the traps that must not be stepped into."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Diagnosis
from apps.diagnosis.engine.gfs2.profiles import Profiles
from tests.diagnosis.host_tools_cases import case_of, diagnosed, figures, found, refs
from tests.references import article


@pytest.fixture(scope="module")
def thread(tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    return diagnosed(tmp_path_factory.mktemp("thread"), article("dlm-speed-thread.txt").read_text())


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    return diagnosed(tmp_path_factory.mktemp("storage"), article("gfs2-or-storage.txt").read_text())


def test_the_backup_of_one_site(thread: Diagnosis) -> None:
    finding = next(finding for finding in found(thread, "WL-01") if "ext4" in finding.title)
    shown = figures(finding)
    assert finding.severity == "high"
    assert shown["Time per file, at least"] == pytest.approx(34.3, rel=1e-3)
    assert shown["Time per file, at most"] == pytest.approx(48.0, rel=1e-3)
    assert (shown["Slower, times, at least"], shown["Slower, times, at most"]) == (150, 210)
    assert "search_rsb_list" not in finding.explanation  # the profile is another site's


def test_the_walk_of_the_other_site(thread: Diagnosis) -> None:
    finding = next(finding for finding in found(thread, "WL-01") if "lock_nolock" in finding.title)
    shown = figures(finding)
    assert finding.severity == "medium"
    assert shown["Files per second, at most"] == pytest.approx(6667, rel=1e-3)
    assert (shown["Slower, times, at least"], shown["Slower, times, at most"]) == (15, 30)


def test_all_that_is_only_stated_is_only_possible(thread: Diagnosis) -> None:
    stated = [finding for finding in thread.findings if finding.ref.startswith("WL-") or finding.ref == "NW-06"]
    assert {finding.ref for finding in stated} == {"WL-01", "WL-03", "NW-06"}
    assert all(finding.confidence <= 0.5 for finding in stated)


def test_what_the_thread_says_against_itself(thread: Diagnosis) -> None:
    notes = found(thread, "CONTRADICTION")
    assert len(notes) == 2
    assert any("120 kb/s and 4000 packets/s" in note.title for note in notes)
    assert any("not of the time that passed" in note.title for note in notes)
    assert all(note.severity == "info" for note in notes)


def test_what_the_thread_must_not_give(thread: Diagnosis) -> None:
    forbidden = ("GL-", "RC-", "ST-02", "ST-04", "ST-09", "ST-10", "NW-03", "NW-04", "NW-05", "NW-08")
    assert not [ref for ref in refs(thread) if ref.startswith(forbidden)]
    assert not any(tuning.id.startswith("totem-") for tuning in thread.tunings)
    assert not any(
        word in tuning.recommended + tuning.parameter
        for tuning in thread.tunings
        for word in ("glock_purge", "statfs_fast")
    )
    assert not any("of the machine" in finding.title + finding.explanation for finding in thread.findings)
    assert any("a word is no measurement" in one.why for one in thread.missing)


def test_profiles_of_the_thread_count_once_and_by_module(tmp_path: Path) -> None:
    case = case_of(tmp_path, {"thread.txt": article("dlm-speed-thread.txt").read_text()})
    dlm, gfs2 = case.get(Profiles).all
    assert (dlm.module, gfs2.module) == ("dlm", "gfs2")
    assert dlm.seconds == pytest.approx(14.789, rel=1e-3)
    assert gfs2.seconds == pytest.approx(2.063, rel=1e-3)
    by_name = {row.symbol: row for row in dlm.rows}
    assert by_name["search_rsb_list"].seconds == pytest.approx(6.916, rel=1e-3)
    assert by_name["search_bucket"].percent == 7.5773
    assert {row.symbol: row.percent for row in gfs2.rows}["search_bucket"] == 15.56
    assert dlm.share(("search_rsb_list", "create_lkb", "find_lkb", "search_bucket"), "dlm") == pytest.approx(
        83.0264, rel=1e-3
    )


def test_the_ratios_of_the_storage_article(storage: Diagnosis) -> None:
    cache = figures(found(storage, "ST-01")[0])
    assert (cache["Drop"], cache["Drop 2"], cache["Drop of the mean"]) == (27.82, 31.62, 29.72)
    assert "differ by 5.3 %" in found(storage, "ST-01")[0].explanation
    share = figures(found(storage, "ST-03")[0])
    assert share["ext3 of the raw rate"] == pytest.approx(79.27, abs=0.01)
    assert share["gfs2 lock_nolock of the raw rate"] == pytest.approx(61.22, abs=0.01)
    assert "22.8 % less" in found(storage, "ST-03")[0].explanation
    assert figures(found(storage, "ST-02")[0])["Other device, times"] == 2.47


def test_the_slip_of_the_storage_article_and_its_echo(storage: Diagnosis) -> None:
    [slip] = found(storage, "ARITHMETIC")
    assert "111 / 140 is 79.3 %, not 81 %" in slip.title
    assert "20.7 %" in slip.explanation
    assert [ref.line for ref in slip.evidence] == [74, 95]


def test_what_the_storage_article_must_not_give(storage: Diagnosis) -> None:
    assert {finding.severity for finding in storage.findings} == {"info"}
    assert set(refs(storage)) == {"ST-01", "ST-02", "ST-03", "ARITHMETIC", "DESTRUCTIVE"}
    assert storage.nodes == ()
    assert (storage.start, storage.end) == (None, None)
    assert any("lost path" in one.why for one in storage.missing)
