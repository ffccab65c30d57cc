"""One shape for every API error: ``detail`` for people, ``code`` for programs."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler as default_handler

from annotation.errors import DomainError
from annotation.web import status_of


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer ``DomainError`` and DRF's own errors alike; leave the rest to the 500 page."""
    if isinstance(error, DomainError):
        return Response({"detail": error.message, "code": error.code}, status=status_of(error))
    response = default_handler(error, context)
    if response is None:
        return None
    if isinstance(error, ValidationError):
        response.data = {
            "detail": "Some fields cannot be accepted; see fields.",
            "code": "invalid",
            "fields": response.data,
        }
    elif isinstance(error, APIException):
        response.data = {"detail": str(error.detail), "code": error.get_codes()}
    else:  # Http404 and PermissionDenied, which DRF has already translated
        code = "not_found" if response.status_code == 404 else "not_allowed"
        response.data = {"detail": response.data["detail"], "code": code}
    return response
