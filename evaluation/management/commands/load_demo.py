"""``manage.py load_demo``: the demo study with its accounts."""

from __future__ import annotations

from typing import Any

from annotation.management.base import GavelCommand, Result
from evaluation.demonstrating.services import load_demo_study


class Command(GavelCommand):
    help = "Load the demo study (invented cases) with its accounts; once loaded, change nothing."

    def run(self, **options: Any) -> Result:
        loaded = load_demo_study()
        return {"study": loaded.study.slug, "made": loaded.made}

    def describe(self, result: Result) -> str:
        state = "is loaded" if result["made"] else "was loaded before and is unchanged"
        return f"The demo study {result['study']} {state}."
