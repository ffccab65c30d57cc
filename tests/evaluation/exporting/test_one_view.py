"""An export is of one moment, and keeps nobody from writing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from annotation.models import Study
from evaluation.exporting.reading import one_view
from evaluation.exporting.services import BUNDLE, Wanted, export_study
from evaluation.exporting.verifying import verify
from tests.evaluation.exporting.studies import make_rich_study

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import threading
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.db import connection
from annotation.managing.services import create_study
from annotation.models import Study
from evaluation.exporting.reading import one_view
create_study("one")

def write():
    Study.objects.update(name="changed")
    connection.close()

with one_view():
    before = Study.objects.get().name
    writer = threading.Thread(target=write)
    writer.start()
    writer.join(10)
    assert not writer.is_alive(), "the writer had to wait"
    during = Study.objects.get().name
print(before, during, Study.objects.get().name)
"""


@pytest.mark.django_db(transaction=True)
def test_an_export_outside_of_a_transaction_is_sound(tmp_path: Path) -> None:
    study = make_rich_study()
    assert not connection.in_atomic_block
    export_study(study, Wanted(BUNDLE), tmp_path / "out")
    assert verify(tmp_path / "out") == []
    Study.objects.update(name="writing goes on")


@pytest.mark.django_db(transaction=True)
def test_a_failure_inside_ends_the_view() -> None:
    with pytest.raises(ZeroDivisionError), one_view():
        _ = 1 / Study.objects.count()
    Study.objects.update(name="writing goes on")


@pytest.mark.slow
def test_a_writer_does_not_wait_and_is_not_seen(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "gavel_site.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stdout == "one one changed\n", done.stderr
