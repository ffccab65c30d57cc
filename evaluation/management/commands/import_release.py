"""``manage.py import_release``: a public release's data folder, or a part of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.importing.commands import ImportCommand
from annotation.importing.services import study_for_import
from annotation.management.base import Result, comma_separated
from evaluation.releasing.readers.discover import ONLY
from evaluation.releasing.services import import_release


class Command(ImportCommand):
    help = "Import a release's data folder, or any part of it."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="holds data/, is data/, or lies in it")
        parser.add_argument("--study", required=True, help="made if there is none")
        parser.add_argument(
            "--only", type=comma_separated, default=None, help=f"parts: {','.join(ONLY)}"
        )
        parser.add_argument(
            "--accept-partial",
            action="store_true",
            help="store what is sound of a file that has problems",
        )

    def run(self, **options: Any) -> Result:
        study, made = study_for_import(options["study"])
        if made:
            self.say(f"Made the study {study.slug} with the checklist {study.template.key}.")
        report = import_release(
            options["folder"],
            study,
            only=options["only"],
            accept_partial=options["accept_partial"],
            progress=lambda done, total: self.progress(done, total, "Files"),
        )
        return self.finish(report)
