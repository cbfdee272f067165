from __future__ import annotations

from django.db import migrations, models
from django.db.models import CASCADE

NUMBER = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_invitations"),
        ("cases", "0012_lines_of_uploads"),
        ("ingest", "0008_no_hash_state"),
    ]

    operations = [
        migrations.CreateModel(
            name="UploadTurn",
            fields=[
                ("id", NUMBER.clone()),
                ("person", models.BigIntegerField(default=0)),
                ("last", models.BigIntegerField(default=0)),
                ("bundle", models.OneToOneField(on_delete=CASCADE, related_name="+", to="cases.bundle")),
                ("team", models.ForeignKey(on_delete=CASCADE, related_name="+", to="accounts.team")),
            ],
        ),
        migrations.CreateModel(
            name="PersonTurn",
            fields=[
                ("id", NUMBER.clone()),
                ("person", models.BigIntegerField(default=0)),
                ("last", models.BigIntegerField(default=0)),
                ("team", models.ForeignKey(on_delete=CASCADE, related_name="+", to="accounts.team")),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=["team", "person"], name="person_turn_once")],
            },
        ),
    ]
