from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("cases", "0002_current_diagnosis")]

    operations = [
        migrations.AddField(
            model_name="artifact", name="modified_us", field=models.BigIntegerField(blank=True, null=True)
        ),
    ]
