"""An import or export that is given up leaves nothing, wherever it is."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from agent.models import ExtractionRun
from annotation.errors import Conflict, Refused
from annotation.importing.cancelling import Cancelled
from annotation.managing.services import create_study
from annotation.models import Case, Study
from evaluation.exporting.loading import importing
from evaluation.exporting.loading.importing import import_bundle
from evaluation.exporting.loading.writing import Spool
from evaluation.exporting.services import BUNDLE, Wanted, export_study
from tests.evaluation.exporting.studies import make_rich_study

pytestmark = pytest.mark.django_db


def everything() -> dict[str, int]:
    """The number of rows of every table."""
    return {model._meta.label: model._default_manager.count() for model in apps.get_models()}


def moments(folder: Path) -> int:
    """How often an import of the bundle tells its progress."""
    told: list[int] = []
    import_bundle(folder, "try", dry_run=True, progress=lambda done, total: told.append(done))
    return len(told)


class Stops:
    """A progress callback that raises when it is called for the n-th time."""

    def __init__(self, n: int, error: type[BaseException]) -> None:
        self.left, self.error = n, error

    def __call__(self, done: int, total: int) -> None:
        self.left -= 1
        if self.left <= 0:
            raise self.error("enough")


def test_a_rehearsal_keeps_nothing(bundle: Path) -> None:
    before = everything()
    report = import_bundle(bundle, "copy", dry_run=True)
    assert sum(file.created for file in report.files) > 90
    assert everything() == before


def test_progress_goes_from_nothing_to_the_whole(bundle: Path) -> None:
    told: list[tuple[int, int]] = []
    import_bundle(bundle, "copy", progress=lambda done, total: told.append((done, total)))
    size = sum(path.stat().st_size for path in bundle.iterdir())
    assert {total for _, total in told} == {3 * size}
    assert told == sorted(told)
    assert told[-1] == (3 * size, 3 * size)


def test_nothing_stays_whenever_it_is_cancelled(bundle: Path) -> None:
    """While it is verified, prepared, and in the transaction (the last moment but one)."""
    before = everything()
    last = moments(bundle)
    assert last > 20
    for n, error in (
        (1, Cancelled),
        (last // 2, KeyboardInterrupt),
        (last - 1, Cancelled),
        (last - 1, KeyboardInterrupt),
    ):
        with pytest.raises(error):
            import_bundle(bundle, "copy", progress=Stops(n, error))
        assert everything() == before, n


def test_nothing_stays_when_the_database_refuses_a_row_in_the_middle(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything()
    write = Spool.write

    def twice(spool: Spool, *args: Any) -> Any:
        write(spool, *args)
        return write(spool, *args)  # every case stands there already

    monkeypatch.setattr(Spool, "write", twice)
    with pytest.raises(Refused, match="cannot store this bundle"):
        import_bundle(bundle, "copy")
    connection.check_constraints()
    assert everything() == before


def test_nothing_is_stored_before_everything_is_prepared(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others can write until the transaction begins: until then there is nothing of the study."""
    seen: list[bool] = []
    prepare = importing._prepared

    def watched(*args: Any) -> Any:
        target = prepare(*args)
        seen.append(Study.objects.filter(slug="copy").exists() or Case.objects.exists())
        return target

    monkeypatch.setattr(importing, "_prepared", watched)
    import_bundle(bundle, "copy")
    assert seen == [False]
    assert Case.objects.count() == 2


def test_what_is_stored_meanwhile_is_not_overwritten(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = importing._prepared

    def overtaken(*args: Any) -> Any:
        Case.objects.create(study=create_study("copy"), external_id="mine")
        return prepare(*args)

    monkeypatch.setattr(importing, "_prepared", overtaken)
    with pytest.raises(Conflict, match="something was stored in it meanwhile"):
        import_bundle(bundle, "copy")
    assert [case.external_id for case in Case.objects.all()] == ["mine"]


def test_ids_are_never_given_twice(bundle: Path) -> None:
    """Neither those of rows that are there, nor those of rows that are gone."""
    import_bundle(bundle, "first")
    known = set(ExtractionRun.objects.values_list("pk", flat=True))
    ExtractionRun.objects.filter(run_steps__isnull=True).delete()
    import_bundle(bundle, "second")
    new = set(ExtractionRun.objects.filter(case__study__slug="second").values_list("pk", flat=True))
    assert len(new) == 2
    assert not new & known
    assert ExtractionRun.objects.create(
        case=Case.objects.first(), source="own", model="m", method="all"
    ).pk > max(new)


def test_a_cancelled_export_leaves_no_folder(tmp_path: Path) -> None:
    study = make_rich_study()
    for n, error in ((1, Cancelled), (5, KeyboardInterrupt), (20, Cancelled)):
        with pytest.raises(error):
            export_study(study, Wanted(BUNDLE), tmp_path / "out", progress=Stops(n, error))
        assert list(tmp_path.iterdir()) == []


def test_an_export_tells_its_rows(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    written = export_study(
        make_rich_study(),
        Wanted(BUNDLE),
        tmp_path / "out",
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == sorted(told)
    done, total = told[-1]
    # The study, its template, its two guidelines and its judge are not counted beforehand.
    assert done == total == written.rows - 5


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_commands_show_progress_on_a_terminal_and_one_object_otherwise(bundle: Path) -> None:
    out, shown = io.StringIO(), Terminal()
    call_command(
        "import_bundle", str(bundle), "--study", "copy", "--json", stdout=out, stderr=shown
    )
    assert out.getvalue().count("\n") == 1
    assert "Kilobytes: " in shown.getvalue()
    shown, quiet = Terminal(), io.StringIO()
    call_command("verify_export", str(bundle), stdout=out, stderr=shown)
    call_command("verify_export", str(bundle), stdout=out, stderr=quiet)
    assert "Kilobytes: " in shown.getvalue()
    assert quiet.getvalue() == ""


def test_a_command_that_is_stopped_says_what_it_left(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["evaluation.management.commands.import_bundle"]

    def stopped(*args: Any, **kwargs: Any) -> Iterator[None]:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "import_bundle", stopped)
    with pytest.raises(CommandError, match="Nothing of the bundle was stored") as caught:
        call_command("import_bundle", str(bundle), "--study", "copy")
    assert caught.value.returncode == 130
