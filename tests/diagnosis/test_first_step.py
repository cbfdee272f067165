"""What to do first beside the verdict, and the reply to the customer."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from apps.diagnosis.engine.core.words.steps import step_texts
from apps.diagnosis.models import Tuning
from apps.diagnosis.pages.first_step import briefly, first_step, names, only_looks
from apps.diagnosis.pages.reply import reply_text
from apps.diagnosis.values import findings_of
from apps.sharing.masked import masked_diagnosis
from tests.builders import Built, People, build_case, make_case
from tests.diagnosis.cases import read_into, summarise
from tests.ingest.material import bundle, tar, waiters


@pytest.fixture
def real(folk: People, client: Client) -> Case:
    case = make_case(folk.team)
    read_into(case, bundle())
    client.force_login(folk.bob)
    return case


@pytest.fixture
def built(folk: People) -> Built:
    return build_case(folk.team)


@pytest.mark.parametrize(
    "command",
    [
        "echo t > /proc/sysrq-trigger", "dd if=/dev/zero of=/dev/sdx", "sysctl -w vm.drop_caches=3",
        "pcs stonith fence n1",
        "pcs resource cleanup fs", "systemctl restart pacemaker", "mount -o remount,noatime /srv",
        "vxtunefs -o read_ahead=1 /m",
        "mmchconfig pagepool=4G", "stonith_admin --reboot n2", "kill -9 17", "journalctl | tee /tmp/x", "umount /srv",
    ],
)  # fmt: skip
def test_what_changes_a_node_is_no_first_step(command: str) -> None:
    assert not only_looks(command)


@pytest.mark.parametrize(
    "command",
    [
        "mmdiag --waiters", "pcs stonith status", "stonith_admin --history '*' --verbose", "dlm_tool ls -n", "mount -v",
        "systemctl status corosync", "ss -tan '( sport = :21064 or dport = :21064 )'", "multipath -ll 2>/dev/null",
        "sysctl vm.dirty_ratio", "cat /sys/kernel/debug/gfs2/*/glocks", "ps -eo pid,stat,wchan:32,etime,args",
        "hastatus -sum", "journalctl -k --since -2h",
    ],
)  # fmt: skip
def test_what_only_reads_may_be_the_first_step(command: str) -> None:
    assert only_looks(command)


def test_each_step_of_the_knowledge_has_a_command_that_only_looks() -> None:
    for key, text in step_texts("steps").items():
        assert not text.commands or any(only_looks(command) for command in text.commands), key


@pytest.mark.django_db
def test_the_first_safe_command_is_taken_and_its_load_stated(built: Built) -> None:
    steps = [
        {"why": "reset it", "commands": ["pcs stonith fence n1"]},
        {"why": "find the name", "commands": ["mount -o remount /m", "find /m -xdev -inum 7"]},
    ]
    found = first_step(summarise(built.diagnosis, next_steps=steps, missing=[]))
    assert found is not None
    assert (found.what, found.command) == ("Find the name.", "find /m -xdev -inum 7")
    assert "Reads much" in found.risk
    missing = [{"what": "waiters of n2", "why": "none", "node": "n2", "commands": ["mmdiag --waiters"]}]
    collected = first_step(summarise(built.diagnosis, next_steps=steps[:1], missing=missing))
    assert collected is not None
    assert (collected.what, collected.where) == ("Collect waiters of n2.", "n2")
    assert first_step(summarise(built.diagnosis, next_steps=[], missing=[])) is None


@pytest.mark.django_db
def test_a_step_is_done_where_it_says(built: Built) -> None:
    steps = [{"why": "Check disk sdq on io.4 (9 waits behind it)", "commands": ["iostat -x"]}]
    nodes: list[dict[str, object]] = [{"name": name, "aliases": []} for name in ("io.4", "io", "disk2", "lund-n3")]
    found = first_step(summarise(built.diagnosis, next_steps=steps, nodes=nodes))
    assert found is not None
    assert found.where == "io.4"


@pytest.mark.django_db
def test_findings_are_requested_once_however_many_steps_there_are(
    built: Built, django_assert_num_queries: Callable[[int], AbstractContextManager[object]]
) -> None:
    steps = [{"why": f"Look at n{number}", "commands": ["iostat -x"]} for number in range(20)]
    summarised = summarise(built.diagnosis, next_steps=steps)
    with django_assert_num_queries(1):
        assert first_step(summarised) is not None


@pytest.mark.django_db
def test_a_step_on_nodes_of_the_verdict_goes_before_one_elsewhere(built: Built) -> None:
    diagnosis = built.diagnosis
    here = next(one for one in diagnosis.findings.all() if one.ref == diagnosis.verdict_ref).nodes
    assert here
    names_known = [{"name": name} for name in (*here, "elsewhere9")]
    other = {"why": "on elsewhere9: look at its disk", "commands": ["iostat -x"]}
    own = {"why": f"on {here[0]}: look at its waiters", "commands": ["mmdiag --waiters"]}
    both = first_step(summarise(diagnosis, next_steps=[other, own], missing=[], nodes=names_known))
    assert both is not None
    assert both.command == "mmdiag --waiters"
    alone = first_step(summarise(diagnosis, next_steps=[other], missing=[], nodes=names_known))
    assert alone is not None
    assert (alone.command, alone.against) == ("iostat -x", "")


@pytest.mark.django_db
def test_what_is_to_be_collected_is_collected_where_it_says(built: Built) -> None:
    diagnosis = built.diagnosis
    here = next(one for one in diagnosis.findings.all() if one.ref == diagnosis.verdict_ref).nodes
    known = [{"name": name} for name in (*here, "elsewhere9")]
    other = {"what": "on elsewhere9: its waiters", "node": None, "commands": ["mmdiag --waiters"]}
    found = first_step(summarise(diagnosis, next_steps=[], missing=[other], nodes=known))
    assert found is not None
    assert (found.where, found.against) == ("elsewhere9", "")
    own = {"what": "its logs", "node": here[0], "commands": ["dmesg -T"]}
    both = first_step(summarise(diagnosis, next_steps=[], missing=[other, own], nodes=known))
    assert both is not None
    assert (both.command, both.where) == ("dmesg -T", here[0])


@pytest.mark.django_db
def test_a_node_that_only_another_finding_names_is_the_place_of_its_step(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = findings_of(built.diagnosis)
    there = replace(known[-1], ref="SC-03", nodes=["elsewhere9"])
    monkeypatch.setattr("apps.diagnosis.pages.first_step.findings_of", lambda _: [*known, there])
    step = {"why": "Collect on elsewhere9: no waiter of it is here", "commands": ["mmdiag --waiters"]}
    found = first_step(summarise(built.diagnosis, next_steps=[step], missing=[], nodes=[]))
    assert found is not None
    assert (found.where, found.against) == ("elsewhere9", "")


def test_many_nodes_are_counted() -> None:
    assert names([f"n{n}" for n in range(200)]) == "n0, n1, n2 and 197 more"
    assert names(["a", "b", "c"]) == "a, b, c"


@pytest.mark.django_db
def test_the_reply_has_cause_proof_action_and_no_more_than_two_lines_of_proof(real: Case) -> None:
    diagnosis = real.current_diagnosis
    assert diagnosis is not None
    text = reply_text(diagnosis)
    assert text.startswith(f"Cause: {diagnosis.verdict_title}")
    proof = text.split("Proof:\n")[1].split("\n\n")[0].splitlines()
    assert len(proof) in {2, 4}
    assert re.search(r"waiters\.txt, line \d+:", proof[0])
    assert "Do this first: " in text
    assert "confidence" not in text.lower()


@pytest.mark.django_db
def test_a_healthy_case_gets_a_result_and_no_action(folk: People) -> None:
    case = make_case(folk.team)
    row = (
        b"Waiting 0.0112 sec since 09:13:39, monitored, thread 4100 FileBlockRandomWriteFetchHandlerThread: "
        b"for I/O completion\n"
    )
    diagnosis = read_into(case, tar({"n/w": waiters(lines=0) + row}))
    text = reply_text(diagnosis)
    assert text.startswith("Result: Nothing wrong found")
    assert "Do this first" not in text


@pytest.mark.django_db
def test_no_step_is_called_needed_only_where_nothing_was_found(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    calm, found = make_case(folk.team), build_case(folk.team)
    read_into(calm, tar({"n/w": waiters(lines=0)}))
    pages = [
        " ".join(client.get(reverse("diagnosis:timeline", args=[case.key])).content.decode().split())
        for case in (calm, found.case)
    ]
    assert ["No step is needed" in page for page in pages] == [True, False]
    assert ["No command that only looks fits this finding" in page for page in pages] == [False, True]


@pytest.mark.django_db
def test_page_reports_and_masked_reply(client: Client, real: Case) -> None:
    diagnosis = real.current_diagnosis
    assert diagnosis is not None
    page = client.get(reverse("diagnosis:timeline", args=[real.key])).content.decode()
    proof = page[page.index('id="proof"') : page.index('id="do-first"')]
    assert re.search(r'href="[^"]*/files/\d+/\?line=\d+#L\d+"', proof)
    assert 'href="#finding-1"' in proof
    assert page.index('id="do-first"') < page.index('id="findings-title"')
    assert "Copy reply" in page
    assert "In short" in client.get(reverse("diagnosis:report", args=[real.key])).content.decode()
    assert "In short" in client.get(reverse("diagnosis:report", args=[real.key]), {"whole": 1}).content.decode()
    markdown = client.get(reverse("diagnosis:export_markdown", args=[real.key])).content.decode()
    assert markdown.index("## In short") < markdown.index("## Findings")
    masked = client.get(reverse("sharing:reply", args=[real.key]))
    assert masked["Content-Type"].startswith("text/plain")
    assert "oulu" in reply_text(diagnosis)
    assert "oulu" not in masked.content.decode()


@pytest.mark.django_db
def test_tunings_that_do_not_apply_are_folded_away(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.bob)
    fields = {
        "current": None, "current_at": None, "recommended": "1", "commands": ["x"], "persist": "", "caution": "",
        "way_back": "",
        "verify": "", "since": "", "why": "", "findings": [], "sources": [], "basis": "recalled", "scope": "",
    }  # fmt: skip
    built.diagnosis.tunings.all().delete()
    Tuning.objects.create(
        diagnosis=built.diagnosis,
        order=0,
        tuning_id="aside",
        parameter="aside",
        status=Tuning.Status.NOT_APPLICABLE,
        **fields,
    )
    page = client.get(reverse("diagnosis:timeline", args=[built.case.key])).content.decode()
    assert "No tuning applies to this cause." in page
    assert "1 tuning not applicable here" in page
    assert page.index("1 tuning not applicable here") < page.index('id="tuning-aside"')


@pytest.mark.django_db
def test_the_masked_reply_and_the_reply_of_a_link_ask_for_the_same(client: Client, real: Case) -> None:
    assert real.current_diagnosis is not None
    node = real.current_diagnosis.summary["nodes"][0]["name"]
    missing = [
        {"what": f"the waiters of {node}", "why": "no dump of it", "node": node, "commands": ["mmdiag --waiters"]}
    ]
    diagnosis = summarise(real.current_diagnosis, missing=missing)
    assert f"- the waiters of {node}: mmdiag --waiters" in reply_text(diagnosis)
    masked = client.get(reverse("sharing:reply", args=[real.key])).content.decode()
    assert re.search(r"What we need next:\n  - the waiters of \S+: mmdiag --waiters", masked)
    assert node not in masked
    copy = masked_diagnosis(Case.objects.get(pk=real.pk))
    assert copy is not None
    of_link = reply_text(copy, is_outside=True)
    assert re.search(r"What we need next:\n  - the waiters of \S+: mmdiag --waiters", of_link)
    assert node not in of_link


@pytest.mark.django_db
@pytest.mark.parametrize("is_named", [True, False])
def test_a_step_of_the_verdict_s_finding_goes_before_one_that_names_its_nodes(built: Built, *, is_named: bool) -> None:
    diagnosis = built.diagnosis
    cause = next(one for one in findings_of(diagnosis) if one.ref == diagnosis.verdict_ref)
    other = {"why": f"On {cause.nodes[0]}: look at its disk", "commands": ["iostat -x"], "about": ["XX-01"]}
    about = [cause.title] if is_named else [cause.ref]
    own = {"why": "Take the stacks of the circle", "commands": ["ps -eo pid,stat"], "about": about}
    known = [{"name": name, "aliases": []} for name in cause.nodes]
    found = first_step(summarise(diagnosis, next_steps=[other, own], missing=[], nodes=known))
    assert found is not None
    assert (found.command, found.where, found.against) == ("ps -eo pid,stat", names(cause.nodes), cause.disproved_by)
    alone = first_step(summarise(diagnosis, next_steps=[other], missing=[], nodes=known))
    assert alone is not None
    assert (alone.where, alone.against) == (cause.nodes[0], ""), "of another finding, so without the doubt of this one"


@pytest.mark.django_db
def test_words_alone_are_a_first_step_and_the_year_of_a_log_is_none(built: Built, client: Client, folk: People) -> None:
    diagnosis = built.diagnosis
    words = {"why": "Look at adapter and switch", "commands": [], "about": [diagnosis.verdict_ref]}
    found = first_step(summarise(diagnosis, next_steps=[words], missing=[]))
    assert found is not None
    assert (found.what, found.command, found.risk) == ("Look at adapter and switch.", "", "")
    client.force_login(folk.bob)
    page = client.get(reverse("diagnosis:timeline", args=[built.case.key])).content.decode()
    assert "Look at adapter and switch." in page.split('id="do-first"')[1]
    assert "Risk" not in reply_text(summarise(diagnosis, next_steps=[words], missing=[]))
    year = {"what": "the year of host/messages", "node": None, "commands": ["date"]}
    assert first_step(summarise(diagnosis, next_steps=[], missing=[year])) is None


@pytest.mark.django_db
def test_the_verdict_leads_to_the_line_that_shows_it(real: Case, client: Client) -> None:
    for page in ("diagnosis:timeline", "diagnosis:graph"):
        text = client.get(reverse(page, args=[real.key])).content.decode()
        found = re.search(r'class="verdict-title"><a href="([^"]+)">', text)
        assert found is not None, page
        assert re.fullmatch(rf"/cases/{real.key}/files/\d+/\?line=[\d-]+#L\d+", found[1]), page


@pytest.mark.django_db
def test_what_was_not_sent_is_collected_on_the_node_it_is_of(built: Built) -> None:
    ends = [{"kind": "node", "what": "172.22.9.21"}, {"kind": "disk", "what": "dm-3"}]
    step = {"why": "Collect the waiters of 172.22.9.21: no file shows them", "commands": ["mmdiag --waiters"]}
    found = first_step(summarise(built.diagnosis, next_steps=[step], missing=[], roots=ends, nodes=[]))
    assert found is not None
    assert found.where == "172.22.9.21"


CIRCLE = """G:  s:EX n:2/71a2 f:lDqob t:EX d:UN/1540000000 a:1 v:0 r:5 m:20 p:3
 H: s:EX f:H e:0 p:9120 [rsync] gfs2_glock_nq_num+0x5a/0xa0 [gfs2]
