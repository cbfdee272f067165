"""What structures a console transcript: prompts with commands, headings, banners, date lines, node names in paths."""

from __future__ import annotations

import time

import pytest

from parsers.headings.paths import node_from_path
from parsers.headings.transcript import match_mark, match_prompt, parse_command

PROGRAMS = frozenset(("vxfsstat", "lltshow", "mmdiag", "mmchdisk", "mmgetstate"))


@pytest.mark.parametrize(
    ("text", "host", "program"),
    [
        ("[root@curlew1 ~]# vxfsstat -s /srv", "curlew1", "vxfsstat"),
        ("[anna@curlew1:/srv/a b]$ ls -l", "curlew1", "ls"),
        ("curlew1:~ # xtool fabric show", "curlew1", "xtool"),
        ("curlew1:/var/log # ourtool", "curlew1", "ourtool"),
        ("[curlew1] # vxfsstat", "curlew1", "vxfsstat"),
        ("root@curlew1 /# vxfsstat -s /srv", "curlew1", "vxfsstat"),
        ("curlew1 ~# vxfsstat -s /srv", "curlew1", "vxfsstat"),
        ("anna@curlew1:~$ grep x y", "curlew1", "grep"),
        ("curlew1# vxfsstat -s /srv", "curlew1", "vxfsstat"),
        ("curlew1:/srv # vxfsstat -s /srv", "curlew1", "vxfsstat"),
        ("curlew1.example.net# date", "curlew1.example.net", "date"),
        ("# vxfsstat -s /srv", None, "vxfsstat"),
        ("~$ vxfsstat -s /srv", None, "vxfsstat"),
        ("~ # vxfsstat -s /srv", None, "vxfsstat"),
        ("/root# sudo multipath -ll", None, "multipath"),
        ("/var/log $ ls -l", None, "ls"),
        ("$ cat /proc/mounts", None, "cat"),
        ("bash-4.1# cat /proc/mounts", None, "cat"),
        ("# /opt/VRTSllt/lltshow -p 5", None, "lltshow"),
        ("# while :", None, "while"),
        ("  # vxfsstat -s /srv", None, "vxfsstat"),
        ("# glmstat -e", None, "glmstat"),
        ("[root at carp4 ~]# mmdiag --waiters", "carp4", "mmdiag"),
        ("root at carp4# mmchdisk pots start -a", "carp4", "mmchdisk"),
        ("admin at carp4:~> mmgetstate -a", "carp4", "mmgetstate"),
        ("root at carp4-ib0 ~ # mmgetstate", "carp4-ib0", "mmgetstate"),
        ("root@carp4 ~]# mmgetstate -a", "carp4", "mmgetstate"),
        ("root@ip-10-0-3-20 log]$ mmdiag --waiters", "ip-10-0-3-20", "mmdiag"),
        ("fab_a:admin> lltshow", "fab_a", "lltshow"),
        ("fab_a:FID128:root> lltshow", "fab_a", "lltshow"),
        ("Model_9:reed:superuser>mmdiag --waiters", "reed", "mmdiag"),
        ("ivy::> volume show -vserver svm_1", "ivy", "volume"),
        ("ivy::*> system node show", "ivy", "system"),
    ],
)
def test_a_prompt_names_its_host_and_command(text: str, host: str | None, program: str) -> None:
    prompt = match_prompt(text, PROGRAMS)
    assert prompt is not None
    assert (prompt.host, prompt.command.program) == (host, program)


@pytest.mark.parametrize(
    "text",
    [
        "# this is a comment of somebody",
        "anna:wrote> that it was slow",
        "std::vector<int>::> nothing",
        "::> volume show",
        "# for the limit of each user see the manual",
        "# for testing only",
        "# more about this in the manual below",
        "# find out which of the nodes is meant here",
        "# last changed by the team of the night",
        "/srv/data # of the second node",
        "~ # remark",
        "/mnt/x$ 5 per month",
        "# Note: the values are per second",
        "$ 5 per month",
        "value# remark",
        "#",
        "# ",
        "100% of it",
        "vxi_hlockgrant   5   vxi_hlockrevoke   6",
        "set-node /etc/nodename # the name",
        "Have a look at this # mmdiag",
        "[look at this page] # 3",
        "look at north # 4 is the one",
        "me at north",
        "me@north ok]# so",
        "",
    ],
)
def test_a_comment_is_no_prompt(text: str) -> None:
    assert match_prompt(text, PROGRAMS) is None


