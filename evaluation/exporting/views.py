"""The page that takes data out."""

from __future__ import annotations

from django.http import FileResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from annotation.errors import DomainError
from annotation.models import Study, User
from annotation.permissions import Right, study_for
from annotation.web import HtmxHttpRequest
from evaluation.exporting.forms import ExportForm
from evaluation.exporting.services import Wanted, archive_name, contents, export_zip


@require_http_methods(["GET", "POST"])
def export(request: HtmxHttpRequest, slug: str) -> HttpResponseBase:
    """Choose an export (context: ``study, form, sets``); posting the form downloads it."""
    study = study_for(request.user, slug, Right.EXPORT)
    form = ExportForm(study, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            return download(study, form.wanted(), request.user)
        except DomainError as error:
            form.add_error(None, error.message)
    context = {"study": study, "form": form, "sets": contents(study)}
    status = 422 if form.is_bound else 200
    return render(request, "evaluation/exporting/export.html", context, status=status)


def download(study: Study, wanted: Wanted, user: User) -> FileResponse:
    """An export as a ZIP file, read from a temporary file that goes when it is sent."""
    return FileResponse(
        export_zip(study, wanted, actor=user),
        as_attachment=True,
        filename=f"{archive_name(study, wanted)}.zip",
        content_type="application/zip",
    )
