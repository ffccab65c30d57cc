"""One shape for every API error: ``detail`` for people, ``code`` for programs."""

from __future__ import annotations

import logging
from typing import Any

from django.core.signals import got_request_exception
from django.http import HttpRequest, JsonResponse
from rest_framework.exceptions import APIException, ErrorDetail, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler as default_handler

from annotation.errors import DomainError
from annotation.web import status_of

logger = logging.getLogger(__name__)

API_PREFIX = "/api/"
BROKEN = "Something went wrong on the server. Try again; tell the admin of the site if it returns."


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """Answer every error alike. One that nobody foresaw is logged, and its text is kept back."""
    if isinstance(error, DomainError):
        return Response({"detail": error.message, "code": error.code}, status=status_of(error))
    response = default_handler(error, context)
    if response is None:
        return _broken(error, context)
    if isinstance(error, ValidationError):
        response.data = {
            "detail": "Some fields cannot be accepted; see fields.",
            "code": "invalid",
            "fields": response.data,
        }
    elif isinstance(error, APIException):
        # Some carry more than the sentence; the shape has room for one.
        detail = error.detail["detail"] if isinstance(error.detail, dict) else error.detail
        code = detail.code if isinstance(detail, ErrorDetail) else error.default_code
        response.data = {"detail": str(detail), "code": code}
    else:  # Http404 and PermissionDenied, which DRF has already translated
        code = "not_found" if response.status_code == 404 else "not_allowed"
        response.data = {"detail": response.data["detail"], "code": code}
    return response


def _broken(error: Exception, context: dict[str, Any]) -> Response:
    request: HttpRequest = context["request"]._request
    logger.error("%s %s failed", request.method, request.path, exc_info=error)
    got_request_exception.send(sender=type(context["view"]), request=request)
    return Response({"detail": BROKEN, "code": "server_error"}, status=500)


def is_api(request: HttpRequest) -> bool:
    """Whether ``request`` is for the API, so that its errors are JSON."""
    return request.path_info.startswith(API_PREFIX)


def api_error(status: int, code: str, detail: str) -> JsonResponse:
    """An error outside of any API view, in the same shape."""
    return JsonResponse({"detail": detail, "code": code}, status=status)
