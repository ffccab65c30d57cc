"""``manage.py load_checklist``: check a template and store it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.checklists.loader import load_bytes
from annotation.management.base import GavelCommand, Result
from annotation.managing.services import store_template
from annotation.records.json_files import read_plain_file


class Command(GavelCommand):
    help = "Check a checklist template (YAML) and store it."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def run(self, **options: Any) -> Result:
        path: Path = options["file"]
        data = read_plain_file(path, str(path))
        template = load_bytes(data, str(path))
        row = store_template(template, data.decode("utf-8-sig"))
        return {"key": row.key, "version": row.version, "items": len(template.items)}

    def describe(self, result: Result) -> str:
        return f"{result['key']} {result['version']}: {result['items']} items."
