"""The kinds of task that have a work page. Another kind is one more line of ``WORK_KINDS``."""

from __future__ import annotations

from annotation.annotating.comparison import ComparisonWork
from annotation.annotating.work import Shown, WorkKind
from annotation.errors import NotFound
from annotation.kinds.options import TaskSetOptions
from annotation.models import Assignment, TaskSet

WORK_KINDS: dict[str, WorkKind] = {TaskSet.Kind.COMPARISON: ComparisonWork()}


def has_work_page(task_set: TaskSet) -> bool:
    """Whether annotators can answer the tasks of ``task_set`` here."""
    return task_set.kind in WORK_KINDS


def work_kind(task_set: TaskSet) -> WorkKind:
    """Raises ``NotFound`` with a sentence for the annotator when the kind has no work page."""
    try:
        return WORK_KINDS[task_set.kind]
    except KeyError:
        raise NotFound(
            f"“{task_set.title}” holds tasks of the kind “{task_set.get_kind_display()}”, which "
            "have no work page here: their answers are imported. Go back to your other queues."
        ) from None


def shown_to(assignment: Assignment) -> Shown:
    """The task of ``assignment`` as its annotator sees it."""
    return Shown(
        content=assignment.task.content,
        first_side=assignment.first_side,
        options=TaskSetOptions.model_validate(assignment.task.task_set.options),
    )
