"""Waits that people tell of: said as what they are where nothing else was sent, and no verdict beside data."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

MAIL = "Hi all,\n\n{}\n\nRegards\nUwe\n"


@pytest.mark.parametrize(
    ("text", "says", "nodes"),
    [
        (
            "this morning node nsd7 was waiting 4300 seconds for an RPC to node larch2.",
            "nsd7 is said to have waited 71 m 40 s for larch2",
            {"nsd7", "larch2"},
        ),
        ("larch-07 hung for 25 minutes and came back by itself.", "larch-07 is said to have waited 25 m", {"larch-07"}),
        ("We saw that larch12 (a client) has been stuck 2 hours.", "larch12 is said to have waited 2 h", {"larch12"}),
    ],
)
def test_a_wait_that_somebody_tells_is_low(tmp_path: Path, text: str, says: str, nodes: set[str]) -> None:
    judged = diagnosis_of(tmp_path, MAIL.format(text))
    verdict = verdict_in(judged)
    assert says in verdict.title
    assert verdict.severity == "low"
    assert {one for finding in judged.findings for one in finding.nodes} == nodes


@pytest.mark.parametrize(
    "text",
    [
        "A thread that is waiting longer than 300 seconds is reported by the detector.",
        "If node larch7 is waiting 4300 seconds, restart its daemon.",
        "node larch7 was waiting 4 seconds for an RPC to node larch2.",
        "The people at the desk were waiting 20 minutes for us.",
        "larch12 has 20 minutes of battery.",
    ],
)
def test_a_general_remark_and_a_short_wait_are_none(tmp_path: Path, text: str) -> None:
    assert not diagnosis_of(tmp_path, MAIL.format(text)).findings


def test_a_remark_is_no_finding_beside_a_list_of_waits(tmp_path: Path) -> None:
    text = MAIL.format("node larch7 was waiting 4300 seconds for an RPC to node larch2.")
    waits = (
        "[root@larch7 ~]# mmdiag --waiters\n\n=== mmdiag: waiters ===\n"
        "Waiting 0.0114 sec since 16:04:59, monitored, thread 11120 NSDThread: for I/O completion\n"
    )
    assert "SAID" not in {one.ref for one in diagnosis_of(tmp_path, text, waits).findings}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "Under rare circumstances all quorum nodes could be expelled in case the manager loses its network.",
            "all quorum nodes could be expelled",
        ),
        (
            "Since Monday our GPFS file system hangs on every node that lists that folder.",
            "hangs on every",
        ),
        (
            "After the patch the Veritas disk group cannot be imported, and none of its volumes starts.",
            "be imported",
        ),
        (
            "Nach dem Update startet VCS auf dem zweiten Knoten nicht mehr. Bitte um Hilfe.",
            "startet VCS auf dem zweiten",
        ),
        ("Die Waiter warten seit mehr als 12 Minuten auf plover7.", "Die Waiter warten seit mehr als 12 Minuten"),
        ("Das Dateisystem /moor l\u00e4sst sich nicht mehr aush\u00e4ngen.", "Dateisystem /moor l\u00e4sst sich nicht"),
        (
            "Depuis ce matin le syst\u00e8me de fichiers /moor ne r\u00e9pond plus sur deux clients.",
            "/moor ne r\u00e9pond",
        ),
        (
            "Le n\u0153ud plover7 a \u00e9t\u00e9 expuls\u00e9 du cluster GPFS cette nuit.",
            "expuls\u00e9 du cluster GPFS",
        ),
        ("Desde ayer el sistema de archivos /moor se cuelga en todos los nodos.", "/moor se cuelga en"),
        ("Desde el lunes GPFS no responde en el nodo plover7.", "GPFS no responde en el nodo"),
        ("O sistema de arquivos /moor travou de novo em tr\u00eas n\u00f3s.", "O sistema de arquivos /moor travou"),
        ("O servidor app2 n\u00e3o consegue entrar no cluster VCS.", "app2 n\u00e3o consegue entrar no cluster"),
        ("Depois da troca do switch o VCS n\u00e3o sobe no segundo servidor.", "o VCS n\u00e3o sobe"),
    ],
)
def test_a_fault_that_somebody_tells_of_is_passed_on(tmp_path: Path, text: str, says: str) -> None:
    verdict = verdict_in(diagnosis_of(tmp_path, MAIL.format(text)))
    assert verdict.title.startswith("Not judged, only told: ")
    assert says in verdict.title
    assert (verdict.severity, verdict.ref, verdict.form) == ("info", "TOLD", "not_judged")


@pytest.mark.parametrize(
    "text",
    [
        "If a disk fails, GPFS marks it down and goes on with the copy.",
        "Our GPFS cluster runs well, and no node was expelled this year.",
        "Can I move the quorum role of GPFS, or will the cluster hang?",
        "The printer of the second floor hangs, and the web server crashed.",
        "A deadlock of GPFS that was fixed in the last release.",
        "Wenn ein Knoten ausgefallen ist, bleibt das Dateisystem auf den anderen erreichbar.",
        "Kein Knoten ist ausgefallen, und das Dateisystem /moor l\u00e4uft.",
        "Si un n\u0153ud est expuls\u00e9, GPFS le laisse revenir.",
        "Aucun n\u0153ud de GPFS n'est bloqu\u00e9 depuis la mise \u00e0 jour.",
        "Cuando un nodo se cuelga, GPFS lo expulsa.",
        "\u00bfPuedo mover el gestor de GPFS, o se cuelga el sistema de archivos?",
        "O sistema de arquivos /moor est\u00e1 no ar, sem nenhum n\u00f3 travado.",
        "Desde el parche GPFS no se cuelga en el nodo plover7.",
        "Quando um n\u00f3 fica travado, o VCS move o grupo.",
    ],
)
def test_a_denial_a_question_and_another_thing_are_no_fault(tmp_path: Path, text: str) -> None:
    assert "TOLD" not in {one.ref for one in diagnosis_of(tmp_path, MAIL.format(text)).findings}


def test_a_fault_that_somebody_tells_of_is_no_finding_beside_data(tmp_path: Path) -> None:
    text = MAIL.format("Since Monday our GPFS file system hangs on every node that lists that folder.")
    waits = (
        "[root@larch7 ~]# mmdiag --waiters\n\n=== mmdiag: waiters ===\n"
        "Waiting 0.0114 sec since 16:04:59, monitored, thread 11120 NSDThread: for I/O completion\n"
    )
    assert "TOLD" not in {one.ref for one in diagnosis_of(tmp_path, text, waits).findings}
