"""NUL, which PostgreSQL refuses in any text, is dealt with once for every page and form."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase, QueryDict

from annotation.api.errors import api_error, is_api
from annotation.errors import InvalidInput
from annotation.text.normalise import storable_text
from annotation.web import GetResponse, error_response

NUL = "\x00"
REFUSED = "The address holds a NUL character, which no stored text has. Take it out (%00)."


class UnstorableTextMiddleware:
    """Refuses an address with NUL in it; replaces NUL in a form by U+FFFD, as imports do.

    Nobody types NUL, but a text may be pasted with one, and it must not cost the rest of it.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if NUL in request.path_info or _holds_nul(request.GET):
            if is_api(request):
                return api_error(422, InvalidInput.code, REFUSED)
            return error_response(request, InvalidInput(REFUSED))
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., object], args: object, kwargs: object
    ) -> None:
        """Mend the form, unless the view reads it itself (see ``annotation.web.takes_uploads``)."""
        if not getattr(view, "takes_uploads", False) and _holds_nul(request.POST):
            request.POST = _storable(request.POST)  # type: ignore[assignment]


def _holds_nul(fields: QueryDict) -> bool:
    return any(NUL in text for name, values in fields.lists() for text in (name, *values))


def _storable(fields: QueryDict) -> QueryDict:
    clean = fields.copy()
    for name, values in fields.lists():
        del clean[name]
        clean.setlist(storable_text(name), [storable_text(value) for value in values])
    clean._mutable = False
    return clean
