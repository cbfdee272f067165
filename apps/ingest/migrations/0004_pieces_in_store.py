from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ingest", "0003_turns")]

    operations = [
        migrations.AddField("partialupload", "part_bytes", models.BigIntegerField(default=0, db_default=0)),
        migrations.AddField("partialupload", "received", models.BigIntegerField(default=0, db_default=0)),
        migrations.AddField("partialupload", "hash_state", models.BinaryField(blank=True, null=True)),
        migrations.AddField(
            "partialupload", "stored", models.CharField(blank=True, db_default="", default="", max_length=200)
        ),
        migrations.AddField(
            "partialupload", "multipart", models.CharField(blank=True, db_default="", default="", max_length=1024)
        ),
        migrations.AddField(
            "partialupload", "tail", models.CharField(blank=True, db_default="", default="", max_length=200)
        ),
        migrations.AddField("partialupload", "lease_until", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "partialupload", "lease_by", models.CharField(blank=True, db_default="", default="", max_length=100)
        ),
        migrations.CreateModel(
            name="UploadedPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("mark", models.CharField(max_length=200)),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="ingest.partialupload"
                    ),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("upload", "number"), name="uploaded_part_once")]},
        ),
    ]
