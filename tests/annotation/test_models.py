"""The invariants that the database itself keeps, on the database in use."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, IntegrityError, connection, models, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from agent.models import ExtractionRun, Judge, RunStep
from annotation import audit
from annotation.managing.services import set_guidelines
from annotation.managing.tokens import make_token
from annotation.models import (
    Answer,
    ApiToken,
    Assignment,
    AuditEntry,
    Case,
    Checklist,
    ChecklistItem,
    ChecklistValue,
    ChecklistVersion,
    Event,
    Evidence,
    Guideline,
    Membership,
    SourceDocument,
    Study,
    Summary,
    Task,
    TaskSet,
    User,
    Visit,
)
from evaluation.models import ChecklistComparison, ItemVerdict, JudgeCall, JudgeRun, JudgeTask
from tests.factories import (
    make_answer,
    make_assignment,
    make_case,
    make_comparison,
    make_run,
    make_summary,
    make_task_set,
    make_user,
    make_verdict,
)

EQUAL = {"form": "single", "relation": "equal"}


class Full:
    """A study that holds a row of everything."""

    def __init__(self, study: Study, annotator: User) -> None:
        self.study, self.annotator = study, annotator
        self.task_set = make_task_set(study)
        self.task = make_comparison(self.task_set, "a", "b")
        self.second = make_comparison(self.task_set, "a", "b")
        self.case = make_case(study)
        self.reference = make_summary(self.case, "It was filed.")
        self.document = self.a_document("complaint", 1)
        self.document.save()
        self.assignment = make_assignment(self.task, annotator)
        self.answer = make_answer(self.assignment, EQUAL)
        self.event = self.an_event()
        self.event.save()
        self.visit = self.a_visit()
        self.visit.save()
        self.guideline = set_guidelines(study, "How to")
        self.run = make_run(self.task_set)
        self.question = self.run.judge_tasks.order_by("pk")[0]
        self.verdict = make_verdict(self.question, EQUAL)
        self.checklist = self.a_checklist(summary=self.reference)
        self.checklist.save()
        self.over_documents = self.a_checklist(summary=None)
        self.over_documents.save()
        self.item = ChecklistItem.objects.create(
            checklist=self.checklist, item_key="filing_date", state="values"
        )
        self.value = ChecklistValue.objects.create(item=self.item, position=1, text="1999")
        self.quote = self.evidence(position=1)
        self.quote.save()
        self.token = make_token(annotator)[0]
        self.extraction_run = ExtractionRun.objects.create(
            case=self.case, source="imported", model="m", method="all"
        )
        RunStep.objects.create(run=self.extraction_run, kind="event", position=0)
        self.comparison = ChecklistComparison.objects.create(
            case=self.case, comparer="c", model_name="m", extractor="e"
        )
        self.a_verdict(item_key="appeal", payload=EQUAL).save()

    def a_document(self, name: str, position: int) -> SourceDocument:
        return SourceDocument(
            case=self.case, name=name, position=position, text="x", original_sha256="0" * 64
        )

    def an_event(self, **fields: Any) -> Event:
        full = {"op_id": uuid.UUID(int=7), "version": 1, "action": "note", **fields}
        now = timezone.now()
        return Event(assignment=self.assignment, actor=self.annotator, at=now, **full)

    def a_visit(self, **fields: Any) -> Visit:
        now = timezone.now()
        full = {"token": uuid.UUID(int=7), "started_at": now, "last_seen_at": now, **fields}
        return Visit(assignment=self.assignment, **full)

    def a_checklist(self, summary: Summary | None, **fields: Any) -> Checklist:
        full = {"producer_kind": "judge", "producer": "rules", **fields}
        template = self.study.template
        return Checklist(case=self.case, summary=summary, template=template, **full)

    def evidence(self, **fields: Any) -> Evidence:
        full = {"position": 2, "start": 0, "end": 2, "quote": "It", "found": "exact", **fields}
        return Evidence(value=self.value, **full)

    def a_verdict(self, **fields: Any) -> ItemVerdict:
        full = {"item_key": "trials", "orientation": "known", "status": "read", **fields}
        return ItemVerdict(comparison=self.comparison, raw="model equals reference", **full)

    def an_answer(self, **fields: Any) -> Answer:
        full: dict[str, Any] = {
            "version": 2,
            "op_id": uuid.uuid4(),
            "outcome": "submitted",
            "payload": EQUAL,
            "first_side": "model",
            "template": self.study.template,
            "submitted_at": timezone.now(),
            **fields,
        }
        return Answer(assignment=self.assignment, **full)

    def a_spare_answer(self) -> Answer:
        spare = self.an_answer()
        spare.save()
        return spare

    def an_assignment(self, **fields: Any) -> Assignment:
        full = {"task": self.second, "position": 9, "first_side": "model", **fields}
        return Assignment(annotator=self.annotator, **full)

    def a_run(self, **fields: Any) -> JudgeRun:
        full = {"judge_snapshot": {}, "prompt_hash": "0", "code_version": "0", "seed": 0, **fields}
        judge = self.run.judge
        return JudgeRun(study=self.study, task_set=self.task_set, judge=judge, **full)

    def a_task(self, **fields: Any) -> Task:
        full = {"key": "new", "position": 99, "content": {}, "content_hash": "0", **fields}
        return Task(task_set=self.task_set, case=self.case, **full)

    def a_summary(self, **fields: Any) -> Summary:
        full = {"kind": "model", "producer": "m", "text": "x", "word_count": 1, **fields}
        return Summary(case=self.case, original_sha256="0" * 64, **full)

    def a_template(self, **fields: Any) -> ChecklistVersion:
        full = {"key": self.study.template.key, "version": "9.9", "content_hash": "0", **fields}
        return ChecklistVersion(name="n", content={}, **full)


@pytest.fixture
def full(study: Study, annotator: User) -> Full:
    return Full(study, annotator)


Bad = Callable[[Full], models.Model]

# Constraint -> rows that it alone must refuse.
BAD: dict[str, list[Bad]] = {
    "answer_version_once": [lambda w: w.an_answer(version=1)],
    "answer_payload_unless_skipped": [
        lambda w: w.an_answer(payload=None),
        lambda w: w.an_answer(outcome="skipped"),
        lambda w: w.an_answer(outcome="lost"),
    ],
    "answer_seconds_not_negative": [
        lambda w: w.an_answer(active_seconds=-0.1),
        lambda w: w.an_answer(wall_seconds=-1),
    ],
    "event_once_an_act": [lambda w: w.an_event(version=2)],
    "event_once_a_version": [lambda w: w.an_event(op_id=uuid.UUID(int=8))],
    "assignment_once_a_round": [lambda w: w.an_assignment(task=w.task)],
    "assignment_status_known": [
        lambda w: w.an_assignment(status="lost", current=w.a_spare_answer()),
    ],
    "assignment_done_has_answer": [
        lambda w: w.an_assignment(status="submitted"),
        lambda w: w.an_assignment(status="skipped"),
    ],
    "assignment_first_side_known": [lambda w: w.an_assignment(first_side="a")],
    "visit_once": [lambda w: w.a_visit()],
    "visit_active_not_negative": [
        lambda w: w.a_visit(token=uuid.UUID(int=8), active_seconds=-1)
    ],
    "case_once_a_study": [lambda w: Case(study=w.study, external_id=w.case.external_id)],
    "document_name_once_a_case": [lambda w: w.a_document("complaint", 2)],
    "document_position_once": [lambda w: w.a_document("answer", 1)],
    "summary_once_a_producer": [lambda w: w.a_summary(producer="reference")],
    "summary_one_reference_a_case": [lambda w: w.a_summary(kind="reference", producer="second")],
    "summary_kept_share_0_1": [
        lambda w: w.a_summary(kept_share=1.01),
        lambda w: w.a_summary(kept_share=-0.01),
    ],
    "template_version_once": [lambda w: w.a_template(version=w.study.template.version)],
    "template_content_once": [lambda w: w.a_template(content_hash=w.study.template.content_hash)],
    "checklist_once_a_summary_and_producer": [lambda w: w.a_checklist(summary=w.reference)],
    "checklist_once_a_case_and_producer": [lambda w: w.a_checklist(summary=None)],
    "item_once_a_checklist": [
        lambda w: ChecklistItem(checklist=w.checklist, item_key="filing_date", state="absent")
    ],
    "value_position_once": [lambda w: ChecklistValue(item=w.item, position=1, text="2000")],
    "evidence_position_once": [lambda w: w.evidence(position=1)],
    "evidence_start_before_end": [
        lambda w: w.evidence(start=2, end=2),
        lambda w: w.evidence(start=3, end=2),
        lambda w: w.evidence(start=None, end=None),
        lambda w: w.evidence(start=0, end=None),
        lambda w: w.evidence(found="not_found"),
        lambda w: w.evidence(found="not_sought"),
    ],
    "evidence_in_one_text": [lambda w: w.evidence(summary=w.reference, document=w.document)],
    "membership_once_a_study": [
        lambda w: Membership(
            study=w.study, user=w.annotator, role="researcher", pseudonym="researcher-1"
        )
    ],
    "membership_pseudonym": [
        lambda w: Membership(
            study=w.study, user=make_user("twin"), role="annotator", pseudonym="annotator-1"
        )
    ],
    "membership_role_known": [
        lambda w: Membership(study=w.study, user=make_user("twin"), role="king", pseudonym="k")
    ],
    "guideline_version_once": [lambda w: Guideline(study=w.study, version=1, text="x")],
    "task_set_once_a_study": [lambda w: TaskSet(study=w.study, key="pairs", kind="style")],
    "task_set_overlap_positive": [
        lambda w: TaskSet(study=w.study, key="new", kind="style", overlap=0)
    ],
    "task_once_a_set": [lambda w: w.a_task(key=w.task.key)],
    "task_position_once": [lambda w: w.a_task(position=w.task.position)],
    "api_token_one_in_force": [
        lambda w: ApiToken(user=w.annotator, digest="1" * 64, prefix="gavel_x")
    ],
    "judge_has_its_endpoint": [
        lambda w: Judge(name="j", kind="rules", base_url="http://x/"),
        lambda w: Judge(name="j", kind="openai", model="m"),
        lambda w: Judge(name="j", kind="openai", base_url="http://x/"),
        lambda w: Judge(name="j", kind="oracle"),
    ],
    "judge_concurrency_1_256": [
        lambda w: Judge(name="j", kind="rules", concurrency=0),
        lambda w: Judge(name="j", kind="rules", concurrency=257),
    ],
    "judge_timeout_positive": [lambda w: Judge(name="j", kind="rules", timeout_seconds=0)],
    "judge_run_repeats_positive": [lambda w: w.a_run(repeats=0)],
    "judge_task_once_a_run": [
        lambda w: JudgeTask(run=w.run, task=w.task, first_side="reference")
    ],
    "judge_task_first_side_known": [
        lambda w: JudgeTask(run=w.run, task=w.task, repeat=2, first_side="b")
    ],
    "judge_call_once": [
        lambda w: JudgeCall(
            judge_task=w.question, attempt=1, request={}, request_hash="0", at=timezone.now()
        )
    ],
    "extraction_run_imported_once": [
        lambda w: ExtractionRun(case=w.case, source="imported", model="m", method="all")
    ],
    "run_step_once": [lambda w: RunStep(run=w.extraction_run, kind="event", position=0)],
    "checklist_comparison_once": [
        lambda w: ChecklistComparison(case=w.case, comparer="c", model_name="m", extractor="e")
    ],
    "item_verdict_once": [lambda w: w.a_verdict(item_key="appeal")],
    "item_verdict_only_oriented_is_scored": [
        lambda w: w.a_verdict(orientation="unknown", payload={}),
        lambda w: w.a_verdict(status="not_scored", payload={}),
    ],
    "item_verdict_first_side_known": [lambda w: w.a_verdict(first_side="a")],
}  # fmt: skip

APPS = ("annotation", "agent", "evaluation")
CONSTRAINTS = {
    constraint.name: model
    for app in APPS
    for model in apps.get_app_config(app).get_models()
    for constraint in model._meta.constraints
}


def test_every_named_constraint_stands_in_the_table() -> None:
    assert set(BAD) == set(CONSTRAINTS)


@pytest.mark.parametrize(
    ("name", "number"), [(name, n) for name, rows in BAD.items() for n in range(len(rows))]
)
def test_a_bad_row_is_refused_by_the_database(name: str, number: int, full: Full) -> None:
    row = BAD[name][number](full)
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        row.save(force_insert=True)
    assert _names(str(caught.value), name)


def _names(message: str, name: str) -> bool:
    """PostgreSQL names every constraint, SQLite a unique one by its columns."""
    if name in message:
        return True
    constraint = next(c for c in CONSTRAINTS[name]._meta.constraints if c.name == name)
    if not isinstance(constraint, models.UniqueConstraint):
        return False
    table = CONSTRAINTS[name]._meta
    columns = [f"{table.db_table}.{table.get_field(f).column}" for f in constraint.fields]  # type: ignore[union-attr]
    return message == "UNIQUE constraint failed: " + ", ".join(columns)


def test_good_rows_beside_the_bad_ones_are_accepted(full: Full) -> None:
    """What is refused above is refused for one reason only."""
    other = make_user("twin")
    for row in (
        full.an_answer(),
        full.an_answer(version=3, outcome="skipped", payload=None),
        full.an_event(version=2, op_id=uuid.UUID(int=8)),
        full.an_assignment(),
        full.a_visit(token=uuid.UUID(int=8)),
        full.a_document("answer", 2),
        full.a_summary(kept_share=0.5),
        full.a_template(),
        full.a_checklist(summary=full.reference, method="second"),
        full.evidence(summary=full.reference),
        full.evidence(position=3, found="not_found", start=None, end=None),
        full.a_task(),
        full.a_run(),
        TaskSet(study=full.study, key="new", kind="style"),
        Judge(name="j", kind="openai", base_url="http://x/", model="m"),
        JudgeTask(run=full.run, task=full.task, repeat=2, first_side="reference"),
        Membership(study=full.study, user=other, role="annotator", pseudonym="annotator-9"),
        ApiToken(user=other, digest="1" * 64, prefix="gavel_x"),
        ApiToken(user=full.annotator, digest="2" * 64, prefix="gavel_x", revoked_at=timezone.now()),
    ):
        row.save(force_insert=True)


def test_an_answers_id_is_used_once_in_the_whole_database(full: Full) -> None:
    row = full.an_answer(op_id=full.answer.op_id)
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


def append_only_rows(full: Full) -> dict[str, tuple[models.Model, str, Any]]:
    entry = audit.log("study.created", actor=None, study=full.study)
    return {
        "annotation_answer": (full.answer, "comment", "changed"),
        "annotation_event": (full.event, "action", "changed"),
        "annotation_auditentry": (entry, "action", "changed"),
    }


@pytest.mark.parametrize(
    "table", ["annotation_answer", "annotation_event", "annotation_auditentry"]
)
def test_a_row_that_may_only_be_added_cannot_be_changed(table: str, full: Full) -> None:
    row, field, value = append_only_rows(full)[table]
    before = getattr(row, field)
    manager = type(row)._default_manager
    setattr(row, field, value)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        row.save()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        manager.filter(pk=row.pk).update(**{field: value})
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        manager.bulk_update([row], [field])
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE {table} SET {field} = 'changed'")  # noqa: S608
    assert getattr(manager.get(pk=row.pk), field) == before


@pytest.mark.parametrize(
    "name", ["study", "annotator", "task_set", "task", "case", "assignment", "answer", "guideline"]
)
def test_what_has_answers_cannot_be_deleted(name: str, full: Full) -> None:
    if name == "guideline":
        full.an_answer(guideline=full.guideline).save()
    with pytest.raises(ProtectedError):
        getattr(full, name).delete()
    assert Answer.objects.filter(pk=full.answer.pk).exists()


def test_an_author_of_audit_entries_cannot_be_deleted(db: None) -> None:
    actor = make_user("actor")
    audit.log("study.created", actor=actor)
    with pytest.raises(ProtectedError):
        actor.delete()
    assert AuditEntry.objects.filter(actor=actor).exists()


def test_what_a_judge_answered_cannot_be_deleted_with_the_judge_or_the_study(full: Full) -> None:
    with pytest.raises(ProtectedError):
        full.run.judge.delete()
    with pytest.raises(ProtectedError):
        full.study.template.delete()


def test_the_foreign_keys_are_enforced(full: Full) -> None:
    def point_nowhere() -> None:
        with transaction.atomic():
            Task.objects.filter(pk=full.task.pk).update(case_id=999_999)
            connection.check_constraints()

    with pytest.raises(IntegrityError):
        point_nowhere()
