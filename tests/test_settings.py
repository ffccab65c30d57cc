"""The settings as a process of its own reads them from its environment."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from annotation.version import CODE_VERSION

ROOT = Path(__file__).resolve().parent.parent
SECRET = "7Jx!" + "q9-w2_E5rT8yU1iO4pA6sD3fG0hJkLzXcVbNmQ" * 2

READ = """
import json, sys, django
django.setup()
from django.conf import settings as s
print(json.dumps({name: str(getattr(s, name)) for name in sys.argv[1:]}))
"""
PRAGMAS = """
import json, django
django.setup()
from django.db import connection, transaction
with connection.cursor() as cursor:
    def ask(name):
        cursor.execute(f"PRAGMA {name}")
        return cursor.fetchone()[0]
    names = ("journal_mode", "busy_timeout", "synchronous", "foreign_keys")
    found = {name: ask(name) for name in names}
with transaction.atomic():
    connection.ensure_connection()
    import sqlite3
    other = sqlite3.connect(connection.settings_dict["NAME"], timeout=0)
    try:
        other.execute("BEGIN IMMEDIATE")
        found["second_writer"] = "let in"
    except sqlite3.OperationalError as error:
        found["second_writer"] = str(error)
print(json.dumps(found))
"""


def run(tmp_path: Path, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
    own = {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "gavel_site.settings",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}",
        **env,
    }
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=own, capture_output=True, text=True, check=False
    )


def values(tmp_path: Path, *names: str, **env: str) -> dict[str, str]:
    done = run(tmp_path, "-c", READ, *names, **env)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_production_refuses_to_start_without_a_secret(tmp_path: Path) -> None:
    done = run(tmp_path, "manage.py", "check", GAVEL_PRODUCTION="1")
    assert done.returncode != 0
    assert "GAVEL_SECRET_KEY is not set" in done.stderr
    assert "GAVEL_SECRET_KEY_FILE" in done.stderr


def test_production_passes_every_check_of_a_deployment(tmp_path: Path) -> None:
    done = run(
        tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING",
        GAVEL_PRODUCTION="1", GAVEL_SECRET_KEY=SECRET,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_only_production_collects_static_files(tmp_path: Path) -> None:
    assert values(tmp_path, "STATIC_ROOT") == {"STATIC_ROOT": "None"}
    found = values(tmp_path, "STATIC_ROOT", GAVEL_PRODUCTION="1", GAVEL_SECRET_KEY=SECRET)
    assert found == {"STATIC_ROOT": str(ROOT / "staticfiles")}


def test_without_any_setting_the_site_is_for_this_machine_and_quiet(tmp_path: Path) -> None:
    found = values(tmp_path, "DEBUG", "ALLOWED_HOSTS", "PRODUCTION")
    assert found == {
        "DEBUG": "False",
        "ALLOWED_HOSTS": "['localhost', '127.0.0.1', '[::1]']",
        "PRODUCTION": "False",
    }


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(SECRET + "\n")
    found = values(tmp_path, "SECRET_KEY", GAVEL_PRODUCTION="1", GAVEL_SECRET_KEY_FILE=str(file))
    assert found["SECRET_KEY"].strip() == SECRET


@pytest.mark.parametrize(
    ("url", "engine"),
    [
        ("sqlite:///x.sqlite3", "django.db.backends.sqlite3"),
        ("postgres://gavel:pw@db.example:5433/gavel", "django.db.backends.postgresql"),
    ],
)
def test_the_database_is_that_of_the_url(tmp_path: Path, url: str, engine: str) -> None:
    found = values(tmp_path, "DATABASES", DATABASE_URL=url)["DATABASES"]
    assert engine in found
    if "postgres" in url:
        assert all(part in found for part in ("gavel", "db.example", "5433"))
        assert "journal_mode" not in found


def test_sqlite_is_set_up_for_several_writers(tmp_path: Path) -> None:
    done = run(tmp_path, "-c", PRAGMAS)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "journal_mode": "wal",
        "busy_timeout": 20_000,  # milliseconds
        "synchronous": 2,  # FULL: a commit that was acknowledged survives a power cut
        "foreign_keys": 1,
        "second_writer": "database is locked",
    }
    with sqlite3.connect(tmp_path / "db.sqlite3") as stored:
        assert stored.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    stored.close()


def test_reading_the_settings_makes_nothing(tmp_path: Path) -> None:
    values(tmp_path, "DEBUG")
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == CODE_VERSION
