"""What the work page shows, in a number of queries that does not grow with the study."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from annotation.annotating import services
from annotation.annotating.forms import visit_token
from annotation.annotating.keys import key_table
from annotation.annotating.kinds import shown_to, work_kind
from annotation.annotating.queues import just_done, neighbours, progress_of
from annotation.checklists.schema import Template
from annotation.kinds.drafts import Draft
from annotation.models import Assignment, User

PANELS = ("comment", "flag", "skip")


def work_page(
    user: User,
    assignment: Assignment,
    *,
    now: datetime,
    view: Mapping[str, str],
    draft: Draft | None = None,
    problem: str = "",
    live: str = "",
) -> dict[str, Any]:
    """Everything the page and its fragments need.

    ``view`` holds the query parameters: ``row`` (the row to go to), ``panel`` (what is unfolded),
    ``from`` (the task just submitted). ``draft`` stands in for the stored one when an answer was
    refused, so that nothing typed is lost; ``problem`` says why. ``live`` is read out before how
    the draft stands.
    """
    task = assignment.task
    task_set = task.task_set
    kind, shown = work_kind(task_set), shown_to(assignment)
    draft = assignment.draft if draft is None else draft
    reach = services.reach(assignment) if assignment.version else None
    before, after = neighbours(user, task_set, assignment)
    came_from = view.get("from", "")
    return {
        "assignment": assignment,
        "task": task,
        "task_set": task_set,
        "study": task_set.study,
        "answer": assignment.current,
        **item_context(task_set.study.template.content, task.item_key),
        **kind.context(shown, draft, view),
        "task_template": kind.template_name(shown),
        "read_only": not task_set.is_open,
        "progress": progress_of(user, task_set, assignment),
        "before": before,
        "after": after,
        "can_undo": bool(reach and reach.undo),
        "can_redo": bool(reach and reach.redo),
        "just_done": just_done(user, assignment, came_from) if came_from else None,
        "saved_at": assignment.changed_at if assignment.version else None,
        "saved_state": "saved" if assignment.version else "idle",
        "draft": draft,
        "panel": view.get("panel") if view.get("panel") in PANELS else "",
        "problem": problem,
        "live": live,
        "op_id": uuid.uuid4(),
        "visit": visit_token(assignment.pk, now),
        "idle_seconds": shown.options.idle_seconds,
        "active_before": services.active_before(assignment),
        "key_table": key_table(task.form),
        "fast": user.fast_mode and task.form == "single",
    }


def item_context(template: dict[str, Any], key: str) -> dict[str, Any]:
    """The item a task asks about, with its group: label, definition, what a value looks like.

    A study may hold tasks about items that its template does not know: their key is shown.
    """
    checklist = Template.from_json(template)
    item = checklist.item_for(key) if key else None
    return {
        "item": item,
        "item_label": item.label if item else key.replace("_", " ").capitalize() or "Comparison",
        "group": checklist.group(item.group) if item else None,
        "case_noun": checklist.nouns.case.one,
    }


def words_of(template: dict[str, Any]) -> tuple[dict[str, str], str]:
    """Item key -> label, and what a case is called."""
    checklist = Template.from_json(template)
    return {item.key: item.label for item in checklist.items}, checklist.nouns.case.one


def conflict_page(
    assignment: Assignment, wanted: Draft | None, posted: Mapping[str, str]
) -> dict[str, Any]:
    """Both sides of a conflict, in words, and what must be sent to keep one's own.

    ``wanted`` is the draft that the refused write would have led to, None if it cannot any more.
    """
    kind, shown = work_kind(assignment.task.task_set), shown_to(assignment)
    return {
        "assignment": assignment,
        "theirs": kind.sentence(shown, assignment.draft),
        "theirs_comment": assignment.draft.get("comment", ""),
        "mine": None if wanted is None else kind.sentence(shown, wanted),
        "mine_comment": (wanted or {}).get("comment", ""),
        "posted": [
            (name, value)
            for name, value in posted.items()
            if name not in ("csrfmiddlewaretoken", "version")
        ],
    }
