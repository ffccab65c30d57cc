"""Handing out the tasks of a set."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Max, Q

from annotation import audit
from annotation.assigning.strategies import balanced, drawn_side, shuffled
from annotation.errors import InvalidInput, NotFound, Refused
from annotation.kinds.comparison import Side
from annotation.kinds.options import ShownOrder, TaskSetOptions
from annotation.models import Assignment, Membership, Study, Task, TaskSet, User

BATCH = 500


@dataclass(frozen=True, slots=True)
class Handed:
    """How many tasks were newly handed out to each person, and how many each now has."""

    assigned: dict[str, int]
    total: dict[str, int]


def annotators_named(study: Study, names: Sequence[str]) -> list[User]:
    """The annotators of ``study`` with these user names, in this order, each once.

    Raises ``NotFound`` naming those without an account, ``Refused`` naming those who are not
    annotators of the study (or whose account is deactivated), ``InvalidInput`` for no name.
    """
    wanted = list(dict.fromkeys(names))
    if not wanted:
        raise InvalidInput("Name at least one annotator.")
    users = {user.username: user for user in User.objects.filter(username__in=wanted)}
    if unknown := [name for name in wanted if name not in users]:
        raise NotFound(
            f"There is no account called {', '.join(unknown)}. "
            "Check the spelling, or make the account first."
        )
    members = set(Membership.objects.annotators(study).values_list("user__username", flat=True))
    if strangers := [name for name in wanted if name not in members]:
        raise Refused(
            f"Not an active annotator of {study.slug}: {', '.join(strangers)}. "
            "Give each the role of annotator there first."
        )
    return [users[name] for name in wanted]


def assign_tasks(
    task_set: TaskSet,
    annotators: Sequence[User],
    *,
    per_task: int,
    seed: int,
    actor: User | None = None,
) -> Handed:
    """Give each task of ``task_set`` to ``per_task`` different people.

    People who have a task already count, so that running it again adds nothing, and a larger
    ``per_task`` adds what is missing. New tasks follow those a person has. Raises ``Refused``
    when the set is closed or empty, or ``per_task`` exceeds the number of annotators;
    ``InvalidInput`` when it is not positive.
    """
    _check(task_set, annotators, per_task)
    people = {user.username: user for user in annotators}
    with transaction.atomic():
        TaskSet.objects.select_for_update().get(pk=task_set.pk)
        tasks = {task.key: task for task in task_set.tasks.order_by("position")}
        if not tasks:
            raise Refused(f"{task_set.key} holds no tasks yet. Import some first.")
        pairs = balanced(list(tasks), list(people), per_task, seed, already=_already(task_set))
        mine: dict[str, list[str]] = defaultdict(list)
        for key, name in pairs:
            mine[name].append(key)
        rows = [
            row
            for name, keys in mine.items()
            for row in _rows(task_set, people[name], [tasks[key] for key in keys], seed)
        ]
        Assignment.objects.bulk_create(rows, batch_size=BATCH)
        handed = _handed(task_set, people, mine)
        audit.log(
            "tasks.assigned",
            actor=actor,
            study=task_set.study,
            target=task_set,
            detail={"assigned": handed.assigned, "per_task": per_task, "seed": seed},
        )
    return handed


def _check(task_set: TaskSet, annotators: Sequence[User], per_task: int) -> None:
    if not task_set.is_open:
        raise Refused(f"{task_set.key} is closed: nobody can answer its tasks any more.")
    if per_task < 1:
        raise InvalidInput("Each task needs at least one annotator.")
    if per_task > len(annotators):
        names = ", ".join(user.username for user in annotators)
        raise Refused(
            f"{per_task} different people a task were asked for, and only {len(annotators)} "
            f"named ({names}). Name more annotators, or ask for fewer a task."
        )


def _already(task_set: TaskSet) -> dict[str, Collection[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    rows = Assignment.objects.filter(task__task_set=task_set, round=1)
    for key, name in rows.values_list("task__key", "annotator__username"):
        found[key].add(name)
    return dict(found)


def _rows(task_set: TaskSet, user: User, tasks: list[Task], seed: int) -> list[Assignment]:
    options = TaskSetOptions.model_validate(task_set.options)
    if options.shuffle:
        by_key = {task.key: task for task in tasks}
        tasks = [by_key[key] for key in shuffled(by_key, seed, user.username)]
    own = Assignment.objects.filter(task__task_set=task_set, annotator=user)
    last = own.aggregate(last=Max("position"))["last"] or 0
    return [
        Assignment(
            task=task,
            annotator=user,
            position=position,
            first_side=_first_side(task_set, task, user, options),
        )
        for position, task in enumerate(tasks, start=last + 1)
    ]


def _first_side(task_set: TaskSet, task: Task, user: User, options: TaskSetOptions) -> Side:
    imported = task.content.get("imported_first")
    if options.shown_order is ShownOrder.IMPORTED and imported:
        return Side(imported)
    return drawn_side(task_set.study.seed, task_set.key, task.key, user.username)


def _handed(task_set: TaskSet, people: dict[str, User], mine: dict[str, list[str]]) -> Handed:
    names = Assignment.objects.filter(
        task__task_set=task_set, annotator__in=people.values()
    ).values_list("annotator__username", flat=True)
    total = Counter(names)
    return Handed(
        assigned={name: len(mine.get(name, ())) for name in people},
        total={name: total[name] for name in people},
    )


def loads(task_set: TaskSet) -> list[dict[str, object]]:
    """Who has tasks of ``task_set``: ``username``, ``total``, ``done``, ``left``."""
    done = Count("pk", filter=~Q(status__in=Assignment.OPEN))
    rows = (
        Assignment.objects.filter(task__task_set=task_set)
        .values("annotator__username")
        .annotate(total=Count("pk"), done=done)
        .order_by("annotator__username")
    )
    return [
        {
            "username": row["annotator__username"],
            "total": row["total"],
            "done": row["done"],
            "left": row["total"] - row["done"],
        }
        for row in rows
    ]


def sentence(handed: Handed) -> str:
    """What was handed out, for people."""
    if not any(handed.assigned.values()):
        return "Nothing to add: each task has enough people already."
    parts = [f"{name} {count}" for name, count in handed.assigned.items()]
    return f"Handed out: {', '.join(parts)}."
