"""Task sets from files: made when they are new, filled with tasks that never change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

from django.db.models import Max
from pydantic import ValidationError

from annotation.errors import InvalidInput
from annotation.importing.formats import Manner
from annotation.importing.services import BATCH, content_hash, import_each
from annotation.kinds.options import TaskSetOptions
from annotation.models import Case, Study, Summary, Task, TaskSet
from annotation.records.report import FileReport, ImportReport
from annotation.text.normalise import storable_text

LARGEST_OVERLAP = 100
_TASK_SET_KEY = re.compile(r"[A-Za-z0-9_-]{1,80}")


@dataclass(frozen=True, slots=True)
class WantedSet:
    """The task set that tasks go into; ``overlap`` and ``options`` are those of a new one.

    Raises ``InvalidInput`` for a key, an overlap or options that cannot be.
    """

    key: str
    kind: str
    overlap: int = 3
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _TASK_SET_KEY.fullmatch(self.key):
            raise InvalidInput(
                f"“{self.key[:40]}” cannot name a task set: use letters, digits, - and _ "
                "(at most 80)."
            )
        if not 1 <= self.overlap <= LARGEST_OVERLAP:
            raise InvalidInput(f"The overlap must be 1 to {LARGEST_OVERLAP} annotators a task.")
        read_options(self.options)


@dataclass(frozen=True, slots=True)
class NewTask:
    """A task as a file has it. ``place`` is how problems name it; ``content`` is plain JSON."""

    key: str
    case_id: str
    content: dict[str, Any]
    place: str
    item_key: str = ""
    form: str = ""
    summary: Summary | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)


class TaskManner(Manner, total=False):
    """How tasks are imported; ``overlap`` and ``options`` are those of a new task set."""

    overlap: int
    options: Mapping[str, Any] | None


Read = Callable[[Path, FileReport], list[NewTask]]


def import_tasks(
    files: list[Path],
    study: Study,
    task_set: tuple[str, str],
    read: Read,
    *,
    kind: str,
    overlap: int = 3,
    options: Mapping[str, Any] | None = None,
    **how: Unpack[Manner],
) -> ImportReport:
    """Make tasks of ``files``, each wholly or not at all; ``kind`` names the import in its report.

    ``task_set`` is the key and the kind of the set that they go into. ``read`` gives the tasks of
    one file, and may store what they refer to: it runs inside the file's transaction. Importing a
    file again changes nothing; a task whose key is stored with other content is a problem. Raises
    ``InvalidInput`` when the set is there and of another kind or with other options.
    """
    wanted = WantedSet(*task_set, overlap, options or {})

    def store(path: Path, report: FileReport) -> None:
        tasks = read(path, report)
        if tasks:
            store_tasks(task_set_for(study, wanted, path), tasks, report)

    return import_each(files, study, store, kind=kind, **how)


def read_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a task set, checked; those left out are at their default and not stored.

    Raises ``InvalidInput`` with the names that there are.
    """
    try:
        return TaskSetOptions.model_validate(options).model_dump(mode="json", exclude_unset=True)
    except ValidationError as error:
        first = error.errors()[0]
        known = ", ".join(TaskSetOptions.model_fields)
        name = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"Option {name}: {first['msg']}. The options are: {known}.") from error


def task_set_for(study: Study, wanted: WantedSet, path: Path) -> TaskSet:
    """The set called so, locked, made from the file ``path`` if there is none.

    It is titled as its kind; where a set of the study has that title, with its key as well.
    Raises ``InvalidInput`` when it is there and of another kind or with other options.
    """
    options = read_options(wanted.options)
    title = str(TaskSet.Kind(wanted.kind).label)
    if study.task_sets.filter(title=title).exists():
        title = f"{title}: {wanted.key}"
    task_set, _ = TaskSet.objects.get_or_create(
        study=study,
        key=wanted.key,
        defaults={
            "title": title,
            "kind": wanted.kind,
            "overlap": wanted.overlap,
            "options": options,
            "source": {"file": storable_text(path.name)},
        },
    )
    if task_set.kind != wanted.kind:
        raise InvalidInput(
            f"{study.slug} has a task set called {wanted.key} of another kind ({task_set.kind}). "
            "Name another task set (--task-set)."
        )
    if options and options != task_set.options:
        raise InvalidInput(
            f"{wanted.key} was made with other options, and answers may depend on them. "
            "Name another task set (--task-set), or leave the options out."
        )
    return TaskSet.objects.select_for_update().get(pk=task_set.pk)


def store_tasks(task_set: TaskSet, tasks: Iterable[NewTask], report: FileReport) -> None:
    """Store the tasks that are new, behind those there are; the others are counted or a problem."""
    tasks = list(tasks)
    cases = cases_called(task_set.study, {task.case_id for task in tasks}, report)
    stored = dict(task_set.tasks.values_list("key", "content_hash"))
    position = task_set.tasks.aggregate(last=Max("position"))["last"] or 0
    new: list[Task] = []
    for task in tasks:
        digest = content_hash(task.content)
        if task.key in stored:
            if stored[task.key] == digest:
                report.unchanged += 1
            else:
                report.problem(
                    task.place,
                    f"{task.key} is stored in {task_set.key} with other values, and tasks never "
                    "change. Import this file into another task set (--task-set).",
                )
            continue
        position += 1
        new.append(
            Task(
                task_set=task_set,
                key=task.key,
                position=position,
                case=cases[task.case_id],
                summary=task.summary,
                item_key=task.item_key,
                form=task.form,
                content=task.content,
                content_hash=digest,
                metadata=dict(task.metadata),
            )
        )
    Task.objects.bulk_create(new, batch_size=BATCH)
    report.created += len(new)


def cases_called(study: Study, ids: set[str], report: FileReport) -> dict[str, Case]:
    """The cases called ``ids``; those not known yet are made, known by their id alone."""
    known = set(study.cases.filter(external_id__in=ids).values_list("external_id", flat=True))
    if ids - known:
        report.found["new_cases_without_texts"] = len(ids - known)
    Case.objects.bulk_create(
        [Case(study=study, external_id=case_id) for case_id in sorted(ids - known)],
        batch_size=BATCH,
    )
    return {case.external_id: case for case in study.cases.filter(external_id__in=ids)}
