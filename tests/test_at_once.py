"""Two people do the same at the same moment: one wins, the other gets a sentence."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from agent.connecting.services import add_judge
from agent.models import Judge
from annotation.errors import Conflict, DomainError
from annotation.managing.services import create_study, newest_template, store_template
from annotation.models import (
    Assignment,
    Case,
    ChecklistVersion,
    ImportReport,
    Study,
    Summary,
    Task,
    TaskSet,
    User,
)
from tests.factories import make_comparison, make_member, make_study, make_task_set

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*jobs: Callable[[], Any]) -> list[Any]:
    """What each job gave or raised, all of them started together in threads of their own."""
    start = threading.Barrier(len(jobs))
    found: list[Any] = [None] * len(jobs)

    def run(place: int, job: Callable[[], Any]) -> None:
        try:
            start.wait(10)
            found[place] = job()
        except (DomainError, CommandError) as error:
            found[place] = error
        except Exception as error:  # noqa: BLE001  whatever it is, the test shows it
            found[place] = f"{type(error).__name__}: {error}"
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return found


def command(name: str, *words: Any) -> dict[str, Any]:
    out = StringIO()
    call_command(name, *map(str, words), "--json", stdout=out, stderr=StringIO())
    return dict(json.loads(out.getvalue()))


def test_two_studies_of_one_name() -> None:
    found = at_once(*[lambda: command("create_study", "same")] * 4)
    won = [one for one in found if isinstance(one, dict)]
    lost = [str(one) for one in found if isinstance(one, CommandError)]
    assert len(won) == 1
    assert len(lost) == 3, found
    assert set(lost) == {"There is a study called same already. Choose another name."}
    assert Study.objects.count() == ChecklistVersion.objects.count() == 1


def test_two_judges_of_one_name() -> None:
    def add() -> Judge:
        return add_judge("same", base_url="https://example.org/v1", model="m")

    found = at_once(*[add] * 4)
    assert sum(isinstance(one, Judge) for one in found) == 1
    assert sum(isinstance(one, Conflict) for one in found) == 3, found


def test_a_version_stored_meanwhile_is_taken_or_refused() -> None:
    """Another content under the same name is never taken for one's own."""
    from annotation.checklists.loader import load_builtin

    template = load_builtin("legal-26")
    found = at_once(*[lambda: store_template(template)] * 4)
    assert {one.pk for one in found} == {ChecklistVersion.objects.get().pk}
    renamed = template.model_copy(update={"version": template.version + "b"})
    if renamed.content_hash() == template.content_hash():
        with pytest.raises(Conflict, match="already"):
            store_template(renamed)
    else:
        assert store_template(renamed).version == renamed.version


def pairs_file(folder: Path, name: str = "pairs.json") -> Path:
    """Three pairs of two cases, as the comparison interface writes them."""
    model, reference = "m_summarization.json", "human.json"
    pairs = [
        {"item_A": f"May {n}, 2020", "item_B": f"{n} May 2020", "is_list": False} for n in (1, 2, 3)
    ]
    content = {
        "keys": [
            {"case_id": case, "checklist_item": "Filing Date", "source_pair_idx": 0}
            for case in ("1", "2", "3")
        ],
        "value_pairs": pairs,
        "orders": [[model, reference]] * 3,
        "metadata": {"data_pair_list": [[model, reference]]},
    }
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def test_two_imports_of_one_file_into_a_study_that_is_not_there(tmp_path: Path) -> None:
    path = pairs_file(tmp_path)
    words = ("import_tasks", path, "--study", "new", "--format", "comparison")
    found = at_once(*[lambda: command(*words)] * 3)
    assert all(isinstance(one, dict) for one in found), found
    totals = [one["totals"] for one in found]
    assert sorted((t["created"], t["unchanged"]) for t in totals) == [(0, 3), (0, 3), (3, 0)]
    assert (Task.objects.count(), Case.objects.count()) == (3, 3)
    assert (TaskSet.objects.count(), ImportReport.objects.count()) == (1, 3)


def test_two_imports_that_share_cases(tmp_path: Path) -> None:
    """Different sets, so that only the cases are contended."""
    make_study("shared")
    path = pairs_file(tmp_path)

    def load(key: str) -> dict[str, Any]:
        words = ("--study", "shared", "--format", "comparison", "--task-set", key)
        return command("import_tasks", path, *words)

    found = at_once(*[lambda key=key: load(key) for key in ("one", "two", "three")])
    assert all(isinstance(one, dict) and one["totals"]["created"] == 3 for one in found), found
    assert (Task.objects.count(), Case.objects.count()) == (9, 3)


def test_two_imports_of_one_release(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "summaries"
    folder.mkdir(parents=True)
    cases = {
        str(n): {"summary/long": f"Text {n}.", "filing_date": "2020-01-02", "case_type": "civil"}
        for n in range(20)
    }
    (folder / "human.json").write_text(json.dumps(cases))
    make_study("released")
    found = at_once(*[lambda: command("import_release", tmp_path, "--study", "released")] * 3)
    assert all(isinstance(one, dict) for one in found), found
    assert sorted(one["totals"]["created"] for one in found) == [0, 0, 40]
    assert (Case.objects.count(), Summary.objects.count()) == (20, 20)


def test_the_tasks_of_a_set_are_handed_out_once() -> None:
    study = make_study()
    task_set = make_task_set(study)
    for n in range(10):
        make_comparison(task_set, f"a{n}", f"b{n}")
    names = ",".join(make_member(study, "annotator", f"p{n}").username for n in range(3))
    words = ("--study", study.slug, "--task-set", task_set.key, "--annotators", names)
    found = at_once(
        *[lambda: command("assign", *words, "--per-task", 2, "--seed", 1)] * 3,
    )
    assert all(isinstance(one, dict) for one in found), found
    assert sorted(sum(one["assigned"].values()) for one in found) == [0, 0, 20]
    assert Assignment.objects.count() == 20


@pytest.mark.slow
def test_the_demo_is_loaded_once() -> None:
    found = at_once(*[lambda: command("load_demo")] * 2)
    assert all(isinstance(one, dict) for one in found), found
    assert sorted(one["made"] for one in found) == [False, True]
    assert Study.objects.count() == 1


def test_a_database_that_is_not_prepared_is_a_sentence() -> None:
    """A table that is missing, as before the first migrate: a sentence and exit code 1."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE annotation_study RENAME TO away")
    try:
        with pytest.raises(CommandError, match="cannot be used now") as refused:
            command("create_study", "early")
        assert refused.value.returncode == 1
        assert "migrate" in str(refused.value)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE away RENAME TO annotation_study")


def test_newest_template_is_stored_once_however_many_ask() -> None:
    found = at_once(*[lambda: newest_template("legal-26").pk] * 4)
    assert len(set(found)) == 1, found
    assert User.objects.count() == 0
    assert create_study("after").template_id == found[0]
