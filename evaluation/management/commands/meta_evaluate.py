"""``manage.py meta_evaluate``: judge against human, humans among themselves."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.errors import InvalidInput
from annotation.management.base import GavelCommand, Result, whole_number
from annotation.managing.services import study_by_slug
from evaluation.agreement.result import Reason
from evaluation.meta_evaluating.services import meta_evaluate

METHODS = ("jackknife_t", "bca", "percentile")


class Command(GavelCommand):
    help = "Compute how well judges agree with people, and people among themselves."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--study", required=True)
        parser.add_argument("--judge", help="only this judge (default: all with a finished run)")
        parser.add_argument("--interval", choices=METHODS, default="jackknife_t")
        parser.add_argument("--seed", type=whole_number(), default=0, help="of the resampling")
        parser.add_argument("--draws", type=whole_number(100, 1_000_000), default=9999)

    def run(self, **options: Any) -> Result:
        if options["draws"] < 100 or options["seed"] < 0:
            raise InvalidInput("--draws must be at least 100, and --seed must not be negative.")
        method = options["interval"]
        saved = meta_evaluate(
            study_by_slug(options["study"]),
            judge=options["judge"],
            seed=options["seed"],
            draws=options["draws"],
            method=None if method == "jackknife_t" else method,
        )
        return {
            "rows": saved.rows,
            "seed": saved.seed,
            "draws": saved.draws,
            "versions": saved.versions,
            "inputs": saved.inputs,
        }

    def describe(self, result: Result) -> str:
        return "\n".join(_line(row) for row in result["rows"]) or "There are no answers yet."


def _line(row: dict[str, Any]) -> str:
    name = f"{row['task_set'] or row['task']}: {row['subject']}, {row['metric']}"
    if row["stratum"] != "all":
        name += f" [{row['stratum']}]"
    if row["value"] is None:
        return f"{name}: undefined. {Reason(row['undefined_reason']).sentence}"
    interval = ""
    if row["low"] is not None:
        interval = f" [{row['low']:.3f}, {row['high']:.3f}]"
    elif row["interval_reason"]:
        interval = f" (no interval. {Reason(row['interval_reason']).sentence})"
    invalid = f", {row['n_invalid']} not scored" if row["n_invalid"] else ""
    n = f"n = {row['n_units']} in {row['n_cases']} cases{invalid}"
    return f"{name}: {row['value']:.4f}{interval}, {n}"
