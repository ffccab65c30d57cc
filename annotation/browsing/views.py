"""Pages about what is in a study."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.browsing import pages
from annotation.browsing.forms import CaseFilterForm
from annotation.managing.services import template_of
from annotation.permissions import Right, study_for
from annotation.text.csv_text import csv_text
from annotation.web import HtmxHttpRequest

PAGE = 50


@require_GET
def cases(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """The cases of a study that fit the filter; with ``?format=csv`` all of them as a file.

    Context: ``study, form, wanted, columns, page_obj``.
    """
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    form = CaseFilterForm(request.GET, study=study)
    wanted = form.wanted()
    found = pages.cases_in(study, wanted)
    if request.GET.get("format") == "csv":
        table = csv_text(pages.CASE_COLUMNS, pages.case_table(found))
        response = HttpResponse(table, content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{slug}-cases.csv"'
        return response
    context = {
        "study": study,
        "form": form,
        "wanted": wanted,
        "columns": pages.columns(wanted.sort),
        "page_obj": Paginator(found, PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "annotation/browsing/cases.html", context)


@require_GET
def case(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """One case: documents, summaries, checklists. Context: ``study, page``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    context = {"study": study, "page": pages.case_page(study, pk)}
    return render(request, "annotation/browsing/case.html", context)


@require_GET
def checklist(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """One checklist with its evidence. Context: ``study, page``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    context = {"study": study, "page": pages.checklist_page(study, pk, template_of(study))}
    return render(request, "annotation/browsing/checklist.html", context)


@require_GET
def document(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """The text of one document. Context: ``study, case, name, text``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    found = pages.document_in(study, pk)
    context = {"study": study, "case": found.case, "name": found.name, "text": found.text}
    return render(request, "annotation/browsing/text.html", context)


@require_GET
def summary(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """The text of one summary. Context: ``study, case, name, text``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    found = pages.summary_in(study, pk)
    name = "Reference summary" if found.kind == found.Kind.REFERENCE else found.producer
    context = {"study": study, "case": found.case, "name": name, "text": found.text}
    return render(request, "annotation/browsing/text.html", context)
