"""Pages about runs that read documents and filled checklists."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from agent.extracting import pages
from agent.extracting.forms import RunFilterForm
from annotation.permissions import Right, study_for
from annotation.web import HtmxHttpRequest

RUNS, STEPS = 50, 100


@require_GET
def runs(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """The extraction runs of a study. Context: ``study, form, page_obj``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    form = RunFilterForm(request.GET, study=study)
    found = Paginator(pages.runs_in(study, form.wanted()), RUNS)
    context = {"study": study, "form": form, "page_obj": found.get_page(request.GET.get("page"))}
    return render(request, "agent/extracting/runs.html", context)


@require_GET
def run(request: HtmxHttpRequest, slug: str, pk: int) -> HttpResponse:
    """One run, step by step. Context: ``study, run, page_obj, steps``."""
    study = study_for(request.user, slug, Right.SEE_ANSWERS)
    chosen = pages.run_in(study, pk)
    page = Paginator(pages.steps_of(chosen), STEPS).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "run": chosen,
        "page_obj": page,
        "steps": pages.shown_steps(page.object_list),
    }
    return render(request, "agent/extracting/run.html", context)
