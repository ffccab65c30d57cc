"""Load the demo study: invented cases, three annotators' answers, a finished baseline run."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from agent.connecting.services import rules_judge
from annotation import audit
from annotation.assigning.services import assign_tasks
from annotation.errors import Conflict, Refused
from annotation.importing.checklists import store_items
from annotation.importing.services import BATCH, content_hash
from annotation.kinds import extraction
from annotation.managing.services import add_member, create_study, set_guidelines
from annotation.models import (
    Answer,
    Assignment,
    Case,
    Checklist,
    ChecklistItem,
    Guideline,
    Role,
    SourceDocument,
    Study,
    Summary,
    Task,
    TaskSet,
    User,
    Visit,
)
from annotation.text.normalise import normalise_text
from evaluation.demo.content import load_demo
from evaluation.demo.people import DEMO_PASSWORD, SITE_ADMIN, STAFF
from evaluation.demo.study import DemoAnswer, DemoCase, DemoStudy, DemoTask
from evaluation.judging.services import start_run
from evaluation.judging.working import work, worker_name

TRY_IT = "try-it"
# Enough to feel the work, few enough to finish: every n-th pair of the finished set.
TRY_EVERY = 5


@dataclass(frozen=True)
class Loaded:
    """The demo study, and whether it was made now."""

    study: Study
    made: bool


def load_demo_study() -> Loaded:
    """Make the demo study, its accounts and its finished run; once made, change nothing.

    Raises ``Refused`` on a production site: the demo's passwords are public.
    """
    if settings.PRODUCTION:
        raise Refused("The demo has public passwords. It is not loaded on a production site.")
    demo = load_demo()
    existing = Study.objects.filter(slug=demo.key).first()
    if existing is not None:
        return Loaded(existing, made=False)
    try:
        study = _demo_study(demo)
    except Conflict:  # somebody else loaded it at this moment
        return Loaded(Study.objects.get(slug=demo.key), made=False)
    comparison = study.task_sets.get(key="comparison")
    run = start_run(study, comparison, rules_judge())
    work(run.pk, worker=worker_name())
    return Loaded(study, made=True)


def _demo_study(demo: DemoStudy) -> Study:
    """The study with everything but the run. Raises ``Conflict`` when it is there already."""
    with transaction.atomic():
        study = create_study(
            demo.key,
            template_key=demo.template,
            name=demo.title,
            seed=demo.seed,
            is_synthetic=True,
        )
        study.description = demo.notice
        study.save(update_fields=["description"])
        guideline = set_guidelines(study, demo.guidelines)
        people = _people(study, demo)
        cases = {case.case_id: _case(study, case) for case in demo.cases}
        _checklists(study, demo, cases)
        for kind in dict.fromkeys(task.kind for task in demo.tasks):
            _task_set(study, demo, kind, cases, people, guideline)
        _try_it(study, people)
        audit.log("demo.loaded", actor=None, study=study, target=study)
    return study


def demo_accounts() -> list[tuple[str, str]]:
    """User name and role of each demo account that exists here, annotators first."""
    memberships = (
        User.objects.filter(memberships__study__is_synthetic=True, is_active=True)
        .order_by("memberships__role", "username")
        .values_list("username", "memberships__role")
    )
    known = {name for name, _ in STAFF} | {person.key for person in load_demo().annotators}
    found = [(name, role) for name, role in memberships if name in known]
    return sorted(found, key=lambda pair: (pair[1] != Role.ANNOTATOR, pair[1]))


def _account(name: str, *, is_site_admin: bool = False) -> User:
    user, made = User.objects.get_or_create(
        username=name, defaults={"is_staff": is_site_admin, "is_superuser": is_site_admin}
    )
    if made:
        user.set_password(DEMO_PASSWORD)
        user.save(update_fields=["password"])
    return user


def _people(study: Study, demo: DemoStudy) -> dict[str, User]:
    people = {}
    for annotator in demo.annotators:
        people[annotator.key] = _account(annotator.key)
        add_member(study, people[annotator.key], Role.ANNOTATOR, pseudonym=annotator.key)
    for name, role in STAFF:
        add_member(study, _account(name, is_site_admin=name == SITE_ADMIN), role)
    return people


@dataclass(frozen=True)
class _StoredCase:
    row: Case
    summaries: dict[str, Summary]


def _case(study: Study, case: DemoCase) -> _StoredCase:
    row = Case.objects.create(
        study=study,
        external_id=case.case_id,
        title=case.title,
        filing_date=case.filing_date,
        case_type=case.case_type,
        metadata=dict(case.metadata),
    )
    for position, document in enumerate(case.documents, start=1):
        text = normalise_text(document.text)
        SourceDocument.objects.create(
            case=row,
            name=document.name,
            document_type=document.type,
            date=document.date,
            position=position,
            text=text.text,
            original_sha256=text.original_sha256,
            metadata=dict(document.metadata),
        )
    summaries = {}
    for summary in case.summaries:
        text = normalise_text(summary.text)
        kind = Summary.Kind.REFERENCE if summary.is_reference else Summary.Kind.MODEL
        summaries[summary.key] = Summary.objects.create(
            case=row,
            kind=kind,
            producer=summary.key,
            text=text.text,
            original_sha256=text.original_sha256,
            word_count=len(text.text.split()),
            metadata=dict(summary.metadata),
        )
    return _StoredCase(row, summaries)


def _checklists(study: Study, demo: DemoStudy, cases: dict[str, _StoredCase]) -> None:
    for checklist in demo.checklists:
        case = cases[checklist.case_id]
        row = Checklist.objects.create(
            case=case.row,
            summary=case.summaries[checklist.summary_key],
            producer_kind=Checklist.Producer.GOLD,
            producer=checklist.producer,
            template=study.template,
            metadata={"synthetic": True},
        )
        answer = extraction.parse_answer(checklist.payload)
        store_items(row, {key: item.values for key, item in answer.items.items()})
        not_applicable = [
            key
            for key, item in answer.items.items()
            if item.state is extraction.ItemState.NOT_APPLICABLE
        ]
        row.items.filter(item_key__in=not_applicable).update(
            state=ChecklistItem.State.NOT_APPLICABLE
        )


def _task_set(
    study: Study,
    demo: DemoStudy,
    kind: str,
    cases: dict[str, _StoredCase],
    people: dict[str, User],
    guideline: Guideline,
) -> None:
    tasks = [task for task in demo.tasks if task.kind == kind]
    task_set = TaskSet.objects.create(
        study=study,
        key=kind,
        title=TaskSet.Kind(kind).label,
        kind=kind,
        overlap=len(people),
        source={"demo": True},
    )
    Task.objects.bulk_create(
        [_task(task_set, task, cases, position) for position, task in enumerate(tasks, start=1)]
    )
    assign_tasks(task_set, list(people.values()), per_task=len(people), seed=study.seed)
    given = {
        (row.task.key, row.annotator.username): row
        for row in Assignment.objects.filter(task__task_set=task_set).select_related(
            "task", "annotator"
        )
    }
    pairs = [(given[task.key, a.annotator], task, a) for task in tasks for a in task.answers]
    answers = Answer.objects.bulk_create(
        [_answer(study, row, task, answer, guideline) for row, task, answer in pairs]
    )
    Visit.objects.bulk_create([_visit(study, row, task, answer) for row, task, answer in pairs])
    for stored, (row, task, answer) in zip(answers, pairs, strict=True):
        row.status = Assignment.Status.SUBMITTED
        row.current = stored
        row.draft = _draft(task.kind, answer.payload)
        row.submitted_version = row.version
    changed = ["status", "current", "draft", "submitted_version"]
    Assignment.objects.bulk_update([row for row, _, _ in pairs], changed, batch_size=BATCH)


def _task(task_set: TaskSet, task: DemoTask, cases: dict[str, _StoredCase], position: int) -> Task:
    case = cases[task.case_id]
    return Task(
        task_set=task_set,
        key=task.key,
        position=position,
        case=case.row,
        summary=case.summaries[task.summary_key],
        item_key=task.item_key,
        form=task.content.get("form", ""),
        content=task.content,
        content_hash=content_hash(task.content),
        metadata={"synthetic": True},
    )


def _name(study: Study, task: DemoTask, answer: DemoAnswer) -> str:
    return f"{study.slug}/{task.key}/{answer.annotator}"


def _answer(
    study: Study, assignment: Assignment, task: DemoTask, answer: DemoAnswer, guideline: Guideline
) -> Answer:
    """An answer as if it had been given on the page."""
    name = _name(study, task, answer)
    return Answer(
        assignment=assignment,
        version=1,
        op_id=uuid.uuid5(uuid.NAMESPACE_URL, f"gavel-demo:{name}"),
        outcome=Answer.Outcome.SUBMITTED,
        payload=answer.payload,
        first_side=assignment.first_side,
        active_seconds=answer.active_seconds,
        wall_seconds=answer.wall_seconds,
        guideline=guideline,
        template=study.template,
        submitted_at=datetime.fromisoformat(answer.submitted_at),
        metadata={"synthetic": True},
    )


def _visit(study: Study, assignment: Assignment, task: DemoTask, answer: DemoAnswer) -> Visit:
    name = _name(study, task, answer)
    return Visit(
        assignment=assignment,
        token=uuid.uuid5(uuid.NAMESPACE_URL, f"gavel-demo-visit:{name}"),
        started_at=datetime.fromisoformat(answer.opened_at),
        last_seen_at=datetime.fromisoformat(answer.submitted_at),
        active_seconds=answer.active_seconds,
    )


def _draft(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """The working copy from which an answer of a comparison can be edited."""
    if kind != TaskSet.Kind.COMPARISON:
        return {}
    if payload["form"] == "single":
        return {"relation": payload["relation"]}
    return {
        "pairs": payload["pairs"],
        "none_model": payload["only_model"],
        "none_reference": payload["only_reference"],
    }


def _try_it(study: Study, people: dict[str, User]) -> None:
    """A small set that nobody has answered, so that each demo annotator has work to do."""
    finished = study.task_sets.get(key=TaskSet.Kind.COMPARISON)
    task_set = TaskSet.objects.create(
        study=study,
        key=TRY_IT,
        title="Try it: a few comparisons",
        kind=TaskSet.Kind.COMPARISON,
        overlap=len(people),
        source={"demo": True},
    )
    Task.objects.bulk_create(
        Task(
            task_set=task_set,
            key=task.key,
            position=position,
            case_id=task.case_id,
            summary_id=task.summary_id,
            item_key=task.item_key,
            form=task.form,
            content=task.content,
            content_hash=task.content_hash,
            metadata=task.metadata,
        )
        for position, task in enumerate(finished.tasks.order_by("position")[::TRY_EVERY], start=1)
    )
    assign_tasks(task_set, list(people.values()), per_task=len(people), seed=study.seed)
