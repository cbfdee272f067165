from __future__ import annotations

import pytest

from apps.diagnosis.models import Diagnosis, Finding, UnchangeableError
from tests.builders import People, build_case

pytestmark = pytest.mark.django_db


def test_a_diagnosis_is_replaced_and_never_changed(folk: People) -> None:
    diagnosis = build_case(folk.team).diagnosis
    finding = diagnosis.findings.all()[0]
    for attempt in (
        diagnosis.save,
        finding.save,
        lambda: Diagnosis.objects.update(partial=True),
        lambda: Finding.objects.update(title="x"),
    ):
        with pytest.raises(UnchangeableError):
            attempt()


def test_a_deleted_diagnosis_leaves_its_case(folk: People) -> None:
    built = build_case(folk.team)
    built.diagnosis.delete()
    built.case.refresh_from_db()
    assert built.case.current_diagnosis is None
