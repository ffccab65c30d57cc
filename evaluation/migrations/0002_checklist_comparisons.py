"""What judges said of two checklists, item by item."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0005_imports_in_the_browser"),
        ("evaluation", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="ChecklistComparison",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("comparer", models.CharField(max_length=200)),
                ("model_name", models.CharField(max_length=200)),
                ("extractor", models.CharField(max_length=200)),
                ("method", models.CharField(blank=True, max_length=120)),
                ("source_file", models.CharField(blank=True, max_length=500)),
                ("metadata", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="checklist_comparisons",
                        to="annotation.case",
                    ),
                ),
                (
                    "model_checklist",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.checklist",
                    ),
                ),
                (
                    "reference_checklist",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.checklist",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ItemVerdict",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("item_key", models.SlugField(max_length=80)),
                ("form", models.CharField(blank=True, max_length=10)),
                (
                    "orientation",
                    models.CharField(
                        choices=[
                            ("known", "Said of model and reference"),
                            ("not_needed", "The same either way"),
                            ("recovered", "Recovered from the lengths of the lists"),
                            ("unknown", "Which side is the model is not known"),
                        ],
                        max_length=12,
                    ),
                ),
                ("first_side", models.CharField(blank=True, max_length=10)),
                (
                    "status",
                    models.CharField(
                        choices=[("read", "Read"), ("not_scored", "Not scored")], max_length=10
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("payload", models.JSONField(blank=True, null=True)),
                ("shown", models.JSONField(blank=True, null=True)),
                ("raw", models.JSONField()),
                ("repairs", models.JSONField(blank=True, default=dict)),
                ("n_model", models.PositiveIntegerField(blank=True, null=True)),
                ("n_reference", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "comparison",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="verdicts",
                        to="evaluation.checklistcomparison",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="checklistcomparison",
            constraint=models.UniqueConstraint(
                fields=("case", "comparer", "model_name", "extractor", "method"),
                name="checklist_comparison_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="itemverdict",
            constraint=models.UniqueConstraint(
                fields=("comparison", "item_key"), name="item_verdict_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="itemverdict",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("payload__isnull", True),
                    models.Q(
                        ("status", "read"), models.Q(("orientation", "unknown"), _negated=True)
                    ),
                    _connector="OR",
                ),
                name="item_verdict_only_oriented_is_scored",
            ),
        ),
        migrations.AddConstraint(
            model_name="itemverdict",
            constraint=models.CheckConstraint(
                condition=models.Q(("first_side__in", ["", "model", "reference"])),
                name="item_verdict_first_side_known",
            ),
        ),
    ]
