"""People and cases for tests. Alice owns, Bob is on her team, Charlie is a stranger; texts are really stored."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from apps.accounts.models import Role, Team, TeamMembership, User
from apps.cases import storage
from apps.cases.models import Artifact, Bundle, Case
from apps.cases.services import CaseSummary, create_case, set_diagnosis
from apps.cases.storage.textblob import TextBlobWriter
from apps.diagnosis.models import Diagnosis, Finding, Tuning

PASSWORD = "grey-otter-under-the-bridge"
T0_US = 1_805_107_200_000_000  # 2027-03-15 10:40:00 as printed
TEXT = b"".join(
    b"0x7F3C0001A0%02X waiting %d.250000000 seconds, NSDThread: for I/O completion on disk lund_nsd07\n" % (n, 10 + n)
    for n in range(40)
)


@dataclass(frozen=True, slots=True)
class People:
    alice: User
    bob: User
    charlie: User
    team: Team
    other_team: Team


def person(name: str, team: Team | None = None, role: Role = Role.EDITOR, **fields: Any) -> User:
    user = User.objects.create_user(username=name, password=None, display_name=name.capitalize(), **fields)
    if team is not None:
        TeamMembership.objects.create(user=user, team=team, role=role)
    return user


def people() -> People:
    team = Team.objects.create(name="Lund storage", slug="lund-storage")
    other_team = Team.objects.create(name="Perth storage", slug="perth-storage")
    return People(
        alice=person("alice", team, Role.OWNER),
        bob=person("bob", team, Role.EDITOR),
        charlie=person("charlie", other_team, Role.OWNER),
        team=team,
        other_team=other_team,
    )


def make_case(team: Team, title: str = "Writers hang on lund", **fields: Any) -> Case:
    return create_case(team=team, title=title, **fields)


def make_bundle(case: Case, filename: str = "lund-snap.tar.gz", **fields: Any) -> Bundle:
    content = f"{filename} {case.pk} {case.bundles.count()}".encode()
    stored = storage.save(f"{storage.case_prefix(case.pk)}bundles/", io.BytesIO(content))
    values: dict[str, Any] = {
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "stored": stored,
        "state": Bundle.State.EXPANDED,
        "members": 1,
        "expanded_bytes": len(TEXT),
    }
    return Bundle.objects.create(case=case, filename=filename, **values | fields)


def store_text(case: Case, text: bytes) -> str:
    file = io.BytesIO()
    with TextBlobWriter(file) as writer:
        writer.write(text)
    file.seek(0)
    return storage.save(f"{storage.case_prefix(case.pk)}texts/", file)


def make_artifact(bundle: Bundle, path: str = "lund-n3/waiters.txt", text: bytes = TEXT, **fields: Any) -> Artifact:
    lines = len(text.splitlines())
    values: dict[str, Any] = {
        "size": len(text),
        "sha256": hashlib.sha256(text).hexdigest(),
        "blob": store_text(bundle.case, text),
        "state": Artifact.State.PARSED,
        "read_bytes": len(text),
        "lines_total": lines,
        "lines_understood": lines,
        "lines_ignored": 0,
        "lines_not_understood": 0,
        "records": lines,
        "formats": ["scale_waiters"],
        "nodes": ["lund-n3"],
        "captured_us": T0_US,
        "sections_n": 1,
    }
    return Artifact.objects.create(case=bundle.case, bundle=bundle, path=path, **values | fields)


def make_diagnosis(case: Case, artifact: Artifact | None = None, *, severity: str = "high", **fields: Any) -> Diagnosis:
    """Two findings with evidence in the artifact, and a tuning; the case points to it."""
    values: dict[str, Any] = {
        "partial": False,
        "files_read": 1,
        "files_total": 1,
        "engine_version": "test",
        "verdict_title": "Threads of lund-n3 wait for disk lund_nsd07",
        "verdict_severity": severity,
        "verdict_confidence": 0.81,
        "verdict_ref": "SC-01",
        "window_start_us": T0_US - 60_000_000,
        "window_end_us": T0_US,
        "products": ["spectrum-scale"],
    }
    diagnosis = Diagnosis.objects.create(case=case, **values | fields)
    evidence = [] if artifact is None else [_evidence(artifact, 4, 6), _evidence(artifact, 12, 12)]
    common: dict[str, Any] = {
        "diagnosis": diagnosis,
        "basis": "stated",
        "nodes": ["lund-n3"],
        "start_us": T0_US - 49_000_000,
        "end_us": T0_US,
    }
    Finding.objects.bulk_create(
        [
            Finding(
                order=0,
                rule="slow-disk",
                ref="SC-01",
                severity=severity,
                confidence=0.81,
                title="One disk is slow",
                evidence=evidence,
                **common,
            ),
            Finding(
                order=1,
                rule="long-waiters",
                ref="SC-02",
                severity="medium",
                confidence=0.6,
                title="Waits above 30 s",
                evidence=evidence[1:],
                **common,
            ),
        ]
    )
    Tuning.objects.create(
        diagnosis=diagnosis, order=0, tuning_id="disk-check", parameter="disk check", status=Tuning.Status.RECOMMENDED
    )
    set_diagnosis(case.pk, diagnosis, summary(diagnosis))
    case.refresh_from_db()
    return diagnosis


def _evidence(artifact: Artifact, line: int, last_line: int) -> dict[str, Any]:
    return {
        "artifact": artifact.pk,
        "path": artifact.path,
        "line": line,
        "last_line": last_line,
        "text": f"text of line {line}",
    }


def summary(diagnosis: Diagnosis) -> CaseSummary:
    return CaseSummary(
        verdict=diagnosis.verdict_title,
        severity=diagnosis.verdict_severity,
        products=diagnosis.products,
        nodes=["lund-n3", "lund-n4"],
        window_start_us=diagnosis.window_start_us,
        window_end_us=diagnosis.window_end_us,
        longest_s=49.25,
        spark=[1, 2, None, 8, 49.25],
        zone_name="CET",
        zone_min=60,
    )


@dataclass(frozen=True, slots=True)
class Built:
    """A case with one bundle, one file and a diagnosis."""

    case: Case
    bundle: Bundle
    artifact: Artifact
    diagnosis: Diagnosis


def build_case(team: Team, title: str = "Writers hang on lund", **fields: Any) -> Built:
    case = make_case(team, title, **fields)
    bundle = make_bundle(case)
    artifact = make_artifact(bundle)
    return Built(case, bundle, artifact, make_diagnosis(case, artifact))


def expired(minutes: int = 1) -> Any:
    """A moment in the past, for leases and links."""
    return timezone.now() - timedelta(minutes=minutes)
