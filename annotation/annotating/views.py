"""The annotator's pages: queue, task, and the writes a task page makes.

A write that a script sent is answered by the fragment of what to show next; a plain one by a
redirect. Every write is bound to the assignment in its address.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import push_url

from annotation.annotating import pages, queues, services
from annotation.annotating.forms import read_note, read_stay, read_write
from annotation.annotating.keys import queue_keys
from annotation.annotating.kinds import has_work_page, work_kind
from annotation.annotating.services import Stale
from annotation.annotating.work import Act
from annotation.errors import DomainError, InvalidInput
from annotation.kinds.drafts import Draft
from annotation.models import Assignment, TaskSet
from annotation.text.normalise import normalise_excerpt
from annotation.web import HtmxHttpRequest, page_or_fragment

PAGE = "annotation/annotating/page.html"
FRAGMENT = "annotation/annotating/_work.html"
CONFLICT = "annotation/annotating/conflict.html"
CONFLICT_FRAGMENT = "annotation/annotating/_conflict.html"


@require_GET
def queue(request: HtmxHttpRequest, set_id: int) -> HttpResponse:
    """My tasks in a set.

    Context: ``task_set, page_obj, rows, progress, state, states, has_page, can_go_on, case_noun,
    key_table``.
    """
    task_set = queues.set_for(request.user, set_id)
    state = request.GET.get("state", "all")
    state = state if state in queues.FILTERS else "all"
    labels, case_noun = pages.words_of(task_set.study.template.content)
    page, rows = queues.queue(request.user, task_set, state, request.GET.get("page"), labels)
    progress = queues.progress_of(request.user, task_set)
    can_go_on = has_work_page(task_set) and task_set.is_open and progress.left > 0
    context = {
        "task_set": task_set,
        "page_obj": page,
        "rows": rows,
        "progress": progress,
        "state": state,
        "states": queues.FILTERS,
        "has_page": has_work_page(task_set),
        "can_go_on": can_go_on,
        "case_noun": case_noun,
        "key_table": queue_keys() if can_go_on else [],
    }
    return render(request, "annotation/annotating/queue.html", context)


@require_GET
def guidelines(request: HtmxHttpRequest, set_id: int) -> HttpResponse:
    """The study's guidelines in force. Context: ``task_set, guideline``."""
    task_set = queues.set_for(request.user, set_id)
    context = {
        "task_set": task_set,
        "guideline": task_set.study.guidelines.order_by("-version").first(),
    }
    return render(request, "annotation/annotating/guidelines.html", context)


@never_cache
@require_GET
def next_task(request: HtmxHttpRequest, set_id: int) -> HttpResponse:
    """Go to the next open task of a set, or say that all are done."""
    task_set = queues.set_for(request.user, set_id)
    work_kind(task_set)
    found = queues.next_open(request.user, task_set)
    if found is not None:
        return redirect("work:task", found.pk)
    return _all_done(request, task_set)


def _all_done(request: HtmxHttpRequest, task_set: TaskSet) -> HttpResponse:
    """Context: ``task_set, progress, counts``."""
    context = {
        "task_set": task_set,
        "progress": queues.progress_of(request.user, task_set),
        "counts": queues.outcome_counts(request.user, task_set),
    }
    return page_or_fragment(
        request,
        "annotation/annotating/done.html",
        "annotation/annotating/_done_work.html",
        context,
    )


