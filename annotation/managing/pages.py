"""What the pages of a study show, gathered with a constant number of queries."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.annotating.kinds import has_work_page
from annotation.checklists.schema import Item, Template
from annotation.errors import NotFound
from annotation.kinds import comparison
from annotation.kinds.style import ASPECTS
from annotation.models import Answer, Assignment, Membership, Study, Task, TaskSet, User
from annotation.permissions import Right, rights_in


@dataclass(frozen=True)
class SetRow:
    """A task set with its counts: ``needed`` answers are overlap x tasks.

    Answers are counted as they count everywhere: each person's current one, also while it is being
    edited again.
    """

    task_set: TaskSet
    tasks: int
    assigned: int
    submitted: int
    skipped: int
    flagged: int

    @property
    def needed(self) -> int:
        return self.tasks * self.task_set.overlap


def _count(queryset: QuerySet[Any], field: str) -> Coalesce:
    """The number of rows of ``queryset`` that belong to the outer row, as a subquery."""
    counted = (
        queryset.filter(**{field: OuterRef("pk")}).order_by().values(field).annotate(n=Count("pk"))
    )
    return Coalesce(Subquery(counted.values("n")), 0)


def set_rows(study: Study) -> list[SetRow]:
    """The task sets of ``study`` with their counts, in the order of their keys."""
    given = Assignment.objects.all()
    in_set = "task__task_set"
    sets = study.task_sets.annotate(
        n_tasks=_count(Task.objects.all(), "task_set"),
        n_assigned=_count(given, in_set),
        n_submitted=_count(given.filter(current__outcome=Answer.Outcome.SUBMITTED), in_set),
        n_skipped=_count(given.filter(current__outcome=Answer.Outcome.SKIPPED), in_set),
        n_flagged=_count(given.filter(current__flagged=True), in_set),
    ).order_by("kind", "key")
    return [
        SetRow(s, s.n_tasks, s.n_assigned, s.n_submitted, s.n_skipped, s.n_flagged) for s in sets
    ]


def study_page(user: User, study: Study) -> dict[str, Any]:
    """Context of the study page; only counts of others' work, and those by right."""
    rights = rights_in(user, study)
    context: dict[str, Any] = {
        "study": study,
        "rights": {right.value for right in rights},
        "guideline": study.guidelines.order_by("-version").first(),
        "sets": set_rows(study) if Right.SEE_ANSWERS in rights else [],
        "my_queues": my_queues(user, study),
    }
    if Right.SEE_ANSWERS in rights:
        context |= {
            "case_count": study.cases.count(),
            "summary_counts": dict(
                study.cases.values_list("summaries__kind").annotate(n=Count("summaries"))
            ),
            "document_count": study.cases.aggregate(n=Count("documents"))["n"],
            "members": _members(study),
        }
    return context


def _members(study: Study) -> QuerySet[Membership]:
    return study.memberships.select_related("user").order_by("role", "pseudonym")


def my_queues(user: User, study: Study | None = None) -> list[dict[str, Any]]:
    """Task sets with tasks given to ``user``: ``set``, ``total``, ``done``, ``left``, ``has_page``.

    ``has_page`` is false for a kind whose answers are imported and cannot be given here.
    """
    mine = Assignment.objects.of(user)
    if study is not None:
        mine = mine.filter(task__task_set__study=study)
    counts = {
        row["task__task_set"]: row
        for row in mine.values("task__task_set").annotate(
            total=Count("pk"), left=Count("pk", filter=Q(status__in=Assignment.OPEN))
        )
    }
    sets = TaskSet.objects.filter(pk__in=counts).select_related("study")
    queues = [
        {
            "set": task_set,
            "total": counts[task_set.pk]["total"],
            "left": counts[task_set.pk]["left"],
            "done": counts[task_set.pk]["total"] - counts[task_set.pk]["left"],
            "has_page": has_work_page(task_set),
        }
        for task_set in sets.order_by("study__slug", "key")
    ]
    # What somebody can go on with stands first.
    return sorted(queues, key=lambda queue: not (queue["has_page"] and queue["left"]))


def tasks_of(
    task_set: TaskSet, *, form: str = "", item: str = "", case: str = "", state: str = ""
) -> QuerySet[Task]:
    """The tasks of a set with ``n_submitted``, ``n_flagged`` and ``n_skipped``, filtered.

    ``state``: ``waiting`` (fewer answers than the overlap), ``flagged`` or ``skipped``.
    """
    given = Assignment.objects.all()
    tasks = (
        task_set.tasks.select_related("case")
        .annotate(
            n_submitted=_count(given.filter(current__outcome=Answer.Outcome.SUBMITTED), "task"),
            n_skipped=_count(given.filter(current__outcome=Answer.Outcome.SKIPPED), "task"),
            n_flagged=_count(given.filter(current__flagged=True), "task"),
        )
        .order_by("position")
    )
    if form:
        tasks = tasks.filter(form=form)
    if item:
        tasks = tasks.filter(item_key=item)
    if case:
        tasks = tasks.filter(case__external_id=case)
    if state == "waiting":
        tasks = tasks.filter(n_submitted__lt=task_set.overlap)
    elif state == "flagged":
        tasks = tasks.filter(n_flagged__gt=0)
    elif state == "skipped":
        tasks = tasks.filter(n_skipped__gt=0)
    return tasks


