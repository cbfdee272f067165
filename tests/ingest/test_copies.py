"""Equal bytes are counted once, unless their paths say that they are of two nodes, moments or kernel files; and a copy
speaks for both.
"""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.files.marks import marked_findings
from apps.cases.models import Artifact, Case
from parsers.headings.paths import contradict
from tests.builders import People, make_case
from tests.ingest.material import send, tar, waiters

CONFIGFS = "sys/kernel/config/dlm/cluster"


def kept(case: Case) -> list[str]:
    rows = case.artifacts.filter(duplicate_of__isnull=True).order_by("path")
    return [path.rsplit("!", 1)[-1] for path in rows.values_list("path", flat=True)]


@pytest.mark.parametrize(
    ("members", "left"),
    [
        ({"oulu-n1/toss": b"10\n", "oulu-n2/toss": b"10\n"}, 2),
        ({"oulu-n1/toss": b"10\n", "oulu-n1/again": b"10\n"}, 1),
        ({f"{CONFIGFS}/toss_secs": b"10\n", f"{CONFIGFS}/scan_secs": b"10\n"}, 2),
        ({"vxfsstat_20270305_101500.txt": b"x\n", "vxfsstat_20270305_111500.txt": b"x\n"}, 2),
        ({"snap_20270305_101500/messages": b"x\n", "snap_20270305_111500/messages": b"x\n"}, 1),
    ],
)
def test_what_is_a_copy(client: Client, staff: People, members: dict[str, bytes], left: int) -> None:
    case = make_case(staff.team)
    client.force_login(staff.bob)
    send(client, tar(members), "snap.tgz", to=case)
    assert len(kept(case)) == left
    assert case.artifacts.count() == 2


def test_evidence_names_the_copy_whose_path_tells_the_node_and_marks_the_text_of_both(
    client: Client, staff: People
) -> None:
    case = make_case(staff.team)
    client.force_login(staff.bob)
    dump = waiters(first=900.0).replace(b"[root@oulu-n1 ~]# ", b"# ")
    send(client, tar({"a/first.txt": dump, "oulu-n1/waiters.txt": dump}), "snap.tgz", to=case)
    case.refresh_from_db()
    assert case.current_diagnosis is not None
    (finding, *_) = case.current_diagnosis.findings.all()
    assert {line["path"] for line in finding.evidence} == {"snap.tgz!oulu-n1/waiters.txt"}
    held, shown = (Artifact.objects.get(path=f"snap.tgz!{path}") for path in ("a/first.txt", "oulu-n1/waiters.txt"))
    assert {line["artifact"] for line in finding.evidence} == {shown.pk}
    assert shown.duplicate_of == held
    assert marked_findings(case, held)[0].ref == finding.ref
    assert client.get(reverse("cases:file", args=[case.key, shown.pk])).status_code == 200


def test_paths_contradict_only_where_both_tell() -> None:
    assert contradict("oulu-n1/w.txt", "oulu-n2/w.txt")
    assert not contradict("oulu-n1/w.txt", "again/w.txt")
    assert not contradict("first.tgz!oulu-n1/w.txt", "second.tgz!oulu-n1/w.txt")
