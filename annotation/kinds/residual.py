"""Residual facts: atomic facts outside the checklist, each tied to numbered spans. PURE."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from annotation.errors import InvalidInput
from annotation.kinds.spans import Span

SpanIndex = Annotated[int, Field(ge=0)]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Content(_Frozen):
    """The residual spans of a stored summary, in text order."""

    spans: list[Span] = Field(min_length=1)


class Fact(_Frozen):
    """One atomic fact and the (0-based) spans it rests on."""

    text: str = Field(min_length=1)
    spans: list[SpanIndex] = Field(min_length=1)


class Answer(_Frozen):
    """The facts, and the spans that hold none."""

    facts: list[Fact]
    no_fact: list[SpanIndex] = []


def parse_answer(payload: object) -> Answer:
    """Read a stored payload. Raises ``pydantic.ValidationError`` on anything else."""
    return Answer.model_validate(payload)


def check_answer(answer: Answer, content: Content) -> None:
    """Refuse spans that do not exist, spans not settled, and spans both used and empty.

    Raises ``InvalidInput`` with a sentence for the annotator.
    """
    used = {i for fact in answer.facts for i in fact.spans}
    empty = set(answer.no_fact)
    size = len(content.spans)
    beyond = sorted(i + 1 for i in used | empty if i >= size)
    if beyond:
        raise InvalidInput(f"Span {beyond[0]} does not exist: there are {size}.")
    if used & empty:
        raise InvalidInput(f'Span {min(used & empty) + 1} has a fact and is marked "no fact".')
    missing = sorted(i + 1 for i in set(range(size)) - used - empty)
    if missing:
        raise InvalidInput(
            f"Spans not settled yet: {', '.join(map(str, missing))}. "
            'Write a fact for each, or mark it "no fact".'
        )
