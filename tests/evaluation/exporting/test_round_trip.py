"""Out, in, out again: the same bytes; and what a bundle may and may not hold."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from agent.models import Judge
from annotation.errors import Conflict, InvalidInput, Refused
from annotation.managing.services import add_member, create_study
from annotation.models import (
    Answer,
    Assignment,
    AuditEntry,
    Checklist,
    ChecklistVersion,
    Event,
    Evidence,
    Study,
    User,
    Visit,
)
from evaluation.demonstrating.services import load_demo_study
from evaluation.exporting.bundle import FILES
from evaluation.exporting.loading.importing import import_bundle
from evaluation.exporting.services import BUNDLE, Wanted, Written, export_study
from evaluation.exporting.verifying import verify
from evaluation.models import MetaEvaluation
from tests.evaluation.exporting.studies import HOSTILE, answer, make_rich_study
from tests.factories import make_comparison, make_member, make_task_set, make_user

pytestmark = pytest.mark.django_db


def export(study: Study, out: Path, **kwargs: Any) -> Written:
    return export_study(study, Wanted(BUNDLE), out, **kwargs)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_bytes().splitlines()]


def test_what_is_exported_imported_and_exported_again_has_the_same_bytes(tmp_path: Path) -> None:
    study = make_rich_study()
    export(study, tmp_path / "first")
    assert verify(tmp_path / "first") == []
    report = import_bundle(tmp_path / "first", "copy")
    copy = Study.objects.get(slug="copy")
    export(copy, tmp_path / "second")
    assert contents(tmp_path / "second") == contents(tmp_path / "first")
    assert set(contents(tmp_path / "first")) == {*FILES, "manifest.json"}
    created = sum(file.created for file in report.files)
    assert created == sum(len(rows(tmp_path / "first", n.removesuffix(".jsonl"))) for n in FILES)


@pytest.mark.parametrize("name", ["documents", "judge_runs", "checklists"])
def test_a_study_without_some_kind_of_row_goes_round(
    study: Study, tmp_path: Path, name: str
) -> None:
    """The rich study has everything; these have nothing of one kind that others may name."""
    if name != "checklists":
        make_comparison(make_task_set(study), "a", "b")
    if name == "documents":
        Checklist.objects.create(
            case=study.cases.get(), producer_kind="agent", producer="m", template=study.template
        )
    export(study, tmp_path / "first")
    assert rows(tmp_path / "first", name) == []
    import_bundle(tmp_path / "first", "copy")
    export(Study.objects.get(slug="copy"), tmp_path / "second")
    assert contents(tmp_path / "second") == contents(tmp_path / "first")


def test_every_file_of_the_rich_study_has_rows(tmp_path: Path) -> None:
    written = export(make_rich_study(), tmp_path / "out")
    assert [entry.path for entry in written.files if not entry.rows] == []


def test_the_copy_holds_what_people_did(tmp_path: Path) -> None:
    study = make_rich_study()
    export(study, tmp_path / "out")
    import_bundle(tmp_path / "out", "copy")

    def done(slug: str) -> list[Any]:
        of_study = {"assignment__task__task_set__study__slug": slug}
        return [
            sorted(json.dumps(row, sort_keys=True, default=str) for row in queryset)
            for queryset in (
                Answer.objects.filter(**of_study).values_list(
                    "version", "payload", "comment", "flagged", "skip_reason", "active_seconds",
                    "submitted_at", "first_side", "metadata", "guideline__version",
                ),
                Event.objects.filter(**of_study).values_list(
                    "version", "action", "before", "after", "at"
                ),
                Visit.objects.filter(**of_study).values_list(
                    "started_at", "last_seen_at", "active_seconds"
                ),
                Assignment.objects.filter(task__task_set__study__slug=slug).values_list(
                    "status", "draft", "version", "submitted_version", "changed_at", "created_at"
                ),
            )
        ]  # fmt: skip

    assert done("copy") == done("rich")
    assert [len(found) for found in done("rich")] == [8, 12, 12, 9]


def test_an_answer_in_the_copy_still_belongs_to_the_event_that_made_it(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out")
    import_bundle(tmp_path / "out", "copy")
    for slug in ("rich", "copy"):
        answers = Answer.objects.filter(assignment__task__task_set__study__slug=slug)
        made = [
            Event.objects.filter(assignment=a.assignment, op_id=a.op_id).values_list(
                "action", flat=True
            )
            for a in answers.order_by("pk")
        ]
        # Five were submitted or skipped on the page, three came without acts.
        assert sorted(len(found) for found in made) == [0, 0, 0, 1, 1, 1, 1, 1]


def test_names_addresses_and_hosts_are_not_exported(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out")
    everything = b"".join(contents(tmp_path / "out").values()).decode()
    assert "secret" not in everything.casefold()
    assert "example.org" not in everything
    assert rows(tmp_path / "out", "members")[0] == {"pseudonym": "admin-1", "role": "admin"}


def test_accounts_made_for_pseudonyms_cannot_be_used(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out")
    make_user("copy-annotator-1")
    import_bundle(tmp_path / "out", "copy")
    members = Study.objects.get(slug="copy").memberships.select_related("user")
    assert {(m.pseudonym, m.role, m.user.username) for m in members} == {
        ("admin-1", "admin", "copy-admin-1"),
        ("researcher-1", "researcher", "copy-researcher-1"),
        ("annotator-1", "annotator", "copy-annotator-1-2"),
        ("annotator-2", "annotator", "copy-annotator-2"),
        ("annotator-3", "annotator", "copy-annotator-3"),
    }
    assert not any(m.user.is_active or m.user.has_usable_password() for m in members)


def test_a_member_known_by_the_same_pseudonym_gets_the_work(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out")
    study = create_study("copy")
    anna = make_user("anna")
    add_member(study, anna, "annotator", pseudonym="annotator-1")
    import_bundle(tmp_path / "out", "copy")
    assert anna.assignments.count() == 5


def test_a_pseudonym_with_another_role_is_refused(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out")
    study = create_study("copy")
    add_member(study, make_user("anna"), "researcher", pseudonym="annotator-1")
    with pytest.raises(Conflict, match="annotator-1 is researcher in copy and annotator"):
        import_bundle(tmp_path / "out", "copy")
    assert not study.cases.exists()


def test_the_same_bundle_again_changes_nothing(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out")
    import_bundle(tmp_path / "out", "copy")
    add_member(Study.objects.get(slug="copy"), make_user("late"), "annotator")
    before = Answer.objects.count()
    report = import_bundle(tmp_path / "out", "copy")
    assert sum(file.created for file in report.files) == 0
    assert sum(file.unchanged for file in report.files) > 80
    assert Answer.objects.count() == before


def test_a_study_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out")
    other = create_study("other")
    make_comparison(make_task_set(other), "a", "b")
    with pytest.raises(Conflict, match="other is not empty"):
        import_bundle(tmp_path / "out", "other")


def test_nothing_stays_of_an_import_that_fails_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(make_rich_study(), tmp_path / "out")
    users = User.objects.count()

    def fail(*args: Any, **kwargs: Any) -> None:
        raise ValueError("the disk is gone")

    monkeypatch.setattr(MetaEvaluation, "__init__", fail)
    with pytest.raises(Refused, match="the disk is gone"):
        import_bundle(tmp_path / "out", "copy")
    assert not Study.objects.filter(slug="copy").exists()
    assert User.objects.count() == users


def test_a_bundle_that_does_not_verify_is_not_read(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out")
    (tmp_path / "out" / "events.jsonl").unlink()
    with pytest.raises(InvalidInput, match=r"(?s)nothing was read.*events.jsonl: it is missing"):
        import_bundle(tmp_path / "out", "copy")
    assert not Study.objects.filter(slug="copy").exists()


def test_a_template_version_with_other_content_is_refused(tmp_path: Path) -> None:
    study = make_rich_study()
    export(study, tmp_path / "out")
    ChecklistVersion.objects.filter(pk=study.template_id).update(content_hash="0" * 64)
    with pytest.raises(Conflict, match="stored already with another content"):
        import_bundle(tmp_path / "out", "copy")


def test_a_judge_of_the_same_name_and_other_settings_is_kept_apart(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out")
    Judge.objects.filter(name="gemma").update(model="another")
    import_bundle(tmp_path / "out", "copy")
    run = Study.objects.get(slug="copy").judge_runs.get()
    assert (run.judge.name, run.judge.model, run.judge.is_active) == ("gemma-2", "gemma", False)
    assert Judge.objects.get(name="gemma").model == "another"


def test_runs_in_saved_figures_are_those_of_the_study_they_are_in(tmp_path: Path) -> None:
    study = make_rich_study("zero")
    run = study.judge_runs.get()
    export(study, tmp_path / "out")
    row = rows(tmp_path / "out", "meta_evaluations")[0]
    assert (row["inputs"]["runs"], [r["run"] for r in row["rows"]]) == ([1], [1, None])
    import_bundle(tmp_path / "out", "copy")
    copy = Study.objects.get(slug="copy")
    own = copy.judge_runs.get().pk
    assert own != run.pk
    saved = copy.meta_evaluations.get()
    assert (saved.inputs["runs"], [r["run"] for r in saved.rows]) == ([own], [own, None])


def test_a_question_that_is_being_asked_is_exported_as_waiting(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out")
    states = [row["status"] for row in rows(tmp_path / "out", "judge_tasks")]
    assert sorted(states) == ["done", "not_scored", "pending", "pending", "pending"]


@pytest.mark.parametrize("where", ["checklist", "answer", "task"])
def test_a_quote_that_is_not_in_its_text_stops_the_export_and_is_named(
    tmp_path: Path, where: str
) -> None:
    study = make_rich_study()
    row = {"checklist": "filing_date, value 1", "answer": "annotator-1 / version 1", "task": "rest"}
    if where == "checklist":
        Evidence.objects.filter(quote="Woodcock").update(start=9, end=17)
    elif where == "answer":
        summary = study.cases.get(external_id="1001").summaries.get(producer="model-one")
        Evidence.objects.filter(summary=summary).delete()
        summary.text = "x" + summary.text
        summary.save()
    else:
        task = study.task_sets.get(key="rest").tasks.get()
        task.content["spans"][0] = {"start": 1, "end": 5, "quote": "abcd"}
        task.save()
    with pytest.raises(Refused, match=f"{row[where]}.*is not what the text says"):
        export(study, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_work_of_somebody_who_is_no_member_stops_the_export(tmp_path: Path) -> None:
    study = make_rich_study()
    study.memberships.get(pseudonym="annotator-2").delete()
    with pytest.raises(Refused, match="no pseudonym to export it under"):
        export(study, tmp_path / "out")


def test_rows_are_as_many_as_they_should_be(study: Study, tmp_path: Path) -> None:
    """Three tasks, two annotators: six answers, three tasks, every key once."""
    task_set = make_task_set(study)
    tasks = [make_comparison(task_set, "a", f"b{n}") for n in range(3)]
    for name in ("anna", "ben"):
        user = make_member(study, "annotator", name)
        for task in tasks:
            assignment = Assignment.objects.create(
                task=task, annotator=user, position=task.position, first_side="model"
            )
            answer(assignment, {"form": "single", "relation": "equal"})
    export(study, tmp_path / "out")
    answers = rows(tmp_path / "out", "answers")
    assert (len(answers), len(rows(tmp_path / "out", "tasks"))) == (6, 3)
    assert len({(a["task"], a["annotator"], a["round"], a["version"]) for a in answers}) == 6


def test_two_exports_joined_are_the_later_one_after_removing_doubles(tmp_path: Path) -> None:
    study = make_rich_study()
    export(study, tmp_path / "early")
    before = (tmp_path / "early" / "events.jsonl").read_bytes().splitlines()
    assignment = Assignment.objects.get(task__task_set__study=study, status="new")
    Event.objects.create(
        assignment=assignment, op_id=uuid4(),
        version=1, action="choose", actor=assignment.annotator, at=study.created_at,
    )  # fmt: skip
    export(study, tmp_path / "late")
    after = (tmp_path / "late" / "events.jsonl").read_bytes().splitlines()
    assert len(after) == len(before) + 1
    assert set(before) | set(after) == set(after)


def test_settings_of_how_pages_look_do_not_change_an_export(tmp_path: Path) -> None:
    study = make_rich_study()
    export(study, tmp_path / "plain")
    User.objects.update(theme="dark", fast_mode=True, time_zone="Asia/Tokyo", density="compact")
    export(study, tmp_path / "other")
    assert contents(tmp_path / "plain") == contents(tmp_path / "other")


def test_the_manifest_counts_by_state(tmp_path: Path) -> None:
    written = export(make_rich_study(), tmp_path / "out")
    assert written.manifest["counts"] == {
        "checklists": 2,
        "values": 4,
        "evidence": {"exact": 3, "normalised": 1, "fuzzy": 3, "not_found": 2, "not_sought": 1},
        "extraction_runs": {"imported": 1, "own": 1},
        "run_steps": 3,
        "checklist_comparisons": 2,
        "item_verdicts": {"scored": 3, "orientation_unknown": 1, "not_scored": 1},
        "tasks": 7,
        "assignments": {"new": 1, "in_progress": 2, "submitted": 5, "skipped": 1},
        "answers": {"submitted": 6, "skipped": 1, "flagged": 1, "superseded": 1},
        "drafts_in_progress": 2,
        "events": 12,
        "judge_questions": {"pending": 3, "done": 1, "not_scored": 1},
        "verdicts": 1,
    }
    assert written.manifest["seeds"] == {
        "study": 2**60 + 7,
        "judge_runs": {"1": 5},
        "meta_evaluations": {"1": 11},
    }
    assert written.manifest["offsets"] == "code points, half-open"
    assert written.manifest["is_synthetic"] is True


@pytest.mark.slow
def test_the_demo_study_goes_round(tmp_path: Path) -> None:
    study = load_demo_study().study
    export(study, tmp_path / "first")
    import_bundle(tmp_path / "first", "copy")
    export(Study.objects.get(slug="copy"), tmp_path / "second")
    assert contents(tmp_path / "first") == contents(tmp_path / "second")


def test_commands_export_verify_and_import(tmp_path: Path) -> None:
    make_rich_study()
    out = tmp_path / "out"

    def run(*args: str) -> dict[str, Any]:
        stdout = io.StringIO()
        call_command(*args, "--json", stdout=stdout, stderr=io.StringIO())
        return dict(json.loads(stdout.getvalue()))

    written = run("export_study", "rich", "--format", "bundle", "--out", str(out))
    assert written["rows"] == sum(entry["rows"] for entry in written["files"])
    assert len(written["sha256"]) == 64
    assert run("verify_export", str(out)) == {"ok": True, "problems": []}
    assert run("import_bundle", str(out), "--study", "copy")["totals"]["read"] == len(FILES)
    assert AuditEntry.objects.filter(action="study.exported").count() == 1
    assert AuditEntry.objects.filter(action="bundle.imported").count() == 1
    with pytest.raises(CommandError, match="There is no study called nobody"):
        run("export_study", "nobody", "--format", "bundle", "--out", str(tmp_path / "x"))
    with pytest.raises(CommandError, match="invalid choice"):
        run("export_study", "rich", "--format", "xlsx", "--out", str(tmp_path / "x"))


def test_hostile_texts_arrive_as_they_were(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out")
    import_bundle(tmp_path / "out", "copy")
    copy = Study.objects.get(slug="copy")
    assert copy.description == HOSTILE
    assert copy.cases.get(external_id="1001").summaries.get(producer="reference").text == HOSTILE
    assert HOSTILE in copy.task_sets.get(key="pairs").tasks.get(position=2).content["model"]
