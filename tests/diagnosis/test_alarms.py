"""Alarms that no rule explains: messages and states become findings by their weight, once each, and healthy twins stay
silent.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable
from typing import Any, get_args, get_type_hints

import pytest

from apps.diagnosis.engine.core.alarms.titles import without_object
from apps.diagnosis.engine.core.words.standings import STATEMENTS, state_texts
from parsers.messages.catalogue import Catalogue, catalogue, find, level_weight, meanings, read_catalogue, weighed
from parsers.patterns.needles import needles_of
from parsers.records.states import Statement
from tests.diagnosis.wordings import texts_for
from tests.every import every
from tests.reports import bundle, text_on


def report(text: str, name: str = "messages") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text_on(bundle(text.encode(), name)))
    return found


def mmfs(*texts: str) -> str:
    return "".join(f"2031-06-03_22:48:{10 + n}.207+0200: {text}\n" for n, text in enumerate(texts))


def syslog(*texts: str, host: str = "cod3") -> str:
    return "".join(f"Mar  9 20:33:{10 + n} {host} {text}\n" for n, text in enumerate(texts))


SICK = {
    "an alert of the daemon that no row knows": (mmfs("[A] Something quite new stands still"), "high"),
    "an error of the daemon that no row knows": (mmfs("[E] Something quite new went wrong"), "medium"),
    "a disk of Scale": (mmfs("[E] Disk failure.  Volume nest. rc = 5. Physical volume egg7."), "high"),
    "a split brain that fencing found, in lines that repeat the stamp": (
        "Mar  9 20:33:10 cod3 vxfen: WARNING: Potentially a preexisting\n"
        "Mar  9 20:33:10 cod3 split-brain.\nMar  9 20:33:10 cod3 Dropping out of cluster.\n"
        "Mar  9 20:33:10 cod3\nMar  9 20:33:10 cod3 I/O Fencing DISABLED!\n",
        "high",
    ),
    "replication that is paused": (
        "Secondary:\n  Host name:                  cod4\n  RVG name:                   roe_rvg\n"
        "  Data status:                consistent, behind\n"
        "  Replication status:         paused by user (primary paused)\n"
        "  Timestamp Information:      behind by 01:10:02 hours\n",
        "medium",
    ),
    "a kernel panic": (syslog("kernel: Kernel panic - not syncing: Fatal exception"), "high"),
    "a connection of DRBD that broke": (
        syslog(
            "kernel: drbd pots gull: conn( Connected -> NetworkFailure )", "kernel: drbd pots gull: helper command: x"
        ),
        "medium",
    ),
    "a connection of DRBD that was dropped behind a handshake": (
        syslog(
            "kernel: drbd pots gull: Authentication of peer failed",
            "kernel: drbd pots gull: conn( Connecting -> Disconnecting )",
            "kernel: drbd pots gull: conn( Disconnecting -> StandAlone )",
        ),
        "medium",
    ),
    "copies of DRBD that went apart behind a connection": (
        syslog(
            "kernel: drbd pots/0 drbd4 gull: Split-Brain detected but unresolved, dropping connection!",
            "kernel: drbd pots gull: conn( Connected -> Disconnecting )",
            "kernel: drbd pots gull: conn( Disconnecting -> StandAlone )",
        ),
        "high",
    ),
    "a peer that ended the connection and stays away": (
        syslog(
            "kernel: drbd pots: peer( Primary -> Unknown ) conn( Connected -> TearDown ) pdsk( UpToDate -> DUnknown )",
            "kernel: drbd pots: conn( TearDown -> Unconnected )",
        ),
        "medium",
    ),
    "a copy of DRBD that is left out of date": (
        syslog("kernel: block drbd3: disk( UpToDate -> Outdated )"),
        "medium",
    ),
    "an own disk that DRBD lost behind an error": (
        syslog(
            "kernel: block drbd3: Local IO failed in drbd_endio. Detaching...",
            "kernel: block drbd3: disk( UpToDate -> Failed )",
            "kernel: block drbd3: disk( Failed -> Diskless )",
        ),
        "medium",
    ),
    "a link of another cluster file system": (
        syslog("kernel: (touch,812,1):dlm_do_master_request:1352 ERROR: link to 3 went down!"),
        "medium",
    ),
    "a lost peer of another cluster file system": (
        syslog("kernel: (ocfs2cmt,2210,0):ocfs2_commit_cache:310 ERROR: status = -107"),
        "medium",
    ),
    "an error of another cluster file system": (
        syslog("kernel: (ls,2210,0):ocfs2_read_blocks:1092 ERROR: status = -5"),
        "high",
    ),
    "a soft lockup": (syslog("kernel: watchdog: BUG: soft lockup - CPU#3 stuck for 31s! [nfsd:1200]"), "high"),
}
CALM = {
    "a connection of DRBD that was given up on request": syslog(
        "kernel: drbd pots gull: conn( Connected -> Disconnecting )",
        "kernel: drbd pots gull: conn( Disconnecting -> StandAlone )",
    ),
    "an older DRBD that was told to disconnect": syslog(
        "kernel: block drbd2: peer( Secondary -> Unknown ) conn( Connected -> Disconnecting ) pdsk( UpToDate -> X )",
        "kernel: block drbd2: conn( Disconnecting -> StandAlone )",
    ),
    "a resource of DRBD that was taken down while it looked for its peer": syslog(
        "kernel: drbd jars: conn( WFConnection -> Disconnecting )",
        "kernel: drbd jars: conn( Disconnecting -> StandAlone )",
    ),
    "a peer of DRBD that was away for a restart": syslog(
        "kernel: drbd pots: peer( Secondary -> Unknown ) conn( Connected -> TearDown ) pdsk( UpToDate -> DUnknown )",
        "kernel: drbd pots: conn( TearDown -> Unconnected )",
        "kernel: drbd pots: conn( WFConnection -> WFReportParams )",
    ),
    "a resource of DRBD that was stopped with its disk": syslog(
        "kernel: drbd pots: conn( Connected -> Disconnecting ) peer( Secondary -> Unknown )",
        "kernel: block drbd3: disk( UpToDate -> Failed )",
        "kernel: block drbd3: disk( Failed -> Diskless )",
        "kernel: drbd pots: Terminating drbd_w_pots",
    ),
    "a connection of DRBD that was stopped with its resource": syslog(
        "kernel: drbd cups gull: conn( Connected -> Disconnecting ) peer( Secondary -> Unknown )",
        "kernel: drbd cups gull: conn( Disconnecting -> StandAlone )",
        "kernel: drbd cups: Terminating worker thread",
    ),
    "a journal that explains its lines": syslog(
        "systemd[1]: Stopped Pacemaker High Availability Cluster Manager.",
        "corosync[81]:  [MAIN  ] Corosync Cluster Engine ('2.4.4'): started and ready to provide service.",
    ).replace(
        "Manager.\n",
        "Manager.\n-- Subject: Unit pacemaker.service has finished shutting down\n-- Defined-By: systemd\n--\n"
        "-- Unit pacemaker.service has finished shutting down.\n",
    ),
    "a copy of DRBD that was brought up to date again": syslog(
        "kernel: block drbd3: disk( UpToDate -> Outdated )",
        "kernel: block drbd3: disk( Inconsistent -> UpToDate )",
    ),
    "fencing that is on": syslog("vxfen: NOTICE: VCS FEN INFO V-11-1-35 Fencing driver going into RUNNING state"),
    "replication that works": "Secondary:\n  Host name:                  cod4\n  RVG name:                   roe_rvg\n"
    "  Data status:                consistent, up-to-date\n  Replication status:         replicating (connected)\n"
    "  Timestamp Information:      behind by 00:00:00 hours\n",
    "a start of the daemon": mmfs(
        "[I] mmfsd initializing. {Version: 5.1.9.2   Built: Feb  1 2031} ...", "[N] mmfsd ready"
    ),
    "a wait of which the log says that it ended": mmfs(
        "[N] The unexpected long waiter on thread 5214 has disappeared in 12 seconds"
    ),
    "a link that came back": syslog(
        "kernel: igb 0000:04:00.0 eno3: Link is Down", "kernel: igb 0000:04:00.0 eno3: Link is Up 10 Gbps"
    ),
    "disks at a boot": syslog(
        "kernel: sd 0:0:0:0: Power-on or device reset occurred", "kernel: sd 0:0:0:0: [sda] Attached SCSI disk"
    ),
    "a server that paused": syslog(
        "kernel: nfs: server 10.1.2.3 not responding, still trying", "kernel: nfs: server 10.1.2.3 OK"
    ),
    "programs that serve no cluster": syslog(
        "sshd[411]: error: maximum authentication attempts exceeded", "cron[12]: (root) CMD (true)"
    ),
}


@pytest.mark.parametrize("name", SICK)
def test_what_a_log_itself_calls_wrong_is_never_an_all_clear(name: str) -> None:
    text, least = SICK[name]
    found = report(text)["verdict"]
    assert found["form"] in ("explained", "unexplained"), found
    assert found["severity"] in ("critical", "high", "medium")[: ("critical", "high", "medium").index(least) + 1], found


@pytest.mark.parametrize(
    ("lines", "forms"),
    [
        (("drbd pots: conn( Connected -> Disconnecting )", "drbd pots: conn( Disconnecting -> StandAlone )"), "told"),
        (
            ("block drbd3: peer( Secondary -> Unknown ) conn( Connected -> Disconnecting ) pdsk( UpToDate -> X )",),
            "told",
        ),
        (("drbd cups gull: conn( Connected -> Disconnecting )", "drbd cups gull: Terminating sender thread"), "told"),
        (("drbd cups gull: conn( Connected -> Disconnecting )", "drbd cups gull: conn( Connecting -> Connected )"), ""),
    ],
)
def test_a_connection_of_drbd_that_was_left_apart_is_reported(lines: tuple[str, ...], forms: str) -> None:
    titles = [finding["title"] for finding in report(syslog(*(f"kernel: {line}" for line in lines)))["findings"]]
    assert any("has not restored it" in title for title in titles) is bool(forms), titles


@pytest.mark.parametrize("name", CALM)
def test_everyday_lines_raise_no_alarm(name: str) -> None:
    found = report(CALM[name])
    assert [
        finding["title"]
        for finding in found["findings"]
        if finding["ref"].startswith("AL-") and finding["severity"] != "low"
    ] == []
    assert found["verdict"]["severity"] in ("low", "info")


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("newfs (dm-3): metadata I/O error at daddr 0x120 len 8 error 5", "trouble"),
        ("fancydisk fd0: controller is dead", "trouble"),
        ("somedriver 0000:04:00.0: mailbox command failed with status 0x4005", "notice"),
        ("newfs: mounted filesystem with ordered data mode, errors=remount-ro", ""),
        ("Command line: root=/dev/sda1 errors=panic", ""),
        ("igb 0000:04:00.0: added PHC on eth0", ""),
    ],
)
def test_words_of_a_message_that_nobody_knows_keep_the_all_clear_away(text: str, weight: str) -> None:
    verdict = report(syslog(f"kernel: {text}", "kernel: igb 0000:04:00.0 eno3: Link is Up 10 Gbps"))["verdict"]
    assert verdict["form"] == {"trouble": "unexplained", "notice": "not_judged", "": "healthy"}[weight], verdict


_BAD_DISK = ("kernel: sd 3:0:0:0: [sdk] tag#3 Sense Key : Medium Error [current]",)
_MIRROR = "[root@cod3 ~]# cat /proc/mdstat\nmd7 : active raid1 sdk1[1](F) sdj1[0]\n      16787776 blocks [2/1] [U_]\n"


@pytest.mark.parametrize(
    ("lines", "listing", "severity"),
    [
        ((), "", "critical"),
        (("kernel: md/raid1:md7: Disk failure on sdk1, disabling device.",), "", "high"),
        (("kernel: md/raid1:md7: read error corrected (8 sectors at 4002 on sdk1)",), "", "high"),
        (("kernel: raid1: sdk1: rescheduling sector 17232",), "", "high"),
        ((), _MIRROR, "high"),
        (("kernel: md/raid1:md7: Disk failure on sdj1, disabling device.",), "", "critical"),
        (tuple(f"kernel: md/raid:md7: Disk failure on sd{one}1, disabling device." for one in "jk"), "", "critical"),
    ],
)
def test_a_bad_disk_takes_no_data_where_an_array_goes_on_without_it(
    lines: tuple[str, ...], listing: str, severity: str
) -> None:
    found = report(syslog(*_BAD_DISK, *lines) + listing)["findings"]
    assert next(one["severity"] for one in found if "Disk sdk can't read" in one["title"]) == severity


@pytest.mark.parametrize(
    ("level", "members", "standing", "severity"),
    [
        ("raid5", "[3/1] [U__]", "too few for its level", "critical"),
        ("raid6", "[6/3] [UUU___]", "too few for its level", "critical"),
        ("raid1", "[2/0] [__]", "0 of 2 members", "critical"),
        ("raid6", "[10/8] [UU_UUU_UUU]", "none more may fail", "high"),
        ("raid6", "[5/4] [UUUU_]", "4 of 5 members work [UUUU_]", "medium"),
        ("raid10", "[4/2] [U_U_]", "2 of 4 members", "medium"),
        ("raid1", "[3/3] [UUU]", "", "info"),
    ],
)
def test_an_array_that_misses_more_than_its_level_allows_is_gone(
    level: str, members: str, standing: str, severity: str
) -> None:
    found = report(f"$ cat /proc/mdstat\nmd3 : active {level} sdb1[0] sdc1[1]\n      88 blocks level 5 {members}\n")
    assert found["verdict"]["severity"] == severity
    assert not standing or any(standing in one["title"] for one in found["findings"])


def test_an_alarm_that_a_rule_cites_is_not_stated_again() -> None:
    lines = [
        (
            "corosync[900]:   [TOTEM ] A processor failed, forming new configuration: token timed out "
            "(3650ms), waiting 4380ms for consensus."
        )
    ]
    found = report(syslog(*lines))
    assert [finding["ref"] for finding in found["findings"] if finding["severity"] != "info"]
    assert not [finding for finding in found["findings"] if finding["ref"] == "AL-01"]


def test_many_lines_of_one_kind_are_one_finding_with_their_number_and_their_lines() -> None:
    found = report(mmfs(*(f"[E] Something quite new went wrong with part {n}" for n in range(20))))
    [finding] = [finding for finding in found["findings"] if finding["ref"] == "AL-01"]
    assert finding["figures"] == {"Lines": 20}
    assert finding["evidence"][0]["line"] == 1
    assert finding["start"].startswith("2031-06-03T22:48:10")


def test_each_alarm_without_a_rule_brings_a_next_step() -> None:
    found = report(syslog("kernel: Kernel panic - not syncing: Fatal exception"))
    assert found["next_steps"]


def test_states_of_many_things_keep_to_one_line() -> None:
    rows = "".join(f"disk_{n}   auto:cdsdisk    rolls{n:02d}      rolls        online failing\n" for n in range(40))
    found = report("DEVICE       TYPE            DISK         GROUP        STATUS\n" + rows)
    [finding] = [finding for finding in found["findings"] if finding["ref"] == "AL-02"]
    assert finding["title"].startswith("Disk rolls00 of rolls, disk rolls01 of rolls and 38 more: online failing")
    assert len(found["verdict"]["title"]) <= 140
    assert finding["figures"] == {"Rows": 40}


# --- the catalogue and the table of states ----------------------------------------------------------------------------

GOOD = {"up", "standby", "normal", "held", "healthy", "online", "free", "on", "unknown"}


@pytest.mark.parametrize(
    "kind", [kind for kind in STATEMENTS if "standing" in kind.columns()], ids=lambda kind: kind.__name__
)
def test_every_standing_that_a_parser_can_give_has_a_weight_or_is_in_order(kind: type[Statement]) -> None:
    standings = set(get_args(get_type_hints(kind)["standing"]))
    assert standings - GOOD == {standing for name, standing in state_texts() if name == kind.__name__}


def test_the_table_of_states_names_fields_that_exist() -> None:
    by_name = {kind.__name__: set(kind.columns()) for kind in STATEMENTS}
    for (kind, _), text in state_texts().items():
        named = {
            name
            for part in text.object
            for _, names, _, _ in string.Formatter().parse(part)
            if names
            for name in names.split("|")
        }
        assert named <= by_name[kind]


WRITES = re.compile(
    r"\b(?:mkfs|fsck(?! .*-n)|mount(?! -v$)|umount|reboot|shutdown|dd|rm|kill|mmchconfig|mmchdisk|mmdeldisk"
    r"|mmrestripefs|mmshutdown|mmstartup|mmunmount|vxdg (?:import|deport)|vxfenclear\w*|hagrp "
    r"-(?:online|offline|clear|switch)|hares -(?:online|offline|clear)"
    r"|hasys -(?:freeze|unfreeze|force|add|delete|modify)|hastop|pcs "
    r"(?:resource|stonith) (?:cleanup|disable|enable|delete)|dlm_tool "
    r"(?:join|leave)|fence_ack_manual|fence_node|systemctl (?:restart|stop|start))\b"
)


@every(sorted(meanings()))
def test_a_kind_of_trouble_says_what_it_means_and_its_step_changes_nothing(kind: str) -> None:
    meaning = meanings()[kind]
    assert meaning.title
    assert not [command for command in meaning.commands if WRITES.search(command)]
    if meaning.weight == "disaster" and not kind.endswith(("-alert", "-error")):
        assert meaning.meaning
        assert meaning.next
    assert set(meaning.ended_by) <= set(meanings())


def test_a_row_is_found_by_code_or_words_and_named_with_its_object() -> None:
    assert find("mmfs", "Connected to 10.74.12.61 lund061 <c0n11>:[0]") is not None
    lost = find("kernel", "device-mapper: multipath: Failing path 8:32.")
    assert lost is not None
    assert (lost.kind, lost.about, lost.weight) == ("path-failed", "8:32", "trouble")
    assert find("kernel", "igb 0000:04:00.0: added PHC on eth0") is None


def test_the_own_level_of_a_line_raises_its_weight_and_what_is_everyday_stays_so() -> None:
    notice = find("mmfs", "The current file system manager failed, and no new one will be appointed")
    assert notice is not None
    assert weighed(notice, "X").weight == "disaster"
    calm = find("mmfs", "Connected to 10.74.12.61 lund061 <c0n11>:[0]")
    assert calm is not None
    assert weighed(calm, "E").weight == "everyday"
    assert [level_weight(word) for word in ("CRIT", "err", "W", "banana")] == ["disaster", "trouble", "notice", ""]


@pytest.mark.parametrize(
    ("pattern", "needles"),
    [
        ("^Disk (?P<about>\\S+) failed$", (" failed",)),
        (r"abc?def", ("def",)),
        (r"one|another", ("one", "another")),
        (r"one|\d+", ()),
        (r"(?i)Words", ("words",)),
        (r"link (?:is )?(?:down|lost)\b", ("link ",)),
        (r"(?:lost|no) (?:carrier|link)\b", ("carrier", "link")),
        (r"x+(?!words)yy", ()),
        (r"(?:optional){0,2}tail", ("tail",)),
        (r"a\.b[cd]wxyz\d+", ("wxyz",)),
        (r"node 12 is gone", (" is gone",)),
    ],
)
def test_a_needle_stands_in_every_text_that_fits(pattern: str, needles: tuple[str, ...]) -> None:
    assert needles_of(pattern) == needles


def test_needles_never_hide_a_message_that_fits() -> None:
    book: Catalogue = catalogue()
    for group, rows in book.groups.items():
        for row in rows:
            for text in texts_for(row.pattern):
                assert row in book.candidates(group, text), (row.pattern, text)


def test_no_letters_of_a_row_hold_digits() -> None:
    """Rows are looked up by the letters of a message alone: a digit among a row's letters would hide the row."""
    book = catalogue()
    held = [needle for group in book.groups for row in book.groups[group] for needle in needles_of(row.pattern)]
    assert held
    assert not [needle for needle in held if any(letter.isdigit() for letter in needle)]


