"""Pages of imports: upload, preview and progress of a job, reports that stay."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import OperationalError
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseStopPolling

from annotation.errors import Conflict, InvalidInput, NotConfigured, NotFound
from annotation.importing import jobs, pages
from annotation.importing.formats import format_called, formats
from annotation.importing.forms import FormatForm, UploadForm, initial_for
from annotation.importing.uploads import LimitedUploadHandler, limit_sentence
from annotation.models import ImportJob, Study
from annotation.models import ImportReport as StoredReport
from annotation.permissions import Right, rights_in, study_for
from annotation.web import HtmxHttpRequest, takes_uploads

PAGE = 50
BUSY = "The database is busy with other work, so nothing was done. Try again in a moment."


@require_GET
def imports(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """The imports into a study, newest first.

    Context: ``study, page_obj, rows, open_jobs, ended_jobs, labels, may_import``.
    """
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    reports = study.import_reports.select_related("actor").order_by("-pk")
    page = Paginator(reports, PAGE).get_page(request.GET.get("page"))
    without_report = [(job, label_of(job)) for job in jobs.unfinished_jobs(study)[:PAGE]]
    context = {
        "study": study,
        "page_obj": page,
        "rows": [(report, pages.summary_of(report.report)) for report in page.object_list],
        "open_jobs": [row for row in without_report if not row[0].is_final],
        "ended_jobs": [row for row in without_report if row[0].is_final],
        "labels": {one.key: one.label for one in formats()},
        "may_import": Right.IMPORT in rights_in(request.user, study),
    }
    return render(request, "annotation/importing/imports.html", context)


@takes_uploads
@require_http_methods(["GET", "POST"])
def upload(request: HtmxHttpRequest, slug: str) -> HttpResponseBase:
    """Choose files and what they are. Context: ``study, form, limit``."""
    study = study_for(request.user, slug, Right.IMPORT)
    if request.method == "POST":
        request.upload_handlers = [LimitedUploadHandler(request)]
    return _upload(request, study)


@csrf_protect
def _upload(request: HtmxHttpRequest, study: Study) -> HttpResponse:
    posted = request.method == "POST"
    form = UploadForm(request.POST if posted else None, request.FILES if posted else None)
    refused = getattr(request, "upload_refused", "")
    if refused:
        form.errors.clear()
        form.add_error("upload", refused)
    elif form.is_valid():
        try:
            job = jobs.take_upload(
                study,
                form.uploaded(),
                form.cleaned_data["format"],
                form.options(),
                actor=request.user,
            )
            return redirect("importing:job", study.slug, job.pk)
        except (InvalidInput, NotConfigured) as error:
            form.add_error("upload", error.message)
        except OperationalError:
            form.add_error("upload", BUSY)
    context = {"study": study, "form": form, "limit": limit_sentence()}
    status = 422 if form.is_bound else 200
    return render(request, "annotation/importing/upload.html", context, status=status)


def label_of(job: ImportJob) -> str:
    """The format of ``job`` in words."""
    try:
        return format_called(job.format).label if job.format else "not recognised yet"
    except InvalidInput:  # of a version that knew more
        return job.format


def _job_context(request: HtmxHttpRequest, study: Study, job: ImportJob) -> dict[str, Any]:
    shown = job.report.report if job.report else job.preview
    state, is_small = jobs.state_of(job), jobs.is_small(job)
    return {
        "study": study,
        "job": job,
        "label": label_of(job),
        "source": jobs.source_of(job),
        "state": state,
        "must_restart": state.is_stale or (state.is_silent and is_small),
        "keep_days": jobs.KEEP_DAYS,
    } | (_report_context(request, shown) if shown else {})


def _report_context(request: HtmxHttpRequest, report: dict[str, Any]) -> dict[str, Any]:
    show, sort = request.GET.get("show", ""), request.GET.get("sort", "")
    show = show if show in pages.SHOWN else "all"
    rows = pages.file_rows(report, show=show, sort=sort)
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    return {
        "summary": pages.summary_of(report),
        "is_dry_run": report.get("is_dry_run", True),
        "partial": report.get("with_partial"),
        "offers_partial": report.get("offers_partial", False),
        "rows": page.object_list,
        "page_obj": page,
        "show": show,
        "shows": pages.SHOWN,
        "columns": pages.columns(show, sort),
    }


@require_GET
def job(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """One upload: preview, progress or report. Context: ``study, job, state, summary, form``."""
    study = study_for(request.user, slug, Right.IMPORT)
    chosen = jobs.job_by_id(study, pk)
    form = FormatForm(initial=initial_for(chosen.format, chosen.options))
    context = _job_context(request, study, chosen) | {"form": form}
    return render(request, "annotation/importing/job.html", context)


@require_GET
def progress(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """How far an upload is, polled while it moves; ends the polling when a person is asked."""
    study = study_for(request.user, slug, Right.IMPORT)
    chosen = jobs.job_by_id(study, pk)
    context = _job_context(request, study, chosen)
    if context["state"].is_moving and not context["must_restart"]:
        return render(request, "annotation/importing/_moving.html", context)
    # Its words, buttons and table have changed with it: the page is asked for anew.
    response = render(request, "annotation/importing/_moved.html", context)
    answer = HttpResponseStopPolling(response.content)
    answer["HX-Refresh"] = "true"
    return answer


@require_POST
def act(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """``act`` is look (through, with another format), start, start_partial or cancel."""
    study = study_for(request.user, slug, Right.IMPORT)
    chosen = jobs.job_by_id(study, pk)
    wanted = request.POST.get("act")
    try:
        if wanted == "look":
            form = FormatForm(request.POST)
            if not form.is_valid():
                context = _job_context(request, study, chosen) | {"form": form}
                return render(request, "annotation/importing/job.html", context, status=422)
            jobs.look_through(
                chosen, form.cleaned_data["format"], form.options(), actor=request.user
            )
        elif wanted == "cancel":
            jobs.cancel(chosen, actor=request.user)
        elif wanted in ("start", "start_partial"):
            partial = wanted == "start_partial"
            jobs.start(chosen, accept_partial=partial, actor=request.user)
        else:
            raise InvalidInput("Press one of the buttons of the page.")
    except Conflict as error:  # a second click, another tab, the back button
        messages.info(request, error.message)
    except OperationalError:
        messages.error(request, BUSY)
    return redirect("importing:job", slug, pk)


@require_GET
def report(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """One import: every file with its repairs and problems. Context: ``study, report, ...``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    chosen = _report_by_id(study, pk)
    labels = {one.key: one.label for one in formats()}
    context = {
        "study": study,
        "report": chosen,
        "label": labels.get(chosen.kind, chosen.kind),
        "may_import": Right.IMPORT in rights_in(request.user, study),
    } | _report_context(request, chosen.report)
    return render(request, "annotation/importing/report.html", context)


