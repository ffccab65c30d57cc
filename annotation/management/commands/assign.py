"""``manage.py assign``: hand out the tasks of a set."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.assigning import services
from annotation.management.base import GavelCommand, Result, comma_separated, whole_number
from annotation.managing.services import study_by_slug, task_set_by_key


class Command(GavelCommand):
    help = "Give each task of a set to a number of different annotators."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--study", required=True, metavar="S", help="slug of the study")
        parser.add_argument("--task-set", required=True, metavar="T", help="key of the task set")
        parser.add_argument(
            "--annotators",
            required=True,
            type=comma_separated,
            metavar="A,B,C",
            help="user names, separated by commas",
        )
        parser.add_argument(
            "--per-task",
            required=True,
            type=whole_number(),
            metavar="K",
            help="people for each task",
        )
        parser.add_argument(
            "--seed", required=True, type=whole_number(), metavar="N", help="of the draw"
        )

    def run(self, **options: Any) -> Result:
        study = study_by_slug(options["study"])
        task_set = task_set_by_key(study, options["task_set"])
        handed = services.assign_tasks(
            task_set,
            services.annotators_named(study, options["annotators"]),
            per_task=options["per_task"],
            seed=options["seed"],
        )
        return {"assigned": handed.assigned, "total": handed.total}

    def describe(self, result: Result) -> str:
        return services.sentence(services.Handed(result["assigned"], result["total"]))
