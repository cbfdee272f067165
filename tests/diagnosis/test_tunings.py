"""Changes to recommend: present value, where it stands, on which nodes it is set, and since when."""

from __future__ import annotations

from pathlib import Path

from apps.diagnosis.engine.core.findings.registry import RuleNotes
from apps.diagnosis.engine.core.findings.tunings import tunings_for
from apps.diagnosis.engine.core.model import Tuning
from apps.diagnosis.engine.diagnose import compete
from apps.diagnosis.engine.products import run_rules
from parsers.records import Setting
from tests.diagnosis.pictures import MOUNT, end_of, lazy, lock_picture

PULL = """
node0  h_grant    0   0
node0  h_revoke  32  32
node0  g_revoke  32  32
node1  h_grant   31  31
node1  g_grant   31  31
node1  pull      31  31
"""


def tunings(folder: Path, *settings: Setting, picture: str = PULL, mount: str | None = MOUNT) -> dict[str, Tuning]:
    case = lock_picture(folder, picture, unit=100, more=settings, mount=mount)
    found = tunings_for(case, compete(run_rules(case, RuleNotes())))
    assert len({(one.id, one.scope) for one in found}) == len(found)
    return {one.id: one for one in found}


def change(folder: Path, *settings: Setting) -> Tuning:
    return tunings(folder, *settings)["lazy-isize-enable"]


def test_a_value_that_is_off_is_to_be_changed_and_shown_where_it_stands(tmp_path: Path) -> None:
    found = change(tmp_path, lazy(0, node="node1", line=42))
    assert (found.current, found.recommended, found.status, found.scope) == ("0", "1", "recommended", MOUNT)
    assert found.current_at is not None
    assert found.current_at.line == 42
    assert found.commands == (f"vxtunefs -o lazy_isize_enable=1 {MOUNT}",)
    for text in (found.persist, found.caution, found.way_back, found.verify, found.since, found.why):
        assert text
        assert "{" not in text
    assert found.findings == ("ownership-pull-lazy-off",)


def test_without_a_sign_that_the_release_knows_the_parameter_it_is_not_recommended(tmp_path: Path) -> None:
    assert set(tunings(tmp_path)) == {"one-node-per-tree"}


def test_set_on_every_node_that_shares_the_mount_it_is_applied_since_then(tmp_path: Path) -> None:
    found = change(
        tmp_path,
        lazy(0, node="node0", at=end_of(2), line=40),
        lazy(1, node="node0", at=end_of(3), line=41),
        lazy(0, node="node1", at=end_of(2), line=50),
        lazy(1, node="node1", at=end_of(4), line=51),
        lazy(1, node="node1", at=end_of(5), line=52),
    )
    assert (found.status, found.current) == ("applied", "1")
    assert found.current_at is not None
    assert found.current_at.line == 52
    assert found.why.endswith("it is 1 on node0 since 7 May 2031 08:00:40 and node1 since 7 May 2031 08:00:50.")


def test_set_on_one_node_and_off_on_the_other_it_is_still_to_be_done(tmp_path: Path) -> None:
    found = change(tmp_path, lazy(1, node="node0", at=end_of(3), line=41), lazy(0, node="node1", at=end_of(2), line=50))
    assert (found.status, found.current) == ("recommended", "0")
    assert found.why.endswith("it is 1 on node0 (seen first at 7 May 2031 08:00:40); it is 0 on node1.")


def test_seen_on_one_node_only_it_is_still_recommended_for_the_other(tmp_path: Path) -> None:
    found = change(tmp_path, lazy(1, node="node1", line=50))
    assert (found.status, found.current) == ("recommended", "1")
    assert found.why.endswith("it is 1 on node1; no file shows it for node0.")


def test_a_value_without_a_node_stands_for_all_of_them(tmp_path: Path) -> None:
    assert change(tmp_path, lazy(1, node=None, line=50)).status == "applied"


def test_switched_on_and_off_again_the_last_value_counts(tmp_path: Path) -> None:
    found = change(tmp_path, lazy(1, node="node1", line=40), lazy(0, node="node1", line=50))
    assert (found.status, found.current) == ("recommended", "0")


def test_the_value_of_another_mount_is_none_of_this_one(tmp_path: Path) -> None:
    assert "lazy-isize-enable" not in tunings(tmp_path, lazy(0, node="node1", mount="/srv/other"))


def test_a_change_of_habit_stands_once_without_a_mount_and_a_value(tmp_path: Path) -> None:
    found = tunings(tmp_path, lazy(0))["one-node-per-tree"]
    assert (found.scope, found.current, found.current_at, found.commands, found.status) == (
        None,
        None,
        None,
        (),
        "recommended",
    )


def test_where_the_mount_is_not_known_the_command_says_so(tmp_path: Path) -> None:
    found = tunings(tmp_path, lazy(0, mount=None), mount=None)["lazy-isize-enable"]
    assert (found.scope, found.commands) == (None, ("vxtunefs -o lazy_isize_enable=1 MOUNT",))


def test_what_comes_from_the_text_is_quoted_for_the_shell(tmp_path: Path) -> None:
    mount = "/srv/$(reboot) x"
    found = tunings(tmp_path, lazy(0, mount=mount), mount=mount)["lazy-isize-enable"]
    assert found.commands == ("vxtunefs -o lazy_isize_enable=1 '/srv/$(reboot) x'",)
    assert found.way_back == "vxtunefs -o lazy_isize_enable=0 '/srv/$(reboot) x'"


def test_nothing_found_recommends_nothing(tmp_path: Path) -> None:
    assert tunings(tmp_path, lazy(0), picture="node0 h_grant 0\nnode0 h_revoke 0") == {}