def test_every_pattern_of_the_catalogue_can_be_compiled() -> None:
    rows = [row for found in (*catalogue().groups.values(), *catalogue().codes.values()) for row in found]
    assert rows
    for row in rows:
        re.compile(row.pattern)


@pytest.mark.parametrize(
    "text",
    [
        '[[message]]\nkind = "a"\ngroup = "kernel"\npattern = "x"\n',
        '[kind.a]\nweight = "heavy"\ntitle = "A"\n',
        '[kind.a]\nweight = "trouble"\ntitle = "A"\nsurprise = 1\n',
        '[kind.a]\nweight = "trouble"\ntitle = "A"\n[[message]]\nkind = "a"\ngroup = "kernel"\n',
    ],
)
def test_a_row_that_cannot_be_understood_stops_the_start(tmp_path: Any, text: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"own\.toml"):
        read_catalogue([file])


@pytest.mark.parametrize(
    ("title", "plain"),
    [("Disk {about} failed", "Disk failed"), ("A link to {about} is down", "A link is down"), ("{about} left", "left")],
)
def test_a_title_without_its_object_still_reads(title: str, plain: str) -> None:
    assert without_object(title) == plain


HEALTHY_TABLE = """[root@cod1 ~]# mmgetstate -a

 Node number  Node name  GPFS state
-------------------------------------
           1  cod1       active
           2  cod2       active
"""


