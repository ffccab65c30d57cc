"""``manage.py import_tasks``: files of the annotation interfaces into task sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.importing.commands import ImportCommand
from annotation.importing.csv_files import SUMMARIES_CSV
from annotation.importing.formats import ImportFormat, ImportRequest, format_called, formats
from annotation.importing.services import study_for_import
from annotation.management.base import Result, setting, whole_number


class Command(ImportCommand):
    help = "Import files of the annotation interfaces, of Label Studio and tables as tasks."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, nargs="+", help="file, or folder of files")
        parser.add_argument("--study", required=True, help="made if there is none")
        parser.add_argument(
            "--format", required=True, choices=[f.key for f in formats() if _makes_tasks(f)]
        )
        parser.add_argument(
            "--task-set", default="", help="key of the task set (default: comparison, style, ...)"
        )
        parser.add_argument(
            "--overlap", type=whole_number(1, 100), default=3, help="annotators a task"
        )
        parser.add_argument(
            "--option",
            action="append",
            type=setting,
            default=[],
            metavar="K=V",
            help="of a new task set, such as suggestions=true or many_to_many=false",
        )
        parser.add_argument(
            "--accept-partial",
            action="store_true",
            help="store what is sound of a file that has problems",
        )

    def run(self, **options: Any) -> Result:
        chosen = format_called(options["format"])
        study, made = study_for_import(options["study"])
        if made:
            self.say(f"Made the study {study.slug} with the checklist {study.template.key}.")
        report = chosen.run(
            ImportRequest(
                paths=tuple(options["path"]),
                study=study,
                options={
                    "task_set": options["task_set"],
                    "overlap": options["overlap"],
                    "options": dict(options["option"]),
                },
                accept_partial=options["accept_partial"],
                progress=lambda done, total: self.progress(done, total, "Files"),
            )
        )
        return self.finish(report)


def _makes_tasks(format_: ImportFormat) -> bool:
    """Whether it fills a task set; summaries from a table come with the tables of tasks."""
    fills_a_set = any(field.name == "task_set" for field in format_.fields)
    return fills_a_set or format_.key == SUMMARIES_CSV
