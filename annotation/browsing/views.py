"""Pages about what is in a study."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.browsing import pages
from annotation.managing.services import template_of
from annotation.permissions import Right, study_for
from annotation.web import HtmxHttpRequest

PAGE = 50


@require_GET
def cases(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """The cases of a study, with ``?q=`` those that fit. Context: ``study, search, page_obj``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    search = request.GET.get("q", "").strip()[:200]
    found = pages.cases_in(study, search=search)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    context = {"study": study, "search": search, "page_obj": page}
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