@pytest.mark.parametrize("stray", ["=== zfoo state ===", "zq17|wv|4 lost", "vault.3  D/X  gone 41"])
def test_no_all_clear_beside_a_line_that_nobody_read(stray: str) -> None:
    assert report(HEALTHY_TABLE)["verdict"]["form"] == "healthy"
    found = report(f"{HEALTHY_TABLE}{stray}\n{stray} 9\n")
    assert found["verdict"]["form"] == "not_judged", found["verdict"]
    [file] = found["inputs"]
    assert [(one["first_line"], one["last_line"]) for one in file["unread"]] == [(7, 8)]


@pytest.mark.parametrize("front", ["", "cod2: "])
def test_lines_of_the_daemon_s_log_without_their_stamps(front: str) -> None:
    sick = report(f"{front}[E] Lost membership in cluster cod.lab. Unmounting file systems.\n")
    assert sick["verdict"]["severity"] == "high"
    calm = report(f"{front}[I] Command: mmmount nest\n{front}[N] mmfsd ready\n")
    assert calm["verdict"]["severity"] == "info"


@pytest.mark.parametrize(
    ("down", "up"),
    [
        (
            "corosync[9]: [KNET  ] link: host: 2 link: 1 is down",
            "corosync[9]: [KNET  ] rx: host: 2 link: 1 is up",
        ),
        (
            "corosync[9]: [KNET  ] link: host: 2 link: 0 is down",
            "corosync[9]: [KNET  ] link: host: 2 link: 0 is up",
        ),
    ],
)
def test_a_link_of_corosync_that_is_up_again_is_over(down: str, up: str) -> None:
    def severity(*lines: str) -> str:
        text = "".join(f"Apr  2 03:11:{20 + 2 * at} moth3 {line}\n" for at, line in enumerate(lines))
        report = json.loads(text_on(bundle(text.encode(), "messages")))
        return str(report["verdict"]["severity"])

    assert severity(down) == "medium"
    assert severity(down, up) in ("info", "low")
    assert severity(down, up, down) == "medium"


