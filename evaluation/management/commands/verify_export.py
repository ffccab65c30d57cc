"""``manage.py verify_export``: check an exported folder; no database is needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.base import GavelCommand, Result
from evaluation.exporting.verifying import verify


class Command(GavelCommand):
    help = "Check an export: files, hashes, rows, references, quotes, answers."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        result = self.run(**options)
        self.stdout.write(json.dumps(result) if options["json"] else self.describe(result))
        if not result["ok"]:
            count = len(result["problems"])
            raise CommandError(
                f"{options['folder']} does not verify: {count:,} problem{'s'[: count != 1]}.",
                returncode=1,
            )

    def run(self, **options: Any) -> Result:
        problems = verify(options["folder"], self.progress_in_bytes)
        return {"ok": not problems, "problems": problems}

    def describe(self, result: Result) -> str:
        return "\n".join(result["problems"]) or "The export is sound."
