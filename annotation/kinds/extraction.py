"""Extraction: the values of each checklist item in one summary, with their evidence. PURE."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from annotation.errors import InvalidInput
from annotation.kinds.spans import Span


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ItemState(StrEnum):
    """What a producer says of an item. An item without a row was never looked for."""

    VALUES = "values"
    ABSENT = "absent"
    NOT_APPLICABLE = "not_applicable"


class Value(_Frozen):
    """One value and the spans that support it."""

    text: str = Field(min_length=1)
    evidence: list[Span] = []


class ItemValues(_Frozen):
    """All values of one item."""

    state: ItemState
    values: list[Value] = []


class Seed(_Frozen):
    """A value that a model proposes to the annotator: its item, and where it came from.

    ``origin`` is the id that the source gives it; empty when it has none.
    """

    item_key: str = Field(min_length=1)
    text: str
    evidence: list[Span] = []
    origin: str = ""


class Paragraph(_Frozen):
    """The part of the summary that a task is about: ``[start, end)`` of its text.

    ``number`` counts from 0, ``count`` is the number of paragraphs of the summary.
    """

    number: int = Field(ge=0)
    count: int = Field(ge=1)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Content(_Frozen):
    """An extraction task is about a stored summary; its text is read from there.

    ``seed_source`` names the model whose values the annotator starts from, ``seeds`` are those
    values. ``paragraph`` is None when the task is about the whole summary. Evidence, also of a
    paragraph's values, counts from the start of the summary and may lie in any paragraph.
    """

    seed_source: str = ""
    paragraph: Paragraph | None = None
    seeds: list[Seed] = []


class Answer(_Frozen):
    """A whole checklist: item key -> values."""

    items: dict[str, ItemValues]

    @property
    def sorted_items(self) -> list[tuple[str, ItemValues]]:
        """The items by key: databases may lose the order of a stored answer's keys."""
        return sorted(self.items.items())


def parse_answer(payload: object) -> Answer:
    """Read a stored payload. Raises ``pydantic.ValidationError`` on anything else."""
    return Answer.model_validate(payload)


def check_answer(answer: Answer, *, item_keys: frozenset[str], text: str) -> None:
    """Refuse unknown items, states that contradict their values, and evidence not in ``text``.

    Raises ``InvalidInput`` naming the item.
    """
    unknown = sorted(set(answer.items) - item_keys)
    if unknown:
        raise InvalidInput(f"Unknown checklist items: {', '.join(unknown)}.")
    for key, item in answer.items.items():
        if bool(item.values) != (item.state is ItemState.VALUES):
            raise InvalidInput(f'{key}: the state "{item.state}" contradicts its values.')
        for value in item.values:
            for span in value.evidence:
                if not span.matches(text):
                    raise InvalidInput(
                        f"{key}: the evidence at {span.start}-{span.end} is not what "
                        "the summary says there. Reload the page and select it again."
                    )
