"""``manage.py import_bundle``: an exported bundle into an empty study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.importing.commands import ImportCommand
from annotation.management.base import Result
from evaluation.exporting.loading.importing import import_bundle


class Command(ImportCommand):
    help = "Read a bundle into an empty study: verified first, wholly or not at all."
    when_stopped = "Stopped. Nothing of the bundle was stored."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--study", required=True, help="made if there is none")
        parser.add_argument(
            "--dry-run", action="store_true", help="do everything, and keep nothing of it"
        )

    def run(self, **options: Any) -> Result:
        report = import_bundle(
            options["folder"],
            options["study"],
            dry_run=options["dry_run"],
            progress=self.progress_in_bytes,
        )
        return self.finish(report)