@require_GET
def report_file(request: HtmxHttpRequest, slug: str, pk: int, suffix: str) -> HttpResponse:
    """A report to take away: whole as JSON, its problems as CSV."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    chosen = _report_by_id(study, pk)
    return _download(chosen.report, f"{study.slug}-import-{chosen.pk}", suffix)


@require_GET
def preview_file(request: HtmxHttpRequest, slug: str, pk: int, suffix: str) -> HttpResponse:
    """The same of a preview."""
    study = study_for(request.user, slug, Right.IMPORT)
    chosen = jobs.job_by_id(study, pk)
    if chosen.preview is None:
        raise NotFound("This upload was not looked through yet.")
    return _download(chosen.preview, f"{study.slug}-preview-{chosen.pk}", suffix)


def _download(report: dict[str, Any], name: str, suffix: str) -> HttpResponse:
    if suffix == "json":
        text, kind = pages.report_json(report), "application/json"
    elif suffix == "csv":
        text, kind = pages.problems_csv(report), "text/csv; charset=utf-8"
    else:
        raise NotFound("A report can be had as json or csv.")
    response = HttpResponse(text, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{slugify(name)}.{suffix}"'
    return response


def _report_by_id(study: Study, pk: int) -> StoredReport:
    found = study.import_reports.filter(pk=pk).select_related("actor").first()
    if found is None:
        raise NotFound(f"{study.slug} has no such import report.")
    return found
