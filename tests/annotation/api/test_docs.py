"""docs/api.md names every route and filter of the API, and no others."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.test_permissions import TABLE

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(studies/[^|]*)\| ([^|]*)\|", TEXT, flags=re.MULTILINE)
PREFIX = "api/v1/"


def documented() -> dict[str, set[str]]:
    """Route of a list -> its filters, as the table of routes has them."""
    return {
        routes.split("`")[0]: set(re.findall(r"[?&](\w+)=", what))
        for routes, what in ((routes, what) for routes, what in ROWS)
    }


def test_every_route_is_named() -> None:
    named = {part for routes, _ in ROWS for part in re.findall(r"[^`,]+", routes) if part.strip()}
    short = {
        re.sub(r"<\w+:(\w+)>", r"<\1>", route.removeprefix(PREFIX)).replace("<pk>", "<id>")
        for route in TABLE
        if route.startswith(PREFIX + "studies")
    }
    in_full = {name if name.startswith("studies/") else f"studies/<slug>/{name}" for name in named}
    assert in_full == short


@pytest.mark.parametrize("route", ["schema/", "docs/"])
def test_the_schema_and_its_page_are_named(route: str) -> None:
    assert f"/{PREFIX}{route}" in TEXT


def test_every_filter_is_named() -> None:
    out = StringIO()
    call_command("spectacular", format="openapi-json", stdout=out)
    schema: dict[str, Any] = json.loads(out.getvalue())
    in_schema = {
        path.removeprefix("/api/v1/").replace("{", "<").replace("}", ">"): {
            row["name"] for row in methods["get"].get("parameters", []) if row["in"] == "query"
        }
        - {"page"}
        for path, methods in schema["paths"].items()
        if not path.endswith("{id}/")
    }
    assert documented() == in_schema
