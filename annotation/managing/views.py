"""Pages of a study: overview, task sets, tasks, people, import reports."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from annotation.annotating.kinds import has_work_page
from annotation.managing import pages
from annotation.managing.forms import MemberForm, TaskFilterForm
from annotation.managing.services import add_member, task_set_by_key, template_of
from annotation.permissions import Right, rights_in, study_for
from annotation.web import HtmxHttpRequest, page_or_fragment

PAGE = 50


@require_GET
def study(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """One study. Context: see ``pages.study_page``."""
    found = study_for(request.user, slug, Right.VIEW)
    return render(request, "annotation/managing/study.html", pages.study_page(request.user, found))


@require_GET
def task_set(request: HtmxHttpRequest, slug: str, key: str) -> HttpResponse:
    """The tasks of a set, filtered. Context: ``study, task_set, form, page_obj, rows, rights``."""
    found = study_for(request.user, slug, Right.SEE_ANSWERS)
    chosen = task_set_by_key(found, key)
    template = template_of(found)
    form = TaskFilterForm(request.GET, template=template, kind=chosen.kind)
    wanted = form.cleaned_data if form.is_valid() else {}
    tasks = pages.tasks_of(
        chosen,
        form=wanted.get("form", ""),
        item=wanted.get("item", ""),
        case=wanted.get("case", "").strip(),
        state=wanted.get("state", ""),
    )
    page = Paginator(tasks, PAGE).get_page(request.GET.get("page"))
    context = {
        "study": found,
        "task_set": chosen,
        "form": form,
        "page_obj": page,
        "rows": pages.task_rows(list(page.object_list), template),
        "rights": {right.value for right in rights_in(request.user, found)},
        "has_page": has_work_page(chosen),
    }
    return page_or_fragment(
        request,
        "annotation/managing/task_set.html",
        "annotation/managing/_task_table.html",
        context,
    )


@require_GET
def task(request: HtmxHttpRequest, slug: str, key: str, pk: int) -> HttpResponse:
    """One task with everybody's answers. Context: ``study, task, item, group, answers``."""
    found = study_for(request.user, slug, Right.SEE_ANSWERS)
    chosen = pages.task_by_id(found, key, pk)
    template = template_of(found)
    item = pages.item_of(chosen, template)
    context = {
        "study": found,
        "task": chosen,
        "item": item,
        "group": template.group(item.group) if item else None,
        "answers": pages.answers_to(chosen, pages.pseudonyms_in(found)),
    }
    return render(request, "annotation/managing/task.html", context)


@require_http_methods(["GET", "POST"])
def people(request: HtmxHttpRequest, slug: str) -> HttpResponse:
    """The members of a study; admins add some. Context: ``study, members, form``."""
    found = study_for(request.user, slug, Right.MANAGE)
    form = MemberForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        member = add_member(
            found, form.cleaned_data["username"], form.cleaned_data["role"], actor=request.user
        )
        messages.success(request, f"{member.user} is {member.get_role_display()} here.")
        return redirect("managing:people", slug)
    members = found.memberships.select_related("user").order_by("role", "pseudonym")
    return render(
        request,
        "annotation/managing/people.html",
        {"study": found, "members": members, "form": form},
        status=422 if form.is_bound else 200,
    )