@pytest.mark.parametrize(
    ("text", "program", "args", "filters", "timed"),
    [
        (
            "vxfsstat -s /m | awk '$2 != 0 || $4 != 0 {print}'",
            "vxfsstat",
            ("-s", "/m"),
            ("awk '$2 != 0 || $4 != 0 {print}'",),
            False,
        ),
        (
            "vxfsstat -s /m | egrep 'hlock|glock' | egrep 'grant|revoke'",
            "vxfsstat",
            ("-s", "/m"),
            ("egrep 'hlock|glock'", "egrep 'grant|revoke'"),
            False,
        ),
        ("time find /m -ls | wc -l", "find", ("/m", "-ls"), ("wc -l",), True),
        ("time -p find /m", "find", ("/m",), (), True),
        ("sudo -u root vxfsstat -v /m", "vxfsstat", ("-v", "/m"), (), False),
        ("nice -n 19 timeout 600 vxfsstat -v /m", "vxfsstat", ("-v", "/m"), (), False),
        ("LC_ALL=C date", "date", (), (), False),
        ("date; lltshow -p 5 | grep xrate; sleep 5", "lltshow", ("-p", "5"), ("grep xrate",), False),
        ("while :; do date; vxfsstat -s /m; sleep 5; done", "vxfsstat", ("-s", "/m"), (), False),
        ("for i in 1 2 3; do time (find /m -ls); done", "find", ("/m", "-ls)"), (), True),
        ("cd /m && time ls -l", "ls", ("-l",), (), True),
        ("awk '{print $1; print $2}' x", "awk", ("'{print", "$1;", "print", "$2}'", "x"), (), False),
        ("vxfsstat \u2013s /m", "vxfsstat", ("-s", "/m"), (), False),
        ("date", "date", (), (), False),
        (";", "", (), (), False),
    ],
)
def test_a_command_is_taken_apart(
    text: str, program: str, args: tuple[str, ...], filters: tuple[str, ...], timed: bool
) -> None:
    command = parse_command(text)
    assert (command.program, command.args, command.filters, command.timed, command.text) == (
        program,
        args,
        filters,
        timed,
        text,
    )


def test_only_a_count_of_lines_at_the_end_counts_lines() -> None:
    assert parse_command("find /m | wc -l").counts_lines
    assert not parse_command("find /m | wc -l | tee x").counts_lines
    assert not parse_command("wc -l x").counts_lines


@pytest.mark.parametrize(
    ("text", "node", "basis"),
    [
        ("Node 0:", "node0", "ordinal"),
        ("node 12", "node12", "ordinal"),
        ("From node 0 in the CFS cluster:", "node0", "ordinal"),
        ("On node 1 in the CFS cluster, no activity yet.", "node1", "ordinal"),
        ("===== Node: curlew1 =====", "curlew1", "heading"),
        ("Hostname: curlew1.example.net", "curlew1.example.net", "heading"),
    ],
)
def test_a_heading_names_a_node(text: str, node: str, basis: str) -> None:
    mark = match_mark(text)
    assert mark is not None
    assert (mark.node, mark.basis) == (node, basis)


@pytest.mark.parametrize(
    "text",
    [
        "Node 0 has the inodes cached in memory.",
        "On node 1 it is slow. Node 0 is fast.",
        "nodes: 4",
        "",
        "Node:",
        "x" * 500,
        "On node 1 " + "a" * 80,
    ],
)
def test_a_sentence_about_a_node_is_no_heading(text: str) -> None:
    assert match_mark(text) is None


def test_banners_name_their_command() -> None:
    for text, command in (
        ("=== mmdiag: waiters ===", "mmdiag --waiters"),
        ("===== dump waiters =====", "mmfsadm dump waiters"),
    ):
        mark = match_mark(text)
        assert mark is not None
        assert mark.command == command


@pytest.mark.parametrize(
    "text",
    [
        "Tue Mar  5 10:00:00 CET 2024",
        "Date: Tue Mar  5 10:00:00 CET 2024",
        "=== Tue Mar  5 10:00:00 CET 2024 ===",
        "zzz ***Tue Mar 5 10:00:00 CET 2024",
    ],
)
def test_a_line_that_is_a_date(text: str) -> None:
    mark = match_mark(text)
    assert mark is not None
    assert mark.instant is not None
    assert mark.instant.dated


def test_a_line_with_a_date_and_more_is_no_date_line() -> None:
    assert match_mark("Tue Mar  5 10:00:00 CET 2024 mmfsd started") is None


def test_t13_hostile_text_takes_linear_time() -> None:
    began = time.process_time()
    for part in ("a", "a.", "[a@b ", "# ", "=", "node 1 ", "|", "'", ";", "&&", "1:"):
        for text in (part * 20_000, part * 20_000 + "# ls", "# ls " + part * 20_000):
            match_prompt(text, PROGRAMS)
            match_mark(text)
            node_from_path(text)
    assert time.process_time() - began < 15.0


def test_a_node_and_a_date_between_marks_open_the_output_of_that_node() -> None:
    for text in (
        "==== sf-node3 ==== Wed Jan 28 11:20:07 CET 2026",
        "### 2026-01-28 11:20:07 +01:00 sf-node3 ###",
        "=== node sf-node3 at Wed Jan 28 11:20:07 CET 2026 ===",
    ):
        mark = match_mark(text)
        assert mark is not None
        assert (mark.node, mark.instant and mark.instant.us) == ("sf-node3", 1_769_599_207_000_000), text
    for text in (
        "==== run Wed Jan 28 11:20:07 CET 2026 ====",
        "sf-node3 Wed Jan 28 11:20:07 CET 2026",
        "=== disk12 2026-01-28 11:20:07 ===",
    ):
        found = match_mark(text)
        assert found is None or found.node is None, text


@pytest.mark.parametrize("text", ["note: # this was slow", "[info] # what follows is old", "at 10:15 # twice"])
def test_a_remark_behind_a_word_is_no_prompt(text: str) -> None:
    assert match_prompt(text, PROGRAMS) is None


def test_a_prompt_may_show_the_folder_behind_a_blank() -> None:
    prompt = match_prompt("mail-gw3 ~ % uptime", frozenset())
    assert prompt is not None
    assert (prompt.host, prompt.command.program) == ("mail-gw3", "uptime")
    assert match_prompt("about 20 % uptime", frozenset()) is None