@never_cache
@require_GET
def task(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """One task. Context: see ``pages.work_page``."""
    assignment = services.assignment_of(request.user, pk)
    return _show(request, assignment, view=request.GET.dict())


def _show(
    request: HtmxHttpRequest,
    assignment: Assignment,
    *,
    view: dict[str, str] | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    context = pages.work_page(request.user, assignment, now=timezone.now(), view=view or {}, **more)
    return page_or_fragment(request, PAGE, FRAGMENT, context, status=status)


@require_POST
def act(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change the draft."""
    return _write(request, pk, services.act)


@require_POST
def undo(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Take the last act back."""
    return _write(
        request,
        pk,
        lambda user, pk, _, write: services.undo(user, pk, write),
        then=partial(_stay, live="Undone."),
    )


@require_POST
def redo(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Do the act again that was undone last."""
    return _write(
        request,
        pk,
        lambda user, pk, _, write: services.redo(user, pk, write),
        then=partial(_stay, live="Done again."),
    )


@require_POST
def reopen(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Take a done task back into work, and go there."""
    response = _write(request, pk, lambda user, pk, _, write: services.reopen(user, pk, write))
    return push_url(response, reverse("work:task", args=[pk]))


@require_POST
def submit(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Store the answer and go to the next open task."""
    return _write(request, pk, services.submit, then=_go_on)


@require_POST
def skip(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Leave the task without an answer, with a reason, and go to the next."""
    reason = normalise_excerpt(request.POST.get("skip_reason", ""))
    return _write(
        request,
        pk,
        lambda user, pk, acts, write: services.skip(user, pk, acts, reason, write),
        then=_go_on,
        panel="skip",
    )


Service = Callable[..., Any]
Then = Callable[[HtmxHttpRequest, Assignment], HttpResponse]


def _write(
    request: HtmxHttpRequest,
    pk: int,
    service: Service,
    *,
    then: Then | None = None,
    panel: str = "",
) -> HttpResponse:
    """Read the write, call the service, show what follows; a conflict shows both sides."""
    shown = services.assignment_of(request.user, pk)
    by_script = bool(request.htmx)
    write = read_write(pk, request.POST, timezone.now(), by_script=by_script, path=request.path)
    acts: list[Act] = []
    try:
        acts = _acts(request, shown)
        done = service(request.user, pk, acts, write)
    except Stale as stale:
        return _conflict(request, stale, acts)
    except InvalidInput as error:
        if by_script:
            raise
        return _refused(request, pk, acts, error, panel)
    assignment: Assignment = done[0] if isinstance(done, tuple) else done
    return (then or _stay)(request, assignment)


def _acts(request: HtmxHttpRequest, assignment: Assignment) -> list[Act]:
    note = read_note(request.POST)
    acts = services.read_acts(assignment, request.POST.dict())
    return [note, *acts] if note else acts


def _stay(request: HtmxHttpRequest, assignment: Assignment, live: str = "") -> HttpResponse:
    if not request.htmx:
        return redirect("work:task", assignment.pk)
    fresh = services.assignment_of(request.user, assignment.pk)
    return _show(request, fresh, view={"row": request.POST.get("row", "")}, live=live)


def _go_on(request: HtmxHttpRequest, assignment: Assignment) -> HttpResponse:
    task_set = assignment.task.task_set
    following = queues.next_open(request.user, task_set, after=assignment)
    if following is None:
        address = reverse("work:next", args=[task_set.pk])
        if not request.htmx:
            return HttpResponseRedirect(address)
        return push_url(_all_done(request, task_set), address)
    address = reverse("work:task", args=[following.pk]) + f"?from={assignment.pk}"
    if not request.htmx:
        return HttpResponseRedirect(address)
    fresh = services.assignment_of(request.user, following.pk)
    return push_url(_show(request, fresh, view={"from": str(assignment.pk)}), address)


def _applied(assignment: Assignment, acts: list[Act]) -> Draft | None:
    """The draft with ``acts`` done to it, None if they cannot be."""
    draft: Draft = dict(assignment.draft)
    try:
        for one in acts:
            draft = one.apply(draft)
    except DomainError:
        return None
    return draft


def _conflict(request: HtmxHttpRequest, stale: Stale, acts: list[Act]) -> HttpResponse:
    wanted = _applied(stale.current, acts)
    context = pages.conflict_page(stale.current, wanted, request.POST.dict())
    context |= {"message": stale.message, "action": request.path}
    return page_or_fragment(request, CONFLICT, CONFLICT_FRAGMENT, context, status=409)


def _refused(
    request: HtmxHttpRequest, pk: int, acts: list[Act], error: InvalidInput, panel: str
) -> HttpResponse:
    """The page again, with what was typed and why it was not stored."""
    assignment = services.assignment_of(request.user, pk)
    return _show(
        request,
        assignment,
        view={"panel": panel},
        draft=_applied(assignment, acts),
        problem=error.message,
        status=422,
    )


@require_POST
def visit(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Take note of the time spent; answered without content."""
    stay = read_stay(pk, request.POST)
    if stay is None:
        services.assignment_of(request.user, pk)
        raise InvalidInput("This page sent no report of time that belongs to this task.")
    services.report_stay(request.user, pk, stay, timezone.now())
    return HttpResponse(status=204)


@require_POST
def fast_mode(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Switch fast mode on or off for this person, and come back to the task."""
    assignment = services.assignment_of(request.user, pk)
    services.set_fast_mode(request.user, request.POST.get("fast") == "on")
    return _stay(request, assignment)
