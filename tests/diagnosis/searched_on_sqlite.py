"""Run by test_search_on_sqlite.py in a process of its own, whose database is SQLite: fill, search, change, remove; the
result as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def main() -> None:
    """Answers of the search and how the database finds them."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

    json.dump(results(), sys.stdout)


def results() -> dict[str, Any]:
    from apps.accounts.models import Team
    from apps.cases.models import Case
    from apps.diagnosis.models import SearchDocument
    from apps.diagnosis.pages.search.trigrams import containing

    case = Case.objects.create(key="TRI-1", title="Trigrams", team=Team.objects.create(name="Trigrams"))
    texts = ("NSDThread waits on dm-17", 'a "quoted" reason', "100 % of tmMsgRevoke", "n\u00e4chster Knoten")
    rows = [SearchDocument(case=case, kind="reason", text=text, folded=text.lower()) for text in texts]
    SearchDocument.objects.bulk_create(rows)

    def found(word: str) -> list[str]:
        return sorted(containing(SearchDocument.objects.all(), word).values_list("text", flat=True))

    answers = {word: found(word) for word in ("sdthr", '"quot', "0 %", "n\u00e4ch", "dm", "sdthx", "_msg")}
    plan = containing(SearchDocument.objects.all(), "sdthr").explain()
    SearchDocument.objects.filter(folded__startswith="nsd").update(folded="mmfsd is stuck")
    changed = {word: len(found(word)) for word in ("sdthr", "stuck")}
    case.delete()
    return {"answers": answers, "plan": plan, "changed": changed, "after": len(found("quoted"))}


if __name__ == "__main__":
    main()
