"""Which node printed a stretch of text, told by headings that are only its name and by what the node says of itself."""

from __future__ import annotations

import time

import pytest

from parsers.headings.node_banners import NodeBanners, asks_for_host, looks_like_host
from parsers.headings.node_sets import nodes_meant
from parsers.headings.paths import suggested_node
from parsers.records import Section, Version
from parsers.records.states import Membership
from parsers.records.waits import Stack
from tests.parsers.golden import Reading

GAB = (
    "GAB Port Membershipships\n===============================================================\nPort a gen   "
    "a3e601 membership 01\n"
)


def nodes(text: str, path: str = "") -> list[str | None]:
    reading = Reading(text, path=path)
    assert reading.adds_up
    assert reading.result.not_understood == 0
    return [row.node for row in reading.of(Membership)]


@pytest.mark.parametrize(
    "heading",
    [
        "### {} ###",
        "==== {} ====",
        "*** {} ***",
        "---- {}",
        "[{}]",
        "{}:",
        "------------\n{}\n------------",
        "==> {}/gab.out <==",
        "==> /tmp/{}/gab.out <==",
        "  ##### {}: #####",
    ],
)
def test_headings_that_differ_in_the_number_only_name_nodes(heading: str) -> None:
    names = ["carp-a01", "carp-a02", "carp-a03.example.net"]
    assert nodes("".join(f"{heading.format(name)}\n{GAB}" for name in names)) == names


def test_a_heading_names_a_node_of_which_the_text_speaks_elsewhere() -> None:
    assert nodes(
        f"[root@pike ~]# uptime\n### pike ###\n{GAB}=== tench ===\n{GAB}Linux tench 5.14.0-70.el9.x86_64 #1 SMP\n"
    ) == [
        "pike",
        "tench",
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "### waiters ###",
        "=== scratch1 ===",
        "=== pass2 ===",
        "[section1]",
        "eth0:",
        "--- vxfsstat.out1.txt ---",
        "=== 10 ===",
        "*** note ***",
    ],
)
def test_other_words_between_marks_are_no_nodes(heading: str) -> None:
    other = heading.replace("1", "7").replace("2", "8")
    assert {row.node for row in Reading(f"{heading}\n{GAB}{other}\n{GAB}").of(Membership)} == {None}


def test_a_file_system_of_which_the_text_shows_a_path_is_no_node() -> None:
    text = "".join(f"=== work-{n}a ===\n{GAB}/dev/work-{n}a on /work-{n}a type gfs2\n" for n in (1, 2))
    assert {row.node for row in Reading(text).of(Membership)} == {None}
    for text in (f"=== waiters ===\n{GAB}  12 waiters are shown\n", f"=== inode ===\n{GAB}G: s:UN n:2/60 (inode)\n"):
        assert {row.node for row in Reading(text).of(Membership)} == {None}


def test_output_of_several_nodes_at_once_is_of_them_together() -> None:
    text = f"------------\ncarp1\n------------\n{GAB}------------\ncarp[2-3]\n------------\n{GAB}"
    assert nodes(text) == ["carp1", "carp[2-3]"]


@pytest.mark.parametrize(
    "text",
    [
        f"# hostname\ncarp\n# gabconfig -a\n{GAB}",
        f"# hostname; date; gabconfig -a\ncarp\nTue Mar  5 10:00:00 CET 2024\n{GAB}",
        f"# uname -n\ncarp\n{GAB}",
        (
            "# uname -a\nLinux carp 5.14.0-70.13.1.el9_0.x86_64 #1 SMP PREEMPT Thu Apr 14 12:42:38 EDT 2022 "
            f"x86_64\n# gabconfig -a\n{GAB}"
        ),
        (
            "LLT node information:\n    Node                 State    Links\n   * 0 carp            OPEN     "
            f"      2\n# gabconfig -a\n{GAB}"
        ),
    ],
)
def test_what_the_node_says_of_itself_holds_for_what_follows(text: str) -> None:
    assert nodes(text)[-1] == "carp"
    assert nodes(text, path="pike7/gab.txt")[-1] == "carp"  # and goes before what the path suggests
    assert (
        nodes(f"[root@tench ~]# date\n{text.replace('# ', '[root@tench ~]# ', 1) if text.startswith('#') else text}")[
            -1
        ]
        == "tench"
    )


@pytest.mark.parametrize(
    ("path", "understood"), [("sos/etc/hostname", 1), ("sos.tar!sos_commands/host/hostname", 1), ("sos/notes", 0)]
)
def test_a_file_called_hostname_holds_the_name_of_the_node(path: str, understood: int) -> None:
    assert Reading("elm-2.example.org\n", path=path).result.understood == understood


