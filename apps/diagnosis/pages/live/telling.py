"""The team's chat gets one message for each thing that blocks a case for three samples, while it lasts."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from apps.cases.models import Case
from apps.cases.people.notify import tell_blocked
from apps.diagnosis.pages.live.blocker import blocker_now
from apps.diagnosis.pages.live.watching import watching

SURE_SAMPLES: Final = 3


def tell_of_blocker(case_id: int) -> None:
    """After a diagnosis; nothing where nobody watches."""
    if watching(case_id) is None:
        return
    case = Case.objects.live().filter(pk=case_id).select_related("current_diagnosis").first()
    diagnosis = case.current_diagnosis if case else None
    if case is None or diagnosis is None:
        return
    blocker = blocker_now(diagnosis)
    if blocker is not None and blocker.samples >= SURE_SAMPLES:
        tell_blocked(case, sha256(blocker.words.encode()).hexdigest()[:16], blocker.samples)
