"""Scripts that collect what is missing: whole shell, safe, bounded, and read back by Lockscope itself."""

from __future__ import annotations

import os
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.diagnosis.engine.analysis import analyse, inputs_of
from apps.diagnosis.engine.core.collecting import recipes, scripts
from apps.diagnosis.engine.report import Clock
from tests.builders import People, build_case, person
from tests.diagnosis.cases import summarise
from tests.patience import HANGS_S

FORBIDDEN = (
    "mmfsadm", "sysrq", "gcore", "kill", "fsfreeze", "mmchconfig", "mmshutdown", "mmexpelnode", "-o ", "lltconfig -U",
    "hastop", "umount",
    "reboot", "mkfs", "dd ", "fsck", "vxdg", "multipath -f", "multipath -r", "dlm_tool leave", "> /proc", "> /sys",
    "tcpdump", "strace",
)  # fmt: skip
EVIL = 'x"; touch /tmp/owned; $(touch /tmp/owned)\n touch /tmp/owned #'
WAIT = "Waiting 412.5 sec since 09:12:40, monitored, thread 4101 NSDThread: for I/O completion on disk sdq"
MISSING: list[dict[str, Any]] = [
    {"what": "waiters of n7", "why": "w", "node": "n7", "commands": ["mmdiag --waiters", "mmdiag --stats"]},
    {"what": "logs", "why": "w", "node": None,
    "commands": ["/var/log/messages", "lltstat (twice, 60 s apart)", "iostat -xt 5 12"]},
    {
        "what": EVIL, "why": "w", "node": EVIL,
        "commands": [EVIL, "mmfsadm dump all", "vxtunefs -o x=1 /m", "cat /etc/shadow", "date; id", "vxtunefs /m`id`"],
    },
]  # fmt: skip


def code(text: str) -> str:
    """Without comments and messages."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#") and "echo" not in line)


@pytest.mark.parametrize("product", recipes())
def test_a_script_is_whole_bounded_and_changes_nothing(product: str, tmp_path: Path) -> None:
    [script] = scripts([product], MISSING)
    path = tmp_path / "collect.sh"
    path.write_text(script.text)
    assert subprocess.run(["bash", "-n", path], check=False).returncode == 0
    for word in FORBIDDEN:
        assert word not in code(script.text).replace("-eo ", ""), word
    assert f"{script.samples} samples" in script.text
    assert re.search(r"It takes about \d+ min and only reads", script.text)
    assert script.seconds < 15 * 60
    assert "while true" not in script.text
    assert "timeout -k 5" in script.text


def test_what_is_missing_is_requested_and_the_rest_left_to_people() -> None:
    [script] = scripts(["spectrum-scale"], MISSING)
    runs = [line.split(" ", 2)[2] for line in script.text.splitlines() if line.startswith("run asked-")]
    assert runs == [
        "mmdiag --waiters",
        "mmdiag --stats",
        "tail -n 20000 /var/log/messages",
        "lltstat",
        "iostat -xt 5 12",
    ]
    assert "#   mmfsadm dump all" in script.text
    assert "above all n7" in script.text
    assert script.nodes[0] == "n7"


def test_storage_alone_has_a_script_and_beside_a_product_none() -> None:
    assert [one.product for one in scripts(["storage"], ())] == ["storage"]
    assert [one.product for one in scripts(["gfs2", "storage"], ())] == ["gfs2"]
    assert scripts(["unknown"], ()) == []


def test_it_runs_and_lockscope_reads_what_it_brings(tmp_path: Path) -> None:
    [script] = scripts(["spectrum-scale"], MISSING)
    tools = tmp_path / "bin"
    tools.mkdir()
    answers = {
        "mmdiag": f"cat <<END\n\n=== mmdiag: waiters ===\n{WAIT}\nEND",
        "sleep": 'echo "$1" >> "$TMPDIR/slept"',
        "uname": "echo oulu-n9",
        "iostat": "sleep 0",
    }
    for name, answer in answers.items():
        (tools / name).write_text(f"#!/bin/bash\n{answer}\n")
        (tools / name).chmod(0o755)
    path = tmp_path / "collect.sh"
    path.write_text(script.text)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    env = {"PATH": f"{tools}:{os.environ['PATH']}", "TMPDIR": str(scratch)}
    done = subprocess.run(["bash", path], check=False, capture_output=True, text=True, env=env, timeout=HANGS_S)
    assert done.returncode == 0, done.stderr
    [archive] = scratch.glob("lockscope-oulu-n9-*.tar.gz")
    assert str(archive) in done.stdout
    assert not Path("/tmp/owned").exists()
    with tarfile.open(archive) as packed:
        [name] = [one for one in packed.getnames() if one.endswith("/waiters.txt")]
        text = packed.extractfile(name)
        assert text is not None
        assert text.read().count(b"NSDThread") == script.samples
    assert (scratch / "slept").read_text().split().count("20") == script.samples - 1
    report = analyse(list(inputs_of([str(archive)])), tmp_path / "facts", clock=Clock())
    assert [node.name for node in report.diagnosis.nodes] == ["oulu-n9"]
    assert sum(kind.count for kind in report.diagnosis.kinds) >= script.samples


@pytest.mark.django_db
def test_who_may_take_it(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    summarise(built.diagnosis, missing=MISSING)
    url = reverse("diagnosis:collect", args=[built.case.key, "spectrum-scale"])
    client.logout()
    assert client.get(url).status_code == 302
    for user in (folk.alice, folk.bob, person("vera", folk.team, Role.VIEWER)):
        client.force_login(user)
        answer = client.get(url)
        assert answer.status_code == 200
        assert answer["Content-Disposition"].startswith("attachment")
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer.content.decode().startswith("#!/bin/bash")
    assert client.get(reverse("diagnosis:collect", args=[built.case.key, "gfs2"])).status_code == 404
    client.force_login(folk.charlie)
    assert client.get(url).status_code == 404


@pytest.mark.django_db
def test_the_case_page_offers_it_and_names_stay_text(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    summarise(built.diagnosis, missing=MISSING)
    client.force_login(folk.bob)
    page = client.get(reverse("diagnosis:timeline", args=[built.case.key])).content.decode()
    assert reverse("diagnosis:collect", args=[built.case.key, "spectrum-scale"]) in page
    assert 'data-copy-from="collect-spectrum-scale"' in page
    assert "5 samples" in page
    assert '"; touch' not in page
