from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import Q

FAILURES = [
    ("storage", "the storage was away or full"),
    ("time", "it took too long"),
    ("defect", "the program or the stored text is at fault"),
    ("died", "its worker died each time"),
    ("limit", "it needed too much memory"),
]
STAGES = [("unpacking", "unpacking"), ("reading", "reading")]
# Sentences of the releases before, from which the column is filled once. What fits none of them was a defect.
AWAY = "Its text could not be fetched, or what was read not be stored ("
TOO_MUCH = "Reading took too long or too much memory ("
NOT_UNPACKED = "It could not be unpacked ("
DIED = "The worker died "
LONG_LINES = "longer than the limit: the beginning is kept"
OF_STORAGE = (
    "OSError", "BlockingIOError", "ConnectionError", "ConnectionAbortedError", "ConnectionRefusedError",
    "ConnectionResetError",
    "BrokenPipeError", "FileExistsError", "FileNotFoundError", "InterruptedError", "IsADirectoryError",
    "NotADirectoryError",
    "PermissionError", "TimeoutError",
)  # fmt: skip


def fill(apps: Any, schema_editor: Any) -> None:
    """From the sentences, by the class of error in them."""
    del schema_editor
    for name in ("Artifact", "Bundle"):
        failed = apps.get_model("cases", name).objects.filter(state="failed")
        for words in (AWAY, NOT_UNPACKED):
            away = Q(message="?")
            for error in OF_STORAGE:
                away |= Q(message__startswith=f"{words}{error})")
            failed.filter(away).update(failure="storage")
        failed.filter(message__startswith=DIED).update(failure="died")
        for words in (TOO_MUCH, NOT_UNPACKED):
            failed.filter(message__startswith=f"{words}SoftTimeLimitExceeded)").update(failure="time")
            failed.filter(message__startswith=f"{words}MemoryError)").update(failure="limit")
        failed.filter(failure="").update(failure="defect")
    problems = apps.get_model("cases", "BundleProblem").objects
    problems.filter(Q(artifact__isnull=True) | Q(message__contains=LONG_LINES)).update(stage="unpacking")


class Migration(migrations.Migration):
    dependencies = [("cases", "0009_case_choices")]

    operations = [
        migrations.AddField(
            "artifact",
            "failure",
            models.CharField(blank=True, choices=FAILURES, db_default="", default="", max_length=10),
        ),
        migrations.AddField(
            "bundle",
            "failure",
            models.CharField(blank=True, choices=FAILURES, db_default="", default="", max_length=10),
        ),
        migrations.AddField(
            "bundleproblem",
            "stage",
            models.CharField(choices=STAGES, db_default="reading", default="reading", max_length=10),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
