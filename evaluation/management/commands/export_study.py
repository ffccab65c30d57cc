"""``manage.py export_study``: a study to a folder, with a manifest that can be verified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.management.base import GavelCommand, Result, comma_separated
from annotation.managing.services import study_by_slug, task_set_by_key
from evaluation.exporting.rows import INCLUDE
from evaluation.exporting.services import FORMATS, Wanted, export_study


class Command(GavelCommand):
    help = "Write a study to a folder: whole or not at all."
    when_stopped = "Stopped. Nothing was written."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--format", required=True, choices=FORMATS)
        parser.add_argument("--out", required=True, type=Path, help="a folder not there yet")
        parser.add_argument("--task-set", default="", help="of this set alone (answers, csv)")
        parser.add_argument(
            "--include",
            type=comma_separated,
            default=[],
            help=f"what answers and csv leave out otherwise: {','.join(INCLUDE)}",
        )
        parser.add_argument("--force", action="store_true", help="replace an earlier export")

    def run(self, **options: Any) -> Result:
        study = study_by_slug(options["study"])
        task_set = task_set_by_key(study, options["task_set"]) if options["task_set"] else None
        wanted = Wanted(options["format"], task_set, frozenset(options["include"]))
        written = export_study(
            study,
            wanted,
            options["out"],
            force=options["force"],
            progress=lambda done, total: self.progress(done, total, "Rows"),
        )
        if not written.rows:
            self.say("There is nothing of this kind to export yet: the files hold no rows.")
        return {
            "study": study.slug,
            "out": str(options["out"]),
            "created_at": timezone.now().isoformat(),
            **written.to_json(),
        }

    def describe(self, result: Result) -> str:
        return (
            f"{result['study']}: {result['rows']:,} rows in {len(result['files']):,} files, "
            f"written to {result['out']}\nmanifest {result['sha256']}"
        )
