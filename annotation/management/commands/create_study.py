"""``manage.py create_study``: an empty study."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.base import GavelCommand, Result, whole_number
from annotation.managing.services import DEFAULT_TEMPLATE, create_study


class Command(GavelCommand):
    help = "Make an empty study."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="its name in addresses: lower-case letters, digits, -")
        parser.add_argument("--template", default=DEFAULT_TEMPLATE, help="key of a template")
        parser.add_argument("--name", default="", help="its name for people")
        parser.add_argument(
            "--seed", type=whole_number(), default=0, help="root of every random draw"
        )

    def run(self, **options: Any) -> Result:
        study = create_study(
            options["study"],
            template_key=options["template"],
            name=options["name"],
            seed=options["seed"],
        )
        return {"study": study.slug, "template": study.template.key}

    def describe(self, result: Result) -> str:
        return f"Study {result['study']} with the checklist {result['template']}."