@dataclass(frozen=True)
class TaskRow:
    """One task in a list."""

    task: Task
    label: str
    group: str
    sizes: str


def task_rows(tasks: list[Task], template: Template) -> list[TaskRow]:
    """Tasks with the words that a list shows."""
    return [TaskRow(task, *_item_words(task, template), sizes=_sizes(task)) for task in tasks]


def _item_words(task: Task, template: Template) -> tuple[str, str]:
    item = item_of(task, template)
    return (item.label, template.group(item.group).colour) if item else (task.item_key, "")


def item_of(task: Task, template: Template) -> Item | None:
    """The checklist item a task is about.

    None for a task about a whole summary, or about an item that the template does not know.
    """
    return template.item_for(task.item_key) if task.item_key else None


def _sizes(task: Task) -> str:
    if task.form == "list":
        return f"{len(task.content['model'])} × {len(task.content['reference'])}"
    return ""


def task_by_id(study: Study, key: str, pk: int) -> Task:
    """Raises ``NotFound`` for a task of another set or study."""
    task = (
        Task.objects.filter(task_set__study=study, task_set__key=key, pk=pk)
        .select_related("task_set", "case", "summary")
        .first()
    )
    if task is None:
        raise NotFound(f"{study.slug} has no such task in {key}.")
    return task


@dataclass(frozen=True)
class AnswerRow:
    """One current answer, under a pseudonym, in words."""

    answer: Answer
    pseudonym: str
    lines: list[str]


def answers_to(task: Task, pseudonyms: dict[int, str]) -> list[AnswerRow]:
    """The current answers to ``task`` in the order of the pseudonyms."""
    answers = Answer.objects.filter(assignment__task=task, assignment__current=F("pk"))
    rows = [
        AnswerRow(
            answer,
            pseudonyms.get(answer.assignment.annotator_id, "former member"),
            describe_answer(task, answer),
        )
        for answer in answers.select_related("assignment")
    ]
    return sorted(rows, key=lambda row: row.pseudonym)


def pseudonyms_in(study: Study) -> dict[int, str]:
    """User key -> pseudonym, for all members."""
    return dict(study.memberships.values_list("user_id", "pseudonym"))


RELATION_WORDS = {
    comparison.Relation.EQUAL: "equal",
    comparison.Relation.MODEL_CONTAINS: "model contains reference",
    comparison.Relation.REFERENCE_CONTAINS: "reference contains model",
    comparison.Relation.DIFFERENT: "different",
}


def describe_answer(task: Task, answer: Answer) -> list[str]:
    """An answer in short lines for people; a skipped one says its reason."""
    if answer.payload is None:
        return [f"skipped: {answer.skip_reason or 'no reason given'}"]
    return describe_payload(task.task_set.kind, answer.payload)


def describe_payload(kind: str, payload: dict[str, Any]) -> list[str]:
    """The payload of an answer or a verdict in short lines; numbers count from 1."""
    if kind == TaskSet.Kind.COMPARISON:
        return _comparison_lines(comparison.parse_answer(payload))
    if kind == TaskSet.Kind.STYLE:
        return [f"{aspect.replace('_', ' ')}: {payload['ratings'][aspect]}" for aspect in ASPECTS]
    if kind == TaskSet.Kind.RESIDUAL:
        return [
            f"{fact['text']} (span {', '.join(str(i + 1) for i in fact['spans'])})"
            for fact in payload["facts"]
        ] or ["no facts"]
    counts = Counter(item["state"] for item in payload["items"].values())
    values = sum(len(item["values"]) for item in payload["items"].values())
    return [f"{values} values in {counts['values']} items; {counts['absent']} items absent"]


def _comparison_lines(answer: comparison.SingleAnswer | comparison.ListAnswer) -> list[str]:
    if isinstance(answer, comparison.SingleAnswer):
        return [RELATION_WORDS[answer.relation]]
    matched = [f"model {m + 1} – reference {r + 1}" for m, r in sorted(answer.pairs)]
    only_model = ", ".join(str(i + 1) for i in answer.only_model)
    only_reference = ", ".join(str(i + 1) for i in answer.only_reference)
    return (
        (matched or ["no matches"])
        + ([f"only in the model: {only_model}"] if only_model else [])
        + ([f"only in the reference: {only_reference}"] if only_reference else [])
    )
