"""Reading a database that others write to: one unchanging view, sorted and in small pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Model, QuerySet

from annotation.errors import Refused
from annotation.models import SourceDocument, Study, Summary

PIECE = 200
TEXTS_KEPT = 32
M = TypeVar("M", bound=Model)
T = TypeVar("T")


@contextmanager
def one_view() -> Iterator[None]:
    """Everything read inside the block is of one moment, and nobody is kept from writing.

    Nothing may be written inside the block.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        # atomic() would take the write lock, and annotators would wait for the whole export.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield


def sorted_ids(queryset: QuerySet[Any], *fields: str) -> list[int]:
    """The ids of ``queryset`` in the order of ``fields``, text by code point.

    Sorted here because databases sort text by their own language's rules. None comes first.
    """
    rows = queryset.order_by().values_list(*fields, "pk")
    ordered = sorted(rows, key=lambda row: tuple("" if v is None else v for v in row[:-1]))
    return [row[-1] for row in ordered]


def pieces(things: Sequence[T], size: int = PIECE) -> Iterator[Sequence[T]]:
    """``things`` cut into runs of ``size``."""
    return (things[i : i + size] for i in range(0, len(things), size))


def each(queryset: QuerySet[M], ids: Sequence[int], size: int = PIECE) -> Iterator[M]:
    """The rows called ``ids``, in that order, a few at a time."""
    for piece in pieces(ids, size):
        found = queryset.in_bulk(piece)
        yield from (found[pk] for pk in piece)


def grouped(queryset: QuerySet[M], owner: str, ids: Iterable[int]) -> dict[int, list[M]]:
    """The rows whose ``owner`` is one of ``ids``, in the queryset's order, by owner."""
    groups: dict[int, list[M]] = {pk: [] for pk in ids}
    for row in queryset.filter(**{f"{owner}__in": groups.keys()}):
        groups[getattr(row, owner)].append(row)
    return groups


class Pseudonyms:
    """Who is called what in a study. Names and addresses go no further than here."""

    def __init__(self, study: Study) -> None:
        self._study = study
        members = study.memberships.values_list("user_id", "user__username", "pseudonym")
        self._by_id = {pk: pseudonym for pk, _, pseudonym in members}
        self._by_username = {username: pseudonym for _, username, pseudonym in members}

    def of(self, user_id: int) -> str:
        """Raises ``Refused`` for somebody who has no pseudonym here."""
        if user_id not in self._by_id:
            raise Refused(
                f"The account with the id {user_id} has work in {self._study.slug} and is no "
                "member, so there is no pseudonym to export it under. Make it a member again."
            )
        return self._by_id[user_id]

    def if_member(self, user_id: int | None) -> str | None:
        """None for nobody, and for people from outside the study."""
        return None if user_id is None else self._by_id.get(user_id)

    def instead_of(self, username: str) -> str:
        """The pseudonym of the member with this user name; other words stay as they are."""
        return self._by_username.get(username, username)


class Texts:
    """Texts of summaries and documents by id, the last few kept."""

    def __init__(self) -> None:
        self.summary = lru_cache(TEXTS_KEPT)(self._summary)
        self.document = lru_cache(TEXTS_KEPT)(self._document)

    @staticmethod
    def _summary(pk: int) -> str:
        return Summary.objects.values_list("text", flat=True).get(pk=pk)

    @staticmethod
    def _document(pk: int) -> str:
        return SourceDocument.objects.values_list("text", flat=True).get(pk=pk)
