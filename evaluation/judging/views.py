"""Pages of judge runs: list, run, question with every request and answer."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseStopPolling

from annotation.checklists.schema import Template
from annotation.errors import DomainError, NotFound
from annotation.managing.pages import describe_payload, item_of
from annotation.managing.services import template_of
from annotation.models import Study
from annotation.permissions import Right, rights_in, study_for
from annotation.web import HtmxHttpRequest
from evaluation.judging.forms import RunForm
from evaluation.judging.services import (
    cancel_run,
    question_by_id,
    questions_on,
    report_of,
    resume_run,
    run_by_id,
    runs_of,
    start_run,
)
from evaluation.models import JudgeRun, JudgeTask

PAGE = 50


@require_http_methods(["GET", "POST"])
def runs(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """The runs of a study, and the form that starts one. Context: ``study, rows, form``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    can_start = Right.START_RUNS in rights_in(request.user, study)
    form = RunForm(request.POST if request.method == "POST" else None, study=study)
    if request.method == "POST":
        study_for(request.user, slug, Right.START_RUNS)
        if form.is_valid():
            run = _started(request, study, form)
            if run is not None:
                return redirect("judging:run", slug, run.pk)
    context = {
        "study": study,
        "page_obj": Paginator(runs_of(study), PAGE).get_page(request.GET.get("page")),
        "form": form if can_start else None,
    }
    status = 422 if form.is_bound else 200
    return render(request, "evaluation/judging/runs.html", context, status=status)


def _started(request: HtmxHttpRequest, study: Study, form: RunForm) -> JudgeRun | None:
    wanted = form.cleaned_data
    try:
        return start_run(
            study,
            wanted["task_set"],
            wanted["judge"],
            limit=wanted["limit"],
            swap=wanted["swap"],
            repeats=wanted["repeats"],
            actor=request.user,
        )
    except DomainError as error:
        form.add_error(None, error.message)
        return None


@require_GET
def run(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """One run. Context: ``study, run, report, page_obj, rows, status, statuses, can_act``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    chosen = run_by_id(study, pk)
    status = request.GET.get("status", "")
    questions = chosen.judge_tasks.select_related("task__case", "task__task_set", "verdict")
    if status in JudgeTask.Status.values:
        questions = questions.filter(status=status)
    page = Paginator(questions.order_by("task__position", "repeat", "swapped"), PAGE).get_page(
        request.GET.get("page")
    )
    template = template_of(study)
    context = _progress_context(request, study, chosen) | {
        "page_obj": page,
        "rows": [_row(template, question) for question in page.object_list],
        "status": status,
        "statuses": JudgeTask.Status.choices,
    }
    return render(request, "evaluation/judging/run.html", context)


def _progress_context(
    request: HtmxHttpRequest, study: Study, chosen: JudgeRun
) -> dict[str, object]:
    return {
        "study": study,
        "run": chosen,
        "report": report_of(chosen),
        "can_act": Right.START_RUNS in rights_in(request.user, study),
    }


def _row(template: Template, question: JudgeTask) -> dict[str, object]:
    verdict = getattr(question, "verdict", None)
    kind = question.task.task_set.kind
    return {
        "question": question,
        "item": item_of(question.task, template),
        "lines": describe_payload(kind, verdict.payload)[:3] if verdict else [],
        "repairs": sum(verdict.repairs.values()) if verdict else 0,
    }


@require_GET
def progress(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """The progress of a run, polled while it runs; ends the polling when the run has ended."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    chosen = run_by_id(study, pk)
    context = _progress_context(request, study, chosen)
    response = render(request, "evaluation/judging/_progress.html", context)
    return HttpResponseStopPolling(response.content) if chosen.is_final else response


@require_POST
def act(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """Cancel or resume a run (``act=cancel`` or ``act=resume``)."""
    study = study_for(request.user, slug, Right.START_RUNS)
    chosen = run_by_id(study, pk)
    if request.POST.get("act") == "cancel":
        cancel_run(chosen, actor=request.user)
        messages.success(request, f"Run {pk} is cancelled. What it had answered stays.")
    else:
        resume_run(chosen, actor=request.user)
        messages.success(request, f"Run {pk} goes on.")
    return redirect("judging:run", slug, pk)


@require_GET
def question(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """One question of a run with every request and answer. Context: ``study, question, ...``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    chosen = question_by_id(study, pk)
    verdict = getattr(chosen, "verdict", None)
    item = item_of(chosen.task, template_of(study))
    context = {
        "study": study,
        "question": chosen,
        "run": chosen.run,
        "item": item,
        "verdict": verdict,
        "lines": describe_payload(chosen.task.task_set.kind, verdict.payload) if verdict else [],
        "calls": chosen.calls.order_by("attempt"),
    }
    return render(request, "evaluation/judging/question.html", context)


@require_GET
def task(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """The verdicts of all runs on one task. Context: ``study, task, rows``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    questions = questions_on(study, pk)
    if questions is None:
        raise NotFound(f"{study.slug} has no such task.")
    chosen, asked = questions
    template = template_of(study)
    rows = [_row(template, question) for question in asked]
    return render(
        request, "evaluation/judging/task.html", {"study": study, "task": chosen, "rows": rows}
    )
