"""Runs of the agent and of the other ways to read documents, step by step."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agent", "0002_rules_judge"),
        ("annotation", "0005_imports_in_the_browser"),
    ]

    operations = [
        migrations.CreateModel(
            name="ExtractionRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[("imported", "Imported"), ("own", "Run here")], max_length=10
                    ),
                ),
                ("source_file", models.CharField(blank=True, max_length=500)),
                ("model", models.CharField(max_length=200)),
                (
                    "method",
                    models.CharField(
                        choices=[
                            ("end_to_end", "All documents at once"),
                            ("chunk_by_chunk", "Chunk by chunk"),
                            ("all", "Agent, all items at once"),
                            ("grouped", "Agent, group by group"),
                            ("individual", "Agent, item by item"),
                        ],
                        max_length=16,
                    ),
                ),
                ("unit", models.CharField(blank=True, max_length=120)),
                ("steps", models.PositiveIntegerField(blank=True, null=True)),
                ("prompt_tokens", models.PositiveBigIntegerField(blank=True, null=True)),
                ("completion_tokens", models.PositiveBigIntegerField(blank=True, null=True)),
                ("stop_reason", models.CharField(blank=True, max_length=80)),
                ("stats", models.JSONField(blank=True, default=dict)),
                ("metadata", models.JSONField(blank=True, default=dict)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="extraction_runs",
                        to="annotation.case",
                    ),
                ),
                (
                    "checklist",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="extraction_runs",
                        to="annotation.checklist",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RunStep",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("event", "Tool used"), ("answer", "Answer of the model")],
                        max_length=10,
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("step", models.IntegerField(blank=True, null=True)),
                ("name", models.CharField(blank=True, max_length=120)),
                ("text", models.TextField(blank=True)),
                ("content", models.JSONField(blank=True, default=dict)),
                ("at", models.DateTimeField(blank=True, null=True)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="run_steps",
                        to="agent.extractionrun",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="extractionrun",
            constraint=models.UniqueConstraint(
                condition=models.Q(("source", "imported")),
                fields=("case", "model", "method", "unit"),
                name="extraction_run_imported_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="runstep",
            constraint=models.UniqueConstraint(
                fields=("run", "kind", "position"), name="run_step_once"
            ),
        ),
    ]
