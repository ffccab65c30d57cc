"""What an annotator does to an assignment: act, undo, redo, submit, skip, reopen, and time spent.

Every write names the assignment, the version that was shown and an id of its own (``op_id``):
the same write sent twice is done once, and one made from a stale page is refused. Each is an
event; submits and skips are answers too. No row is ever overwritten but the draft, whose every
state the events hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Max, Sum

from annotation.annotating.kinds import shown_to, work_kind
from annotation.annotating.work import Act
from annotation.errors import Conflict, InvalidInput, NotFound, Refused
from annotation.kinds.drafts import REDO, UNDO, Change, Draft, Reachable, difference, reachable
from annotation.models import Answer, Assignment, Event, Guideline, User, Visit
from annotation.permissions import Right, require

SUBMIT = "submit"
SKIP = "skip"
REOPEN = "reopen"
LONGEST_TEXT = 10_000
CLOCK_SLACK = timedelta(seconds=2)  # a page's clock may run a little ahead of the server's


class Stale(Conflict):
    """The assignment has changed since it was shown; ``current`` is how it stands now."""

    code = "stale"

    def __init__(self, current: Assignment) -> None:
        super().__init__(
            "This task has changed since this page was opened, in another tab or on another "
            "computer. Nothing was overwritten. Keep what you have here, or take what is stored."
        )
        self.current = current


@dataclass(frozen=True, slots=True)
class Stay:
    """What a page reports of the time spent there."""

    token: UUID
    started_at: datetime
    active_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """What every write names: its own id, the version that was shown, when, and the stay."""

    op_id: UUID
    version: int
    now: datetime
    stay: Stay | None = None


@dataclass(slots=True)
class _Step:
    action: str
    before: Draft
    after: Draft


def assignment_of(user: User, assignment_id: int) -> Assignment:
    """The assignment if it is ``user``'s own, with task, set, study, template, case and answer.

    Raises ``NotFound`` otherwise, whether or not somebody else has it, and ``NotAllowed`` to a
    member who no longer annotates.
    """
    return _own(
        user,
        assignment_id,
        Assignment.objects.select_related(
            "task__task_set__study__template", "task__case", "current"
        ),
    )


def _own(user: User, assignment_id: int, queryset: Any) -> Assignment:
    assignment: Assignment | None = queryset.of(user).filter(pk=assignment_id).first()
    if assignment is None:
        raise NotFound("There is no such task among yours. Go back to your queue.")
    require(user, assignment.task.task_set.study, Right.ANNOTATE)
    return assignment


def _locked(user: User, assignment_id: int) -> Assignment:
    """The assignment, locked until the transaction ends."""
    locked = Assignment.objects.select_for_update(of=("self",)).select_related(
        "task__task_set__study__template"
    )
    return _own(user, assignment_id, locked)


def _require_open(assignment: Assignment) -> None:
    task_set = assignment.task.task_set
    if not task_set.is_open:
        raise Refused(
            f"“{task_set.title}” was closed on {task_set.closed_at:%d %B %Y at %H:%M} UTC, so "
            "nothing more is stored for it. Your answers stay as they were when it closed. "
            "Ask the study lead if yours should change.",
            code="closed",
        )


def _begin(user: User, assignment_id: int, write: Write) -> tuple[Assignment, Event | None]:
    """Lock, and look for the same write done before. Raises ``Stale``, ``Refused``."""
    assignment = _locked(user, assignment_id)
    repeated = assignment.events.filter(op_id=write.op_id).first()
    if repeated is not None:
        return assignment, repeated
    _require_open(assignment)
    if write.version != assignment.version:
        raise Stale(assignment)
    return assignment, None


def _apply(assignment: Assignment, acts: Sequence[Act]) -> Draft:
    draft: Draft = dict(assignment.draft)
    for act in acts:
        draft = act.apply(draft)
    _require_sizes(draft)
    return draft


def _require_sizes(draft: Draft) -> None:
    for key in ("comment", "flag_reason"):
        length = len(draft.get(key, ""))
        if length > LONGEST_TEXT:
            raise InvalidInput(
                f"A comment may have {LONGEST_TEXT:,} characters; this one has {length:,}. "
                "Shorten it."
            )


def _record(
    assignment: Assignment, user: User, write: Write, action: str, draft: Draft, status: str
) -> None:
    """Store an event and the draft after it."""
    change = difference(assignment.draft, draft)
    assignment.version += 1
    Event.objects.create(
        assignment=assignment,
        op_id=write.op_id,
        version=assignment.version,
        action=action,
        before=change.before,
        after=change.after,
        actor=user,
        at=write.now,
    )
    assignment.draft = draft
    assignment.status = status
    if write.stay is not None:
        _store_stay(assignment, write.stay, write.now)


def act(user: User, assignment_id: int, acts: Sequence[Act], write: Write) -> Assignment:
    """Do ``acts`` to the draft, as one event. A done assignment is thereby reopened.

    A repeated ``op_id`` changes nothing and gives the present state; acts that would change
    nothing leave no event. Raises ``NotFound``, ``NotAllowed``, ``Refused`` (closed), ``Stale``,
    ``InvalidInput``.
    """
    with transaction.atomic():
        assignment, repeated = _begin(user, assignment_id, write)
        if repeated is not None:
            return assignment
        draft = _apply(assignment, acts)
        if draft != assignment.draft:
            name = acts[-1].name
            _record(assignment, user, write, name, draft, Assignment.Status.IN_PROGRESS)
            assignment.save(update_fields=["draft", "status", "version", "changed_at"])
    return assignment


def reach(assignment: Assignment) -> Reachable:
    """What undo and redo would change now."""
    steps = assignment.events.order_by("version").values_list("action", "before", "after")
    return reachable(_Step(*row) for row in steps)


def undo(user: User, assignment_id: int, write: Write) -> Assignment:
    """Take the last act back. Raises ``InvalidInput`` when there is none; else as :func:`act`."""
    return _go(user, assignment_id, write, UNDO)


def redo(user: User, assignment_id: int, write: Write) -> Assignment:
    """Do the last undone act again. Raises as :func:`undo`."""
    return _go(user, assignment_id, write, REDO)


def _go(user: User, assignment_id: int, write: Write, direction: str) -> Assignment:
    with transaction.atomic():
        assignment, repeated = _begin(user, assignment_id, write)
        if repeated is not None:
            return assignment
        found = reach(assignment)
        change: Change | None = found.undo if direction == UNDO else found.redo
        if change is None:
            raise InvalidInput(f"There is nothing to {direction} in this task.")
        draft = change.apply(assignment.draft)
        _record(assignment, user, write, direction, draft, Assignment.Status.IN_PROGRESS)
        assignment.save(update_fields=["draft", "status", "version", "changed_at"])
    return assignment


def submit(
    user: User, assignment_id: int, acts: Sequence[Act], write: Write
) -> tuple[Assignment, Answer]:
    """Do ``acts``, then store the draft as a new version of the answer.

    A repeated ``op_id`` gives the answer it made. Raises as :func:`act`, and ``InvalidInput``
    while something is not settled: then nothing is stored.
    """
    with transaction.atomic():
        assignment, repeated = _begin(user, assignment_id, write)
        if repeated is not None:
            return assignment, _answer_made_by(assignment, write.op_id)
        draft = _apply(assignment, acts)
        kind = work_kind(assignment.task.task_set)
        payload = kind.payload(shown_to(assignment), draft)
        _record(assignment, user, write, SUBMIT, draft, Assignment.Status.SUBMITTED)
        answer = _store_answer(assignment, write, Answer.Outcome.SUBMITTED, payload)
    return assignment, answer


def skip(
    user: User, assignment_id: int, acts: Sequence[Act], reason: str, write: Write
) -> tuple[Assignment, Answer]:
    """Leave the task without an answer, for a ``reason``; comment, flag and draft are kept.

    Raises as :func:`act`, and ``InvalidInput`` without a reason.
    """
    reason = reason.strip()
    if not reason:
        raise InvalidInput("Say in a few words why this task should be skipped.")
    if len(reason) > LONGEST_TEXT:
        raise InvalidInput(f"The reason may have {LONGEST_TEXT:,} characters. Shorten it.")
    with transaction.atomic():
        assignment, repeated = _begin(user, assignment_id, write)
        if repeated is not None:
            return assignment, _answer_made_by(assignment, write.op_id)
        draft = _apply(assignment, acts)
        _record(assignment, user, write, SKIP, draft, Assignment.Status.SKIPPED)
        answer = _store_answer(assignment, write, Answer.Outcome.SKIPPED, None, reason)
    return assignment, answer


def _answer_made_by(assignment: Assignment, op_id: UUID) -> Answer:
    answer = assignment.answers.filter(op_id=op_id).first()
    if answer is None:
        raise InvalidInput("This page sent one id for two different things. Reload it.")
    return answer


def _store_answer(
    assignment: Assignment,
    write: Write,
    outcome: str,
    payload: dict[str, Any] | None,
    skip_reason: str = "",
) -> Answer:
    study = assignment.task.task_set.study
    guideline = Guideline.objects.filter(study=study).order_by("-version").only("pk").first()
    newest = assignment.answers.aggregate(newest=Max("version"))["newest"] or 0
    active, wall, measured = _seconds(assignment)
    try:
        with transaction.atomic():
            answer = Answer.objects.create(
                assignment=assignment,
                version=newest + 1,
                op_id=write.op_id,
                outcome=outcome,
                payload=payload,
                first_side=assignment.first_side,
                comment=assignment.draft.get("comment", "").strip(),
                flagged=assignment.draft.get("flagged", False),
                skip_reason=skip_reason,
                active_seconds=active,
                wall_seconds=wall,
                guideline=guideline,
                template=study.template,
                submitted_at=write.now,
                metadata=_metadata(assignment, measured=measured),
            )
    except IntegrityError:
        raise InvalidInput("This page sent the id of another task's answer. Reload it.") from None
    assignment.current = answer
    assignment.submitted_version = assignment.version
    assignment.save(
        update_fields=[
            "draft", "status", "version", "current", "submitted_version", "changed_at",
        ]
    )  # fmt: skip
    return answer


def _metadata(assignment: Assignment, *, measured: bool) -> dict[str, Any]:
    """What else belongs to an answer: why it was flagged, the options it was given under, and
    whether the page could measure activity (it cannot without script).
    """
    metadata: dict[str, Any] = {
        "options": shown_to(assignment).options.model_dump(mode="json"),
        "active_measured": measured,
    }
    if reason := assignment.draft.get("flag_reason"):
        metadata["flag_reason"] = reason.strip()
    return metadata


def reopen(user: User, assignment_id: int, write: Write) -> Assignment:
    """Take a submitted or skipped assignment back into work; its answer counts until the next.

    An open one is left as it is. Raises as :func:`act`.
    """
    with transaction.atomic():
        assignment, repeated = _begin(user, assignment_id, write)
        if repeated is None and assignment.is_done:
            _record(
                assignment, user, write, REOPEN, assignment.draft, Assignment.Status.IN_PROGRESS
            )
            assignment.save(update_fields=["status", "version", "changed_at"])
    return assignment


def report_stay(user: User, assignment_id: int, stay: Stay, now: datetime) -> Visit:
    """Store how long the annotator has been at a task; the version stays as it is.

    Raises ``NotFound``, ``NotAllowed``, ``Refused`` (closed).
    """
    with transaction.atomic():
        assignment = _locked(user, assignment_id)
        _require_open(assignment)
        return _store_stay(assignment, stay, now)


def _store_stay(assignment: Assignment, stay: Stay, now: datetime) -> Visit:
    """Reports hold running totals, so the larger one is right in whatever order they arrive."""
    started_at = min(stay.started_at, now)
    visit, _ = Visit.objects.get_or_create(
        assignment=assignment,
        token=stay.token,
        defaults={"started_at": started_at, "last_seen_at": now},
    )
    visit.last_seen_at = max(visit.last_seen_at, now)
    if stay.active_seconds is not None:
        most = (now - visit.started_at + CLOCK_SLACK).total_seconds()
        reported = min(max(stay.active_seconds, 0.0), most)
        visit.active_seconds = max(visit.active_seconds, reported)
    visit.save(update_fields=["last_seen_at", "active_seconds"])
    return visit


def _seconds(assignment: Assignment) -> tuple[float, float, bool]:
    """Active seconds, wall seconds, and whether any activity was measured, over all stays."""
    visits = list(assignment.visits.all())
    active = sum(visit.active_seconds for visit in visits)
    wall = sum((visit.last_seen_at - visit.started_at).total_seconds() for visit in visits)
    return round(active, 3), round(max(wall, active), 3), active > 0


def active_before(assignment: Assignment, token: UUID | None = None) -> float:
    """Active seconds of earlier stays at this task."""
    visits = assignment.visits.exclude(token=token) if token else assignment.visits
    return float(visits.aggregate(total=Sum("active_seconds"))["total"] or 0)


def read_acts(assignment: Assignment, fields: Mapping[str, str]) -> list[Act]:
    """The acts on ``assignment`` that posted ``fields`` ask for. Raises ``InvalidInput``."""
    kind = work_kind(assignment.task.task_set)
    return kind.read_acts(shown_to(assignment), fields)


def set_fast_mode(user: User, on: bool) -> None:
    """Whether a digit submits a single-value comparison at once for ``user``."""
    user.fast_mode = on
    user.save(update_fields=["fast_mode"])
