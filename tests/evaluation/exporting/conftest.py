"""One bundle of the rich study for all tests that only read or damage it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from evaluation.exporting.services import ANSWERS, BUNDLE, CSV, Wanted, export_study
from tests.evaluation.exporting.studies import make_rich_study


@pytest.fixture(scope="session")
def exported(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with the rich study as ``bundle``, ``csv`` and ``answers``; not to be changed.

    Tests that use it are marked ``django_db``, or there would be no test database to make it in.
    """
    folder = tmp_path_factory.mktemp("exported")
    with django_db_blocker.unblock(), transaction.atomic():
        study = make_rich_study()
        for wanted in (Wanted(BUNDLE), Wanted(CSV), Wanted(ANSWERS)):
            export_study(study, wanted, folder / wanted.format)
        transaction.set_rollback(True)
    return folder


@pytest.fixture
def bundle(exported: Path, tmp_path: Path) -> Path:
    """A copy of the bundle to damage."""
    return Path(shutil.copytree(exported / "bundle", tmp_path / "bundle"))
