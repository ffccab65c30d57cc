"""Uploads in the browser; evidence of documents that are not here; what files had beyond texts."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0004_evidence_needs_both_ends"),
    ]

    operations = [
        migrations.CreateModel(
            name="ImportJob",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("format", models.CharField(max_length=40)),
                ("options", models.JSONField(blank=True, default=dict)),
                ("accept_partial", models.BooleanField(default=False)),
                ("names", models.JSONField(default=list)),
                ("size", models.PositiveBigIntegerField(default=0)),
                ("folder", models.CharField(blank=True, max_length=120)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting to be looked through"),
                            ("checking", "Being looked through"),
                            ("checked", "Looked through"),
                            ("queued", "Waiting to be imported"),
                            ("importing", "Being imported"),
                            ("done", "Imported"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("preview", models.JSONField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="evidence",
            name="evidence_start_before_end",
        ),
        migrations.AddField(
            model_name="checklistvalue",
            name="metadata",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AlterField(
            model_name="sourcedocument",
            name="name",
            field=models.CharField(max_length=500),
        ),
        migrations.AddField(
            model_name="evidence",
            name="location",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="evidence",
            name="source_name",
            field=models.CharField(blank=True, max_length=500),
        ),
        migrations.AlterField(
            model_name="evidence",
            name="found",
            field=models.CharField(
                choices=[
                    ("exact", "Exactly"),
                    ("normalised", "After normalising"),
                    ("fuzzy", "Approximately"),
                    ("not_found", "Not found"),
                    ("not_sought", "Not looked for (its document is not here)"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="evidence",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("end__isnull", True),
                        ("found__in", ["not_found", "not_sought"]),
                        ("start__isnull", True),
                    ),
                    models.Q(
                        models.Q(("found__in", ["not_found", "not_sought"]), _negated=True),
                        ("end__gt", models.F("start")),
                        ("end__isnull", False),
                        ("start__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="evidence_start_before_end",
            ),
        ),
        migrations.AddField(
            model_name="importjob",
            name="actor",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="importjob",
            name="report",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="jobs",
                to="annotation.importreport",
            ),
        ),
        migrations.AddField(
            model_name="importjob",
            name="study",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="import_jobs",
                to="annotation.study",
            ),
        ),
    ]