FULL = (
    "vxfs: msgcnt 11 mesg 001: V-2-1: vx_nospace - /dev/vx/dsk/reefdg/roe file system full (8 block extent)",
    "vxfs: msgcnt 13 mesg 096: V-2-96: vx_setfsflags - /dev/vx/dsk/reefdg/roe file system fullfsck flag set",
)


@pytest.mark.parametrize(
    "on_one_line",
    [
        lambda log: "cod3 | CHANGED | rc=0 | (stdout) " + log.rstrip().replace("\n", "\\n") + "\n",
        lambda log: f"cod3: {log.splitlines(keepends=True)!r}\n",
        lambda log: json.dumps({"cod3": {"cmd": "dmesg", "stdout": log}}) + "\n",
    ],
)
def test_a_log_on_one_line_hides_no_graver_alarm_behind_a_lesser_one(on_one_line: Callable[[str], str]) -> None:
    """A finding that cites the line explains one of its messages, not all."""
    log = syslog(*(f"kernel: {text}" for text in FULL))
    plain, flat = report(log), report(on_one_line(log))
    assert flat["verdict"]["title"] == plain["verdict"]["title"]
    assert {one["ref"] for one in flat["findings"]} == {one["ref"] for one in plain["findings"]}
    calm = report(on_one_line(syslog("systemd[1]: Started Session 4 of user root.", "kernel: vxfs: mounted")))
    assert calm["findings"] == []