def test_a_name_on_the_first_line_above_output() -> None:
    assert nodes(f"carp-7\nWed Nov  6 14:10:01 EST 2024\n{GAB}") == ["carp-7"]
    assert Reading(f"carp-7\nsome words\n{GAB}").of(Membership)[0].node is None


def test_a_table_of_another_host_below_a_prompt_keeps_the_name_of_the_tool() -> None:
    head = "Linux 3.10.0-1062.el7.x86_64 ({}) \t11/30/2021 \t_x86_64_\t(1 CPU)\n\n"
    table = "Device:   tps   kB_read/s   kB_wrtn/s   kB_read   kB_wrtn\nsda  1.0 2.0 3.0 4 5\n"
    for host, node in (("localhost.localdomain", "carp"), ("tench", "tench")):
        sections = Reading(f"[root@carp ~]# iostat\n{head.format(host)}{table}").of(Section)
        assert [row.node for row in sections] == [node]


@pytest.mark.parametrize(
    ("line", "node", "version"),
    [
        (
            "Linux carp1.example.net 4.18.0-372.9.1.el8.x86_64 #1 SMP Tue May 10 14:48:47 UTC 2022 x86_64",
            "carp1.example.net",
            "4.18.0-372.9.1.el8.x86_64",
        ),
        ("SunOS carp2 5.11 11.4.32.88.3 sun4v sparc sun4v", "carp2", "SunOS 5.11 11.4.32.88.3"),
        ("AIX carp3 2 7 00F9C0D24C00", "carp3", "AIX 7.2"),
        ("HP-UX carp4 B.11.31 U ia64 1234567890 unlimited-user license", "carp4", "HP-UX B.11.31"),
        ("Linux localhost 5.14.0-70.el9.x86_64 #1 SMP", None, "5.14.0-70.el9.x86_64"),
    ],
)
def test_the_system_of_a_node(line: str, node: str | None, version: str) -> None:
    assert [(row.node, row.product, row.version) for row in Reading(f"{line}\n").of(Version)] == [
        (node, "kernel", version)
    ]


def test_names_of_hosts_and_of_other_things() -> None:
    assert all(map(looks_like_host, ("carp1", "db-01", "a.b.example", "ora-rac2.lab.example")))
    assert not any(map(looks_like_host, ("eth0", "dm-3", "carp", "gab.out", "messages.1", "lv01", "fs1", "x1")))
    assert all(
        map(
            asks_for_host,
            ("hostname", "date; hostname -f", "for i in 1; do hostname; date; done", "/bin/hostname && date"),
        )
    )
    assert not any(map(asks_for_host, ("hostnamectl", "grep hostname x", "echo hostname", "hostname -i", "uname -a")))


