"""Errors that no view answers: JSON under /api/, pages elsewhere."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from annotation.api.errors import BROKEN, api_error, is_api


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: a request that cannot be read."""
    if is_api(request):
        return api_error(400, "bad_request", "This request cannot be read.")
    return defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403 without a reason of ours."""
    if is_api(request):
        return api_error(403, "not_allowed", "You may not do this.")
    return defaults.permission_denied(request, exception)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: no such route."""
    if is_api(request):
        return api_error(
            404, "not_found", "There is no such address. The routes are listed at /api/v1/docs/."
        )
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: nobody foresaw this; the log has the traceback, the answer has not."""
    if is_api(request):
        return api_error(500, "server_error", BROKEN)
    return defaults.server_error(request)
