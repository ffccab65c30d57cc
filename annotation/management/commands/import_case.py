"""``manage.py import_case``: cases with their documents into a study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from agent.llm.tokens import o200k_base
from annotation.importing.cases import import_cases
from annotation.importing.commands import ImportCommand
from annotation.importing.services import study_for_import
from annotation.management.base import Result


class Command(ImportCommand):
    help = "Import a case with its documents, or a file of many cases."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path",
            type=Path,
            help="folder or ZIP of documents (.txt, .md, .html, .pdf, .docx, metadata.json), or a "
            "JSON file of many cases",
        )
        parser.add_argument("--study", required=True, help="made if there is none")
        parser.add_argument("--case-id", default="", help="instead of that of the metadata")
        parser.add_argument("--dry-run", action="store_true", help="only look what would happen")
        parser.add_argument(
            "--accept-partial",
            action="store_true",
            help="store what is sound of a case that has problems",
        )

    def run(self, **options: Any) -> Result:
        count_tokens = o200k_base().count
        study, made = study_for_import(options["study"])
        if made:
            self.say(f"Made the study {study.slug} with the checklist {study.template.key}.")
        report = import_cases(
            [options["path"]],
            study,
            count_tokens=count_tokens,
            case_id=options["case_id"],
            accept_partial=options["accept_partial"],
            dry_run=options["dry_run"],
            progress=lambda done, total: self.progress(done, total, "Cases"),
        )
        return self.finish(report)