def test_hostile_text_takes_linear_time() -> None:
    began = time.process_time()
    for part in ("a1:\n", "=a1=\n", "=", "a-", "[a1]\n", "-----\na1\n", "a1 ", "##a1.", "(a1", "@a1"):
        text = part * (250_000 // len(part))
        banners = NodeBanners(text)
        banners.host_of(text)
        banners.fenced(text, text)
        NodeBanners("".join(f"== a{n} ==\n@a{n}" for n in range(20_000)))
    assert time.process_time() - began < 30.0


DUMP = (
    "G:  s:EX n:2/6a10 f:Iqob t:EX d:EX/0 a:0 v:0 r:3 m:200\n H: s:EX f:H e:0 p:410 [smbd] "
    "gfs2_unlink+0x7e/0x250 [gfs2]\n"
)


def printed_on(text: str) -> list[str | None]:
    return [row.node for row in Reading(text).of(Section) if row.format != "unknown"]


@pytest.mark.parametrize(
    "heading",
    [
        "{}:",
        "=== {} ===",
        "### node {}",
        "{}: glocks",
        "===== node {n} {}: glocks (a:b) =====",
        "Node : {}",
        "host {}:",
        "--- {} ---",
        "[{}]",
        "glocks on {}:",
        "** {} **\n# cat /sys/kernel/debug/gfs2/a:b/glocks",
    ],
)
@pytest.mark.parametrize("names", [("larch", "maple"), ("web-a", "web-b"), ("ORACLE", "prodsrv.example.net")])
def test_the_word_that_changes_above_each_dump_is_its_node(heading: str, names: tuple[str, str]) -> None:
    text = "".join(heading.format(name, n=number) + f"\n{DUMP}" for number, name in enumerate(names, 1))
    assert printed_on(text) == list(names)


@pytest.mark.parametrize(
    "words", [("before", "after"), ("first", "second"), ("run 1", "run 2"), ("monday", "tuesday"), ("home", "data")]
)
def test_a_word_that_tells_a_moment_or_an_object_is_no_node(words: tuple[str, str]) -> None:
    assert set(printed_on("".join(f"=== {word} ===\n{DUMP}" for word in words))) == {None}


def test_a_changing_word_with_a_colon_inside_the_output_of_a_command_is_no_node() -> None:
    assert set(printed_on(f"carp# cat dumps\nlarch:\n{DUMP}maple:\n{DUMP}")) == {"carp"}


@pytest.mark.parametrize(
    "line",
    [
        "larch: gabconfig -a",
        "*** gabconfig -a (larch) ***",
        "--- larch --- gabconfig -a",
        "{larch:root}/> gabconfig -a",
        "[2025-01-02 10:00:01] larch gabconfig -a",
        "### host larch",
        "❯ vagrant ssh larch -c 'sudo gabconfig -a'",
        "[larch]$ gabconfig -a",
        "kubectl exec larch -- gabconfig -a",
        "> ssh larch 'sudo gabconfig -a'",
        "┌──(root㉿larch)-[~]\n└─# gabconfig -a",
        "root@larch:~\n$ gabconfig -a",
        "[root@larch ~]\n# gabconfig -a",
        "== gabconfig -a @ larch ==",
        "lxc exec larch -- gabconfig -a",
        "larch | CHANGED | rc=0 >>",
        "[root@larch ~]# date\nTue Mar  5 10:00:00 CET 2024\n-bash-4.2$ sudo gabconfig -a",
    ],
)
def test_what_stands_beside_a_command_tells_its_node(line: str) -> None:
    assert nodes(f"{line}\n{GAB}")[-1] == "larch"


@pytest.mark.parametrize(
    "line", ["Output: gabconfig -a", "Command: gabconfig -a", "after: gabconfig -a", "*** gabconfig -a (again) ***"]
)
def test_other_words_beside_a_command_are_no_nodes(line: str) -> None:
    assert printed_on(f"{line}\n{GAB}") == [None]


def test_the_starred_row_goes_before_the_number_in_a_heading() -> None:
    rows = (
        "LLT node information:\n    Node      State    Links\n   {} 0 elm         OPEN        2\n   {} 1 oak "
        "        OPEN        2\n"
    )
    text = f"Node 1\n\n# lltstat -n\n{rows.format('*', ' ')}\nNode 2\n\n# lltstat -n\n{rows.format(' ', '*')}"
    assert printed_on(text) == ["elm", "oak"]


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("This morning we saw on carp07:", "carp07"),
        ("gabconfig from node larch:", "larch"),
        ("Auf dem Rechner larch2 sieht man:", "larch2"),
        ("Sur le noeud tench :", "tench"),
        ("Depuis ce matin sur le serveur calcul-03 :", "calcul-03"),
        ("Esto dice el servidor en el nodo tench:", "tench"),
        ("Here is what it says on 10.7.0.12 (pike3):", "pike3"),
        ("And the same on pike3.example.net (10.7.0.12):\n", "pike3.example.net"),
    ],
)
def test_a_sentence_above_an_output_tells_its_node(sentence: str, name: str) -> None:
    assert nodes(f"{sentence}\n\n{GAB}") == [name]


@pytest.mark.parametrize(
    "sentence",
    [
        "We lost the file system on volume01 since Monday:",
        "GAB membership on both nodes:",
        "Output from carp1 or from carp2:",
        "The memberships of cluster prod at 10:20:",
        "This morning we saw on carp07 nothing at all.",
        "After starting it on the second node too:",
        "The same from the other node again:",
        "Here is a list of node classes on our cluster:",
        "Membership of host groups, as it was:",
        "Since Monday every ls hangs. No node was fenced. The status looks like this:",
        "No host is missing in the list:",
        "Kein Knoten ist weg, und trotzdem sehen wir:",
        "and on the node of the other cluster:",
        "Seen on the server in the second room:",
        "Auf dem Knoten mit dem Fehler steht:",
    ],
)
def test_a_sentence_that_names_no_host_or_two_leaves_it_open(sentence: str) -> None:
    assert nodes(f"{sentence}\n\n{GAB}") == [None]


@pytest.mark.parametrize("options", ["", "-i keys/one ", "-t -o ConnectTimeout=5 ", "ada@"])
def test_the_host_of_an_ssh_is_a_node_and_what_it_runs_there_is_none(options: str) -> None:
    text = "# ssh {}larch 'sudo gab status'\n\nstatus:\n" + GAB + "\nlarch:\n" + GAB
    found = {row.node for row in Reading(text.format(options)).of(Membership)}
    assert "larch" in found
    assert "status" not in found


