"""Pages about what came from files of a release."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.managing.services import template_of
from annotation.permissions import Right, study_for
from annotation.web import HtmxHttpRequest
from evaluation.releasing.forms import VerdictFilterForm
from evaluation.releasing.pages import shown_verdicts, verdicts_in

PAGE = 25


@require_GET
def verdicts(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """The verdicts that came from files, down to the cell. Context: ``study, form, page_obj``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    template = template_of(study)
    form = VerdictFilterForm(request.GET, study=study, template=template)
    page = Paginator(verdicts_in(study, form.wanted()), PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "form": form,
        "page_obj": page,
        "rows": shown_verdicts(page.object_list, template),
    }
    return render(request, "evaluation/releasing/verdicts.html", context)
