"""What the storers of rows share: the study being filled, and who became what."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from itertools import islice
from typing import Any, TypeVar

from annotation.errors import Refused
from evaluation.exporting.bundle import ChecklistRef, Key, checklist_key, moment_of
from evaluation.exporting.loading.writing import Spool

BATCH = 200
T = TypeVar("T")


STUDY = 1  # the study's id as long as it is not stored


class Target:
    """What a bundle becomes, being prepared: rows, and the ids that they are known by until then.

    Templates, people and judges, which the database may have already, are numbered in the order
    of their files.
    """

    def __init__(self, spool: Spool) -> None:
        self.create = spool.create
        self.update = spool.update
        self.templates: dict[tuple[str, str], int] = {}
        self.guidelines: dict[int, int] = {}
        self.members: dict[str, int] = {}
        self.cases: dict[str, int] = {}
        self.documents: dict[Key, int] = {}
        self.summaries: dict[Key, int] = {}
        self.checklists: dict[Key, int] = {}
        self.extractions: dict[int, int] = {}
        self.comparisons: dict[Key, int] = {}
        self.task_sets: dict[str, int] = {}
        self.tasks: dict[Key, int] = {}
        self.assignments: dict[Key, int] = {}
        self.done: dict[Key, str] = {}  # the status of those with an answer that counts
        self.judges: dict[str, int] = {}
        self.runs: dict[int, int] = {}
        self.run_sets: dict[int, str] = {}
        self.questions: dict[Key, int] = {}
        self.calls: dict[Key, int] = {}
        self._acts = uuid.uuid4()

    def op_id(self, *names: object) -> uuid.UUID:
        """An id that no other act has: fixed by this import and the names of the row."""
        return uuid.uuid5(self._acts, "\x1f".join(map(str, names)))

    def checklist(self, case: str, named: ChecklistRef | None) -> int | None:
        """The checklist of ``case`` that a row names; None for none."""
        return None if named is None else found(self.checklists, checklist_key(case, named))

    def expect(
        self, templates: Iterable[tuple[str, str]], members: Iterable[str], judges: Iterable[str]
    ) -> None:
        """Number what the database may have already."""
        self.templates = {name: number for number, name in enumerate(templates, 1)}
        self.members = {name: number for number, name in enumerate(members, 1)}
        self.judges = {name: number for number, name in enumerate(judges, 1)}

    def member(self, pseudonym: str | None) -> int | None:
        """The account behind ``pseudonym``; None for nobody."""
        return None if pseudonym is None else found(self.members, pseudonym)


def found(ids: Mapping[Any, T], key: Any) -> T:
    """``ids[key]``; a verified bundle has it, so a missing one means that a file changed."""
    try:
        return ids[key]
    except KeyError:
        raise Refused(
            f"The bundle changed while it was read ({key} is gone). Nothing was stored; try again."
        ) from None


def batches(rows: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """``rows`` a few at a time."""
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch


def moment_if(text: str | None) -> datetime | None:
    return None if text is None else moment_of(text)


def day_if(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