G:  s:UN n:2/71a9 f:lq t:EX d:EX/0 a:0 v:0 r:4 m:20 p:1
 H: s:EX f:W e:0 p:9120 [rsync] gfs2_rename2+0x1c9/0x8d0 [gfs2]
"""
ACROSS = """G:  s:EX n:2/71a9 f:lDqob t:EX d:UN/1538000000 a:1 v:0 r:5 m:20 p:3
 H: s:EX f:H e:0 p:7733 [smbd] gfs2_glock_nq_num+0x5a/0xa0 [gfs2]
G:  s:UN n:2/71a2 f:lq t:EX d:EX/0 a:0 v:0 r:4 m:20 p:1
 H: s:EX f:W e:0 p:7733 [smbd] gfs2_rename2+0x1c9/0x8d0 [gfs2]
"""
PANIC = "Mar  3 04:11:0{} ivy2 kernel: Kernel panic - not syncing: Fatal exception\n"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("files", "word"),
    [
        ({"wren1/glocks.txt": CIRCLE, "wren2/glocks.txt": ACROSS}, "circle"),
        ({"a/messages": PANIC.format(2)}, "crash dump"),
    ],
)
def test_the_first_step_follows_from_the_verdict(folk: People, files: dict[str, str], word: str) -> None:
    case = make_case(folk.team)
    diagnosis = read_into(case, tar({name: text.encode() for name, text in files.items()}))
    found = first_step(diagnosis)
    assert found is not None
    assert word in found.what


@pytest.mark.parametrize(
    ("text", "brief"),
    [
        ("See it on a1, a2, a3, a4, a5 and a6, and go on.", "See it on a1, a2, a3 and 3 more, and go on."),
        ("See it on a1, a2 and a3.", "See it on a1, a2 and a3."),
        ("a1 waits for a2, a3 for a4, a5 for a6.", "a1 waits for a2, a3 for a4, a5 for a6."),
    ],
)
def test_a_long_list_of_nodes_is_cut_in_the_first_step(text: str, brief: str) -> None:
    assert briefly(text, [f"a{number}" for number in range(1, 7)]) == brief