@pytest.mark.parametrize(
    "heading",
    [
        "---------------\n{}\n---------------",
        "## {}\n\n```",
        "**{}**\n",
        "$ oc debug node/{} -- chroot /host gabconfig -a",
        "$ kubectl debug node/{} -it --image=tools -- chroot /host gabconfig -a",
        "node {}: gab ports",
        "# hostname\n{}\n# gabconfig -a",
    ],
)
@pytest.mark.parametrize("names", [["maple", "larch"], ["ceda", "pine", "oak"]])
def test_names_that_are_words_name_nodes_above_outputs_of_one_sort(heading: str, names: list[str]) -> None:
    assert nodes("".join(f"{heading.format(name)}\n{GAB}" for name in names)) == names


@pytest.mark.parametrize("heading", ["Status", "Summary", "waiters", "Version"])
def test_words_of_tools_between_rules_name_no_node(heading: str) -> None:
    text = "".join(f"-----------\n{word}\n-----------\n{GAB}" for word in (heading, "Other"))
    assert {row.node for row in Reading(text).of(Membership)} == {None}


@pytest.mark.parametrize("folded", ["n[1-2,4] (3)", "n[1-2],n4", "n[1-2]"])
def test_an_output_of_several_nodes_at_once_is_of_their_common_name(folded: str) -> None:
    rule = "---------------"
    together = folded.partition(" ")[0]
    assert nodes(f"{rule}\n{folded}\n{rule}\n{GAB}{rule}\nn3\n{rule}\n{GAB}") == [together, "n3"]


def test_a_common_name_between_rules_is_known_without_its_number_and_above_whatever_stands_below() -> None:
    rule = "----------------"
    text = f"{rule}\nn[1-2]\n{rule}\nno such file\n{rule}\nn[3,5]\n{rule}\n{GAB}"
    assert [row.node for row in Reading(text).of(Membership)] == ["n[3,5]"]
    long = f"n[{','.join(map(str, range(1, 60, 2)))}]"
    assert nodes(f"{rule}\n{long}\n{rule}\n{GAB}") == [None]


@pytest.mark.parametrize(
    ("name", "count"), [("carp1", 1), ("n[01-16]", 16), ("n[1-2,4],m[07-08]", 5), ("a1,a2", 2), ("n[9-3]", 1)]
)
def test_a_common_name_says_how_many_nodes_it_means(name: str, count: int) -> None:
    assert nodes_meant(name) == count


def test_plain_words_in_front_of_the_same_lines_name_nodes() -> None:
    both = "".join(f"{name}: {line}\n" for line in GAB.splitlines() for name in ("maple", "larch"))
    assert sorted(map(str, nodes(both))) == ["larch", "maple"]
    one = "".join(f"Output: {line}\n" for line in GAB.splitlines())
    assert nodes(one) == [None]


def test_a_path_of_windows_names_its_folders() -> None:
    assert suggested_node("C:\\case\\ceda7\\vmstat.txt") == suggested_node("case/ceda7/vmstat.txt") == "ceda7"


def test_steps_of_a_path_through_the_kernel_name_no_node() -> None:
    frames = " [<c008fd44>] schedule+0x94/0xf0\n [<c0090d40>] mutex_lock+0xf0/0x114\n\n"
    text = f"-> #1 (reg_mutex){{+.+.}}-{{3:3}}:\n{frames}-> #0 (rtnl_lock){{+.+.}}-{{3:3}}:\n{frames}"
    assert {row.node for row in Reading(text).of(Stack)} == {None}


@pytest.mark.parametrize("heading", ["host={}", "Host: {}.localdomain", "Server: {}", "From host {}:"])
def test_a_host_that_calls_itself_local_is_no_node(heading: str) -> None:
    assert nodes(f"{heading.format('localhost')}\n{GAB}") == [None]
    assert nodes(f"{heading.format('larch4')}\n{GAB}") != [None]


@pytest.mark.parametrize(
    ("heading", "node"),
    [
        ("node01:", "node01"),
        ("Host: node007", "node007"),
        ("node4", "node4"),
        ("Node 01:", "node1"),
        ("On node 3", "node3"),
    ],
)
def test_a_number_that_is_glued_to_the_word_is_part_of_a_name(heading: str, node: str) -> None:
    assert nodes(f"{heading}\n\n{GAB}") == [node]


def test_a_program_whose_name_holds_a_number_is_no_node() -> None:
    assert nodes(f"The output of the db2instance -list command is in the following example:\n{GAB}") == [None]
    assert nodes(f"The output of carp7 is in the following example:\n{GAB}") == ["carp7"]
