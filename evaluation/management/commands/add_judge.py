"""``manage.py add_judge``: name an OpenAI-compatible endpoint."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from agent.connecting.services import add_judge, snapshot
from annotation.management.base import GavelCommand, Result, setting, whole_number


class Command(GavelCommand):
    help = "Store an OpenAI-compatible endpoint as a judge."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--base-url", required=True, help="usually ends in /v1")
        parser.add_argument("--model", required=True, help="as the endpoint knows it")
        parser.add_argument("--api-key-env", default="", metavar="VAR")
        parser.add_argument("--param", action="append", type=setting, default=[], metavar="K=V")
        parser.add_argument("--concurrency", type=whole_number(), default=4)
        parser.add_argument("--timeout", type=whole_number(), default=120, metavar="SECONDS")
        parser.add_argument(
            "--anchored",
            action="store_true",
            help="annotators started from this judge's extractions",
        )

    def run(self, **options: Any) -> Result:
        judge = add_judge(
            options["name"],
            base_url=options["base_url"],
            model=options["model"],
            api_key_env=options["api_key_env"],
            params=dict(options["param"]),
            concurrency=options["concurrency"],
            timeout_seconds=options["timeout"],
            is_anchored=options["anchored"],
        )
        return snapshot(judge)

    def describe(self, result: Result) -> str:
        key = f"key from {result['api_key_env']}" if result["api_key_env"] else "no key"
        return f"Judge {result['name']}: {result['model']} at {result['base_url']}, {key}."
