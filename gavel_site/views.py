"""Home page, health check, own account, design page."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.managing import services
from annotation.managing.forms import AccountForm
from annotation.web import HtmxHttpRequest


@require_GET
def home(request: HtmxHttpRequest) -> HttpResponse:
    """What this person can go on with. Context: ``studies``, ``queues``."""
    context = services.home_of(request.user)
    return render(request, "home.html", context)


@login_not_required
@never_cache
@require_GET
def health(request: HttpRequest) -> JsonResponse:
    """Whether the site can answer and reach its database; nothing about its content."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
    return JsonResponse({"status": "ok"})


@require_http_methods(["GET", "POST"])
def account(request: HtmxHttpRequest) -> HttpResponse:
    """Own settings. Context: ``form``."""
    data = request.POST if request.method == "POST" else None
    form = AccountForm(data, instance=request.user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Your settings are saved.")
        return redirect("account")
    status = 422 if form.is_bound else 200
    return render(request, "account.html", {"form": form}, status=status)


@require_GET
def design(request: HtmxHttpRequest) -> HttpResponse:
    """Every component of the design system on one page, for those who build pages."""
    if not request.user.is_staff:
        raise Http404
    return render(request, "design/index.html")
