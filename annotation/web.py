"""What every view shares: the typed request, errors as pages, fragment or page, time zone."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable, Mapping
from typing import Any, cast

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.csrf import csrf_exempt
from django_htmx.middleware import HtmxDetails

from annotation.errors import (
    DomainError,
    InvalidInput,
    NotAllowed,
    NotConfigured,
    NotFound,
    Refused,
)
from annotation.models import User

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class HtmxHttpRequest(HttpRequest):
    """A request of a logged-in person, after the middleware."""

    htmx: HtmxDetails
    user: User


_STATUS: tuple[tuple[type[DomainError], int], ...] = (
    (NotFound, 404),
    (NotAllowed, 403),
    (Refused, 409),
    (InvalidInput, 422),
    (NotConfigured, 503),
)


def status_of(error: DomainError) -> int:
    """The HTTP status that says what ``error`` says."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 400)


def wants_json(request: HttpRequest) -> bool:
    """Whether a script asked (htmx or fetch), not a browser for a page."""
    return bool(getattr(request, "htmx", False)) or "application/json" in request.headers.get(
        "Accept", ""
    )


class DomainErrorMiddleware:
    """Turns a ``DomainError`` into a readable answer; scripts get ``detail`` and ``code``."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, DomainError):
            return None
        return error_response(request, error)


def error_response(request: HttpRequest, error: DomainError) -> HttpResponse:
    """The answer to a request that ended in ``error``."""
    status = status_of(error)
    if wants_json(request):
        return JsonResponse({"detail": error.message, "code": error.code}, status=status)
    return render(request, "error.html", {"error": error, "status": status}, status=status)


class NeverCachedMiddleware:
    """Keeps answers out of shared caches and of the browser's history after signing out.

    Every answer that a view made is somebody's own; one that sets its own ``Cache-Control`` keeps
    it. Static files do not come by here.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if "Cache-Control" not in response.headers:
            add_never_cache_headers(response)
        return response


class TimeZoneMiddleware:
    """Shows times in the zone of the person looking at them."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        user = getattr(request, "user", None)
        name = user.time_zone if user is not None and user.is_authenticated else "UTC"
        try:
            zone = zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError):
            zone = zoneinfo.ZoneInfo("UTC")
        with timezone.override(zone):
            return self.get_response(request)


def number_in(text: str) -> int | None:
    """The id that ``text`` of an address stands for; None when it can be none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def page_or_fragment(
    request: HttpRequest,
    page: str,
    fragment: str,
    context: Mapping[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    """Render ``fragment`` for an htmx request (not a boosted or restored one), else ``page``."""
    htmx = cast(HtmxHttpRequest, request).htmx
    use_fragment = bool(htmx) and not htmx.boosted and not htmx.history_restore_request
    response = render(request, fragment if use_fragment else page, dict(context), status=status)
    response["Vary"] = "HX-Request"
    return response


View = Callable[..., HttpResponseBase]


def takes_uploads(view: View) -> View:
    """Mark a view that asks who may upload and sets upload handlers before it reads the form.

    Middleware leaves the form alone, so that nothing is stored for somebody without the right. The
    view must then hand over to one that is decorated with ``csrf_protect``.
    """
    marked = csrf_exempt(view)
    marked.takes_uploads = True  # type: ignore[attr-defined]
    return marked
