"""Run by test_rows_counted.py in a process of its own, whose database is SQLite: how it finds one page of the list, as
JSON.
"""

from __future__ import annotations

import json
import os
import sys

CASES = 3_000


def main() -> None:
    """Plans of the newest cases and of the counts beside them, before and after the rows were counted."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.db.models import Count

    from apps.accounts.models import Team, TeamMembership, User
    from apps.cases.models import Case
    from apps.operations.tasks import count_rows

    user, team = User.objects.create_user("olga"), Team.objects.create(name="Storage")
    TeamMembership.objects.create(team=team, user=user)
    Case.objects.bulk_create(Case(key=f"CS-{n}", title="A case", team=team) for n in range(CASES))
    cases = Case.objects.visible_to(user).live().at_hand()

    def plans() -> tuple[str, str]:
        counted = cases.order_by().values("severity", "state", "assignee", "team", "products").annotate(n=Count("pk"))
        return cases.order_by("-updated_at", "-pk")[:51].explain(), counted.explain()

    before = plans()
    count_rows()
    json.dump({"before": before, "after": plans()}, sys.stdout)


if __name__ == "__main__":
    main()
