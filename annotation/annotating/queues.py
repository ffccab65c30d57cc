"""An annotator's tasks in one set: what is done, what is next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q

from annotation.annotating.services import assignment_of
from annotation.errors import DomainError, NotFound
from annotation.models import Assignment, TaskSet, User
from annotation.models.assignments import AssignmentQuerySet
from annotation.permissions import Right, require
from annotation.web import number_in

PAGE = 100
FILTERS = ("all", "open", "submitted", "skipped", "flagged", "changed")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the annotator is in a set; ``number`` is the place of the task that is shown."""

    total: int
    done: int
    number: int = 0

    @property
    def left(self) -> int:
        return self.total - self.done


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One task in the list. ``number`` is its place in the whole queue, ``label`` its item."""

    number: int
    label: str
    assignment: Assignment


def set_for(user: User, task_set_id: int) -> TaskSet:
    """The task set if ``user`` annotates there. Raises ``NotFound``, ``NotAllowed``."""
    task_set = TaskSet.objects.select_related("study__template").filter(pk=task_set_id).first()
    if task_set is None:
        raise NotFound("There is no such set of tasks among yours. Go back to the start page.")
    require(user, task_set.study, Right.ANNOTATE)
    return task_set


def mine_in(user: User, task_set: TaskSet) -> AssignmentQuerySet:
    """The assignments of ``user`` in ``task_set``, in order."""
    return Assignment.objects.of(user).filter(task__task_set=task_set).in_order()


def _after(shown: Assignment) -> Q:
    return Q(position__gt=shown.position) | Q(position=shown.position, pk__gt=shown.pk)


def _before(shown: Assignment) -> Q:
    return Q(position__lt=shown.position) | Q(position=shown.position, pk__lt=shown.pk)


def progress_of(user: User, task_set: TaskSet, shown: Assignment | None = None) -> Progress:
    """Counts, in one query."""
    upto = _before(shown) | Q(pk=shown.pk) if shown else Q(pk=None)
    counts = mine_in(user, task_set).aggregate(
        total=Count("pk"),
        done=Count("pk", filter=~Q(status__in=Assignment.OPEN)),
        number=Count("pk", filter=upto),
    )
    return Progress(**counts)


def next_open(user: User, task_set: TaskSet, after: Assignment | None = None) -> Assignment | None:
    """The next task that is neither submitted nor skipped; after the last one, the first left."""
    waiting = mine_in(user, task_set).open()
    if after is None:
        return waiting.first()
    waiting = waiting.exclude(pk=after.pk)
    return waiting.filter(_after(after)).first() or waiting.first()


def neighbours(user: User, task_set: TaskSet, shown: Assignment) -> tuple[int | None, int | None]:
    """The ids of the tasks before and after ``shown``, whatever their state."""
    mine = mine_in(user, task_set).values_list("pk", flat=True)
    before = mine.filter(_before(shown)).order_by("-position", "-pk").first()
    return before, mine.filter(_after(shown)).first()


def just_done(user: User, shown: Assignment, assignment_id: str) -> Assignment | None:
    """The done assignment that the annotator came from, if it is one of the same open set."""
    number = number_in(assignment_id)
    if number is None:
        return None
    try:
        found = assignment_of(user, number)
    except DomainError:
        return None
    same_set = found.task.task_set_id == shown.task.task_set_id
    return found if same_set and found.is_done and found.pk != shown.pk else None


def queue(
    user: User, task_set: TaskSet, state: str, page: str | None, labels: Mapping[str, str]
) -> tuple[Page, list[QueueRow]]:
    """One page of the tasks of ``user`` in ``task_set``, in order.

    ``state`` is one of ``FILTERS``; ``labels`` names the items by their keys.
    """
    mine = mine_in(user, task_set)
    kept = {
        "open": Q(status__in=Assignment.OPEN),
        "submitted": Q(status=Assignment.Status.SUBMITTED),
        "skipped": Q(status=Assignment.Status.SKIPPED),
        "flagged": Q(draft__flagged=True),
        "changed": Q(submitted_version__isnull=False) & ~Q(submitted_version=F("version")),
    }.get(state, Q())
    numbers = {pk: n for n, pk in enumerate(mine.values_list("pk", flat=True), start=1)}
    found = Paginator(mine.filter(kept).select_related("task__case", "current"), PAGE)
    shown = found.get_page(page)
    rows = [
        QueueRow(numbers[row.pk], labels.get(row.task.item_key, row.task.item_key), row)
        for row in shown.object_list
    ]
    return shown, rows


def outcome_counts(user: User, task_set: TaskSet) -> dict[str, int]:
    """How the tasks of ``user`` ended: ``submitted``, ``skipped``, ``flagged``."""
    return mine_in(user, task_set).aggregate(
        submitted=Count("pk", filter=Q(status=Assignment.Status.SUBMITTED)),
        skipped=Count("pk", filter=Q(status=Assignment.Status.SKIPPED)),
        flagged=Count("pk", filter=Q(current__flagged=True)),
    )
