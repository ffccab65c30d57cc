"""Home page, health check, own account, design page."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.errors import InvalidInput
from annotation.managing import services, tokens
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
    """Own settings. Context: ``form, token``."""
    data = request.POST if request.method == "POST" else None
    form = AccountForm(data, instance=request.user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Your settings are saved.")
        return redirect("account")
    status = 422 if form.is_bound else 200
    context = {"form": form, "token": tokens.token_of(request.user)}
    return render(request, "account.html", context, status=status)


@require_POST
def account_token(request: HtmxHttpRequest) -> HttpResponse:
    """Make an API token (``act=make``) and show it this once, or revoke it (``act=revoke``).

    Context: ``form, token, secret``.
    """
    wanted = request.POST.get("act")
    if wanted == "make":
        row, secret = tokens.make_token(request.user)
        form = AccountForm(instance=request.user)
        context = {"form": form, "token": row, "secret": secret}
        return render(request, "account.html", context)
    if wanted != "revoke":
        raise InvalidInput("Say whether to make a token or to revoke yours: act=make, act=revoke.")
    if tokens.revoke_token(request.user):
        messages.success(request, "Your API token is revoked. Programs that use it are refused.")
    return redirect("account")


@require_GET
def design(request: HtmxHttpRequest, sample: str = "index") -> HttpResponse:
    """Every component of the design system, and samples of the work frame, for page builders."""
    pages = {"index": "index", "single": "work_single", "list": "work_list"}
    if not request.user.is_staff or sample not in pages:
        raise Http404
    return render(request, f"design/{pages[sample]}.html")
