"""Commands typed on one node and run on another: whose output it is."""

from __future__ import annotations

import time

import pytest

from parsers.headings.remote import remote
from parsers.headings.transcript import parse_command
from parsers.records import Section
from tests.parsers.golden import Reading

WAITER = "Waiting 2.3901 sec since 03:14:02, monitored, thread 9921 NSDThread: for I/O completion"


@pytest.mark.parametrize(
    ("typed", "node"),
    [
        ("ssh tarn04 mmdiag --waiters", "tarn04"),
        (
            "ssh -q -o StrictHostKeyChecking=no -p 2222 root@tarn04.lab '/usr/lpp/mmfs/bin/mmdiag --waiters | head'",
            "tarn04.lab",
        ),
        ("sudo ssh -l root tarn04 mmdiag --waiters", "tarn04"),
        ("ssh 10.1.2.3 mmdiag --waiters", "10.1.2.3"),
        ("kubectl exec -n storage -it tarn04-core -c mmfs -- mmdiag --waiters", "tarn04-core"),
        ("oc rsh -n storage tarn04-core mmdiag --waiters", "tarn04-core"),
        ("podman exec tarn04 mmdiag --waiters", "tarn04"),
        ("ssh $h mmdiag --waiters", None),
        ("for h in $(cat hosts); do ssh $h mmdiag --waiters; done", None),
        ("mmdiag --waiters", "tarn03"),
    ],
)
def test_output_belongs_to_the_node_that_the_command_ran_on(typed: str, node: str | None) -> None:
    reading = Reading(f"[root@tarn03 ~]# {typed}\n=== mmdiag: waiters ===\n{WAITER}\n")
    assert [section.node for section in reading.of(Section)] == [node]
    assert parse_command(typed).program == "mmdiag"


def test_a_bare_prompt_below_is_again_where_it_was_typed() -> None:
    text = f"[root@tarn03 ~]# ssh tarn04 mmdiag --waiters\n{WAITER}\n# mmdiag --waiters\n{WAITER}\n"
    assert [section.node for section in Reading(text).of(Section)] == ["tarn04", "tarn03"]


def test_the_words_of_a_loop_are_headings() -> None:
    typed = '[root@tarn03 ~]# for h in tarn05 tarn06.lab; do echo "== $h =="; ssh $h mmdiag --waiters; done'
    banner = "=== mmdiag: waiters ==="
    text = f"{typed}\n== tarn05 ==\n\n{banner}\n{WAITER}\n== tarn06.lab ==\n\n{banner}\n{WAITER}\n"
    reading = Reading(text)
    assert [section.node for section in reading.of(Section)] == ["tarn05", "tarn06.lab"]
    assert reading.result.not_understood == 0


def test_what_is_no_remote_command() -> None:
    assert remote([]) is None
    assert remote(["ssh"]) is None
    assert remote(["kubectl", "get", "pods"]) is None


def test_hostile_commands_take_linear_time() -> None:
    began = time.process_time()
    for part in ("ssh ", "-o ", "for a in b;", "for ", "kubectl exec ", "'", "a@"):
        parse_command(part * 20_000)
    assert time.process_time() - began < 25.0  # ten times what a busy machine takes
