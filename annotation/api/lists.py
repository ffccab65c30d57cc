"""What the lists of one study share: the right to see them, filters, a constant query count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from django.db.models import Model, QuerySet
from rest_framework.filters import BaseFilterBackend
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.errors import InvalidInput
from annotation.models import Study, User
from annotation.permissions import Right, study_for
from annotation.web import number_in

M = TypeVar("M", bound=Model)


def person(request: Request) -> User:
    """Who is asking; an API view that is reached at all has somebody."""
    return cast(User, request.user)


@dataclass(frozen=True, slots=True)
class Filter:
    """A query parameter ``name`` that keeps the rows where ``lookup`` equals it.

    A ``number`` takes digits only; ``choices`` are the values it may have.
    """

    name: str
    lookup: str
    what: str
    number: bool = False
    choices: tuple[str, ...] = ()

    def read(self, text: str) -> str | int:
        """The value to look for. Raises ``InvalidInput``."""
        if self.choices and text not in self.choices:
            raise InvalidInput(f"?{self.name}= must be one of: {', '.join(self.choices)}.")
        if not self.number:
            return text
        number = number_in(text)
        if number is None:
            raise InvalidInput(f"?{self.name}= must be an id, such as 17.")
        return number


@dataclass(frozen=True, slots=True)
class Switch:
    """A query parameter that the view itself acts on, with ``1`` for yes."""

    name: str
    what: str


# Of every list: the page number, and the word with which DRF chooses a renderer.
_ALWAYS = ("page", "format")


class StudyFilters(BaseFilterBackend):
    """Applies the ``filters`` of a view; a parameter that it does not know is refused.

    (A mistyped filter that is passed over would answer with more rows than were asked for.)
    """

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any, Any], view: APIView
    ) -> QuerySet[Any, Any]:
        filters: Sequence[Filter] = getattr(view, "filters", ())
        switches: Sequence[Switch] = getattr(view, "switches", ())
        known = [*(f.name for f in filters), *(s.name for s in switches), *_ALWAYS]
        if unknown := sorted(set(request.query_params) - set(known)):
            raise InvalidInput(
                f"There is no parameter {', '.join(unknown)} here. Known: {', '.join(known)}."
            )
        for one in filters:
            if one.name in request.query_params:
                value = one.read(request.query_params[one.name])
                queryset = queryset.filter(**{one.lookup: value})
        return queryset

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """The parameters as OpenAPI has them."""
        return [
            {
                "name": one.name,
                "in": "query",
                "required": False,
                "description": one.what,
                "schema": _schema(one),
            }
            for one in [*getattr(view, "filters", ()), *getattr(view, "switches", ())]
        ]


def _schema(one: Filter | Switch) -> dict[str, Any]:
    if isinstance(one, Switch):
        return {"type": "string", "enum": ["1"]}
    if one.choices:
        return {"type": "string", "enum": list(one.choices)}
    return {"type": "integer" if one.number else "string"}


class InStudy(GenericAPIView[M]):
    """A view of rows of one study, for those who have ``right`` there.

    A subclass names ``queryset`` (of the model, for the schema), ``right``, and writes ``rows``.
    """

    right = Right.SEE_ANSWERS
    filters: Sequence[Filter] = ()
    switches: Sequence[Switch] = ()

    def rows(self, study: Study) -> QuerySet[M]:
        """The rows of ``study`` in an order that never changes."""
        raise TypeError(f"{type(self).__name__} does not say which rows it shows")

    def get_queryset(self) -> QuerySet[M]:
        if getattr(self, "swagger_fake_view", False):
            return super().get_queryset().none()
        study = study_for(person(self.request), self.kwargs["slug"], self.right)
        return self.rows(study)

    def is_on(self, name: str) -> bool:
        """Whether the switch ``name`` is set."""
        return self.request.query_params.get(name) == "1"


class StudyList(InStudy[M], ListAPIView[M]):
    """A list of rows of one study, filtered, 100 a page."""

    filter_backends = (StudyFilters,)
