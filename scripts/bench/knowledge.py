"""Knowledge of teams: a look at where an entry would speak over 1,000 cases, and diagnoses with 2,000 entries.

``python -m scripts.bench.knowledge`` prints both, from a database of its own in a temporary folder.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

CASES: Final = 1_000
SHAPES: Final = 600
ENTRIES: Final = 2_000
RUNS: Final = 5
WORDS: Final = tuple(
    f"{a}{b}{c}"
    for a in ("lo", "ve", "mi", "ra", "tu")
    for b in ("kan", "set", "dor", "fil", "gra")
    for c in "aeioustnr"
)
PROGRAMS: Final = ("kernel", "mmfs", "grantd", "clusterd", "sshd", "systemd")


def main() -> None:
    """Run it."""
    with tempfile.TemporaryDirectory(prefix="lockscope-knowledge-") as folder:
        os.environ["LOCKSCOPE_VAR"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django
        from django.core.management import call_command

        Path(folder).mkdir(exist_ok=True)
        django.setup()
        call_command("migrate", verbosity=0)
        for words, seconds in measured():
            print(f"{words}: {seconds:.2f} s")  # noqa: T201 - a command that prints figures


def measured() -> list[tuple[str, float]]:
    """What was measured, in seconds."""
    from apps.diagnosis.pages.learning.preview import preview
    from apps.learning.services import read

    made = Made(random.Random(7))
    entry = read(row("ticket-lost", ["ticket for", {"named": "disk"}, "was lost"]))
    found = []
    seen: list[Any] = []
    found.append((f"look over {CASES} cases", best(lambda: seen.append(preview(made.user, made.team, entry)))))
    wide = read(row("wide", [" ".join(WORDS[:1]), {"any": True}, WORDS[1]]))
    found.append(("the same with a match that few words narrow", best(lambda: preview(made.user, made.team, wide))))
    found.append((f"cases that it fits (of {CASES}), as a check", float(seen[0].cases_n)))
    return found + made.diagnoses()


def best(run: Callable[[], object]) -> float:
    """The slowest of some runs."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return max(times)


def row(name: str, match: list[Any], **more: Any) -> dict[str, Any]:
    """An entry."""
    return {
        "name": name, "from": "grantd", "match": match, "weight": "disaster", "title": "Ticket lost",
        "meaning": "It may not write.", "next": "Look at the disk.", "source": "a note",
    } | more  # fmt: skip


class Made:
    """Cases of one team, with what is kept of each."""

    def __init__(self, chance: random.Random) -> None:
        from apps.accounts.models import Role, Team, TeamMembership, User

        self.chance = chance
        self.team = Team.objects.create(name="Bench", slug="bench")
        self.user = User.objects.create_user(username="bench", password=None)
        TeamMembership.objects.create(user=self.user, team=self.team, role=Role.OWNER)
        for number in range(CASES):
            self._case(number)

    def _case(self, number: int) -> None:
        from apps.cases.services import CaseSummary, create_case, set_diagnosis
        from apps.diagnosis.models import Diagnosis
        from apps.learning.models import CaseDigest, CaseShape

        case = create_case(team=self.team, title=f"case {number}")
        diagnosis = Diagnosis.objects.create(
            case=case, partial=False, files_read=1, files_total=1, engine_version="bench", verdict_severity="medium",
            verdict_title="Something is slow", verdict_confidence=0.5, verdict_ref="SC-01",
        )  # fmt: skip
        set_diagnosis(case.pk, diagnosis, CaseSummary(verdict=diagnosis.verdict_title, severity="medium"))
        texts = [(self.chance.choice(PROGRAMS), self._text()) for _ in range(SHAPES)]
        if number % 3 == 0:
            texts += [("grantd", f"ticket for lun{number} was lost after {number} s")]
        CaseShape.objects.bulk_create(
            CaseShape(case=case, source="log", told_by=program, shape=_blanked(text), text=text, line=line + 1, lines=3)
            for line, (program, text) in enumerate(texts)
        )
        ranked = [
            {"rank": [2, False, 2, -1.0, -0.5, f"SC-{n:02}", "Something is slow"], "title": "Something is slow",
             "severity": "medium", "ref": f"SC-{n:02}", "kind": "", "entry": "", "lines": []}
            for n in range(20)
        ]  # fmt: skip
        calm = {"title": "Nothing wrong found", "severity": "info", "form": "healthy"}
        CaseDigest.objects.create(case=case, ranked=ranked, calm=calm)

    def _text(self) -> str:
        return " ".join([*self.chance.choices(WORDS, k=8), str(self.chance.randrange(1000))])

    def diagnoses(self) -> list[tuple[str, float]]:
        """One case with logs, judged without entries and with many."""
        from apps.cases.services import create_case
        from apps.diagnosis.services import diagnose_case
        from apps.ingest.reading.artifacts import read_artifact
        from apps.ingest.reading.bundles import expand_bundle
        from apps.ingest.uploads.receive import store_bytes

        case = create_case(team=self.team, title="judged")
        stored = store_bytes(case, self._log(), filename="messages", user=None)
        for found in expand_bundle(stored.pk):
            read_artifact(found.pk)
        diagnose_case(case.pk)
        before = best(lambda: diagnose_case(case.pk))
        self._entries()
        start = time.perf_counter()
        diagnose_case(case.pk)
        first = time.perf_counter() - start
        after = best(lambda: diagnose_case(case.pk))
        return [
            ("diagnosis again of 17 MB of logs without an entry", before),
            (f"with {ENTRIES} entries, the first time", first),
            (f"with {ENTRIES} entries, again", after),
        ]

    def _log(self) -> bytes:
        lines = []
        for number in range(200_000):
            level = "error: " if number % 50 == 0 else ""
            program = self.chance.choice(PROGRAMS)
            stamp = (
                f"Mar {number // 86400 % 28 + 1:2d} {number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}"
            )
            lines.append(
                f"{stamp} cod{number % 9} {program}[{number % 999}]: {level}{WORDS[number % 40]} {self._few()}\n"
            )
        return "".join(lines).encode()

    def _few(self) -> str:
        return " ".join(WORDS[self.chance.randrange(30)] for _ in range(6))

    def _entries(self) -> None:
        from apps.learning.in_force import note_change
        from apps.learning.models import EntryVersion, TeamEntry

        for number in range(ENTRIES):
            words = self.chance.sample(WORDS, k=4)
            entry_row = row(f"entry-{number}", [" ".join(words[:2]), {"any": True}, " ".join(words[2:])])
            entry_row["from"] = self.chance.choice(PROGRAMS)
            entry = TeamEntry.objects.create(team=self.team, name=entry_row["name"], state="in_force", in_force=1)
            EntryVersion.objects.create(entry=entry, number=1, row=entry_row)
        note_change(self.team)


def _blanked(text: str) -> str:
    from parsers.messages.site_entries import blanked

    return blanked(text)


if __name__ == "__main__":
    main()
