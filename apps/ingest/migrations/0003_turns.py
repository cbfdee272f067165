from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_invitations"), ("cases", "0008_turns"), ("ingest", "0002_partial_uploads")]

    operations = [
        migrations.CreateModel(
            name="TeamTurn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("last", models.BigIntegerField(default=0)),
                (
                    "team",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="turn", to="accounts.team"
                    ),
                ),
            ],
        ),
    ]
