"""The page that hands out the tasks of a set."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.assigning import services
from annotation.assigning.forms import AssignForm
from annotation.errors import DomainError
from annotation.managing.services import task_set_by_key
from annotation.permissions import Right, study_for
from annotation.web import HtmxHttpRequest


@require_http_methods(["GET", "POST"])
def assign(request: HtmxHttpRequest, slug: str, key: str) -> HttpResponse:
    """Hand out tasks. Context: ``study``, ``task_set``, ``form``, ``loads``, ``task_count``."""
    study = study_for(request.user, slug, Right.ASSIGN)
    task_set = task_set_by_key(study, key)
    data = request.POST if request.method == "POST" else None
    form = AssignForm(study, task_set, data)
    if form.is_valid():
        try:
            handed = services.assign_tasks(
                task_set,
                services.annotators_named(study, form.cleaned_data["annotators"]),
                per_task=form.cleaned_data["per_task"],
                seed=form.cleaned_data["seed"],
                actor=request.user,
            )
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, services.sentence(handed))
            return redirect("assigning:assign", slug=slug, key=key)
    context = {
        "study": study,
        "task_set": task_set,
        "form": form,
        "loads": services.loads(task_set),
        "task_count": task_set.tasks.count(),
    }
    status = 422 if form.is_bound else 200
    return render(request, "annotation/assigning/assign.html", context, status=status)
