"""Migrations: complete, named after what they do, and reversible."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

ROOT = Path(__file__).resolve().parent.parent
APPS = ("annotation", "agent", "evaluation")
FILES = [path for app in APPS for path in (ROOT / app / "migrations").glob("0*.py")]


def test_no_model_has_changed_without_a_migration(db: None) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_name_says_what_the_migration_does(path: Path) -> None:
    name = path.stem.partition("_")[2]
    assert name
    assert not re.match(r"auto_\d|merge|.*_and_more$", name)


def test_numbers_are_used_once() -> None:
    numbers = [(path.parts[-3], path.stem[:4]) for path in FILES]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.django_db(transaction=True)
def test_all_the_way_back_and_forth_again() -> None:
    def tables() -> set[str]:
        return {
            name
            for name in connection.introspection.table_names()
            if name.startswith(tuple(f"{app}_" for app in APPS))
        }

    def triggers() -> set[str]:
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
            else:
                cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            return {name for (name,) in cursor.fetchall()}

    before, guards = tables(), triggers()
    assert {"annotation_answer_append_only", "annotation_event_append_only"} <= guards
    try:
        backwards = MigrationExecutor(connection)
        backwards.migrate([(app, None) for app in reversed(APPS)])
        assert tables() == set()
        assert not {name for name in triggers() if name.endswith("_append_only")}
    finally:
        forwards = MigrationExecutor(connection)
        forwards.migrate(forwards.loader.graph.leaf_nodes())
    assert tables() == before
    assert triggers() == guards


def test_the_models_say_what_the_tables_are(db: None) -> None:
    """The first migration and those after it make every column that the models name."""
    from django.apps import apps

    for app in APPS:
        for model in apps.get_app_config(app).get_models():
            with connection.cursor() as cursor:
                described: list[Any] = connection.introspection.get_table_description(
                    cursor, model._meta.db_table
                )
            columns = {row.name for row in described}
            assert columns == {field.column for field in model._meta.local_concrete_fields}
