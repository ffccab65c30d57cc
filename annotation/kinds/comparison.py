"""Comparison of the checklist values of a model summary and a reference summary. PURE.

Two words for a side are kept strictly apart:

- *model* / *reference*: what a side **is**. Everything stored and every statistic uses these.
- *A* / *B*: where a side was **shown**. Which side was A is drawn per assignment or judge
  request (``first``: the side shown as A) and undone here, at the boundary.

Indices are 0-based positions in the stored value lists. Files of other tools use 1-based
indices; their readers and writers convert.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from annotation.errors import InvalidInput

Index = Annotated[int, Field(ge=0)]
Pair = tuple[int, int]


class Side(StrEnum):
    """What a side of a comparison is."""

    MODEL = "model"
    REFERENCE = "reference"

    @property
    def other(self) -> Side:
        return Side.REFERENCE if self is Side.MODEL else Side.MODEL


class Relation(StrEnum):
    """How the value of the model relates to the value of the reference."""

    EQUAL = "equal"
    MODEL_CONTAINS = "model_contains_reference"
    REFERENCE_CONTAINS = "reference_contains_model"
    DIFFERENT = "different"


class ShownRelation(StrEnum):
    """The same, as answered by somebody who saw A and B."""

    EQUAL = "equal"
    A_CONTAINS_B = "a_contains_b"
    B_CONTAINS_A = "b_contains_a"
    DIFFERENT = "different"


_A_CONTAINS = {Side.MODEL: Relation.MODEL_CONTAINS, Side.REFERENCE: Relation.REFERENCE_CONTAINS}


def orient(shown: ShownRelation, first: Side) -> Relation:
    """Undo the shown order: what was said of A and B, said of model and reference.

    >>> orient(ShownRelation.A_CONTAINS_B, Side.REFERENCE).value
    'reference_contains_model'
    """
    if shown is ShownRelation.A_CONTAINS_B:
        return _A_CONTAINS[first]
    if shown is ShownRelation.B_CONTAINS_A:
        return _A_CONTAINS[first.other]
    return Relation(shown.value)


def as_shown(relation: Relation, first: Side) -> ShownRelation:
    """The inverse of :func:`orient`."""
    if relation is _A_CONTAINS[first]:
        return ShownRelation.A_CONTAINS_B
    if relation is _A_CONTAINS[first.other]:
        return ShownRelation.B_CONTAINS_A
    return ShownRelation(relation.value)


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Content(_Frozen):
    """What a comparison task asks about: one item of one case, both sides' values.

    ``form`` is ``single`` (exactly one value a side) or ``list``; a list task may have one value a
    side. ``model_source`` and ``reference_source`` name where the values came from and are
    never shown to an annotator. ``imported_first`` is the side that an imported file showed as A.
    """

    form: Literal["single", "list"]
    model: list[str] = Field(min_length=1)
    reference: list[str] = Field(min_length=1)
    model_source: str = ""
    reference_source: str = ""
    imported_first: Side | None = None

    @model_validator(mode="after")
    def _single_has_one_value_a_side(self) -> Self:
        if self.form == "single" and (len(self.model), len(self.reference)) != (1, 1):
            raise ValueError("a single-value task needs exactly one value on each side")
        return self


class SingleAnswer(_Frozen):
    """One of the four relations."""

    form: Literal["single"] = "single"
    relation: Relation


class ListAnswer(_Frozen):
    """A matching: every value is in at least one pair, or named as having no counterpart."""

    form: Literal["list"] = "list"
    pairs: list[tuple[Index, Index]]
    only_model: list[Index]
    only_reference: list[Index]


Answer = Annotated[SingleAnswer | ListAnswer, Field(discriminator="form")]
_ANSWER: TypeAdapter[SingleAnswer | ListAnswer] = TypeAdapter(Answer)


def parse_answer(payload: object) -> SingleAnswer | ListAnswer:
    """Read a stored payload. Raises ``pydantic.ValidationError`` on anything else."""
    return _ANSWER.validate_python(payload)


def check_answer(
    answer: SingleAnswer | ListAnswer, content: Content, *, many_to_many: bool = True
) -> None:
    """Refuse an answer that does not settle the task.

    Raises ``InvalidInput`` with a sentence for the annotator when the form is the other one, an
    index is out of range or named twice, a value is both matched and "no counterpart", a value is
    not settled, or a value has several counterparts though ``many_to_many`` is off.
    """
    if answer.form != content.form:
        raise InvalidInput(f"This task asks for a {content.form} answer, not a {answer.form} one.")
    if isinstance(answer, SingleAnswer):
        return
    if len(set(answer.pairs)) != len(answer.pairs):
        raise InvalidInput("The same two values are matched twice; keep one of the pairs.")
    _check_side(Side.MODEL, [m for m, _ in answer.pairs], answer.only_model, len(content.model))
    _check_side(
        Side.REFERENCE, [r for _, r in answer.pairs], answer.only_reference, len(content.reference)
    )
    if not many_to_many:
        for side in ([m for m, _ in answer.pairs], [r for _, r in answer.pairs]):
            if len(set(side)) != len(side):
                raise InvalidInput(
                    "This study allows one counterpart for each value; "
                    "one value has several. Take one of its matches away."
                )


def _check_side(side: Side, matched: list[int], only: list[int], size: int) -> None:
    named = set(matched) | set(only)
    if named and max(named) >= size:
        raise InvalidInput(f"Value {max(named) + 1} does not exist: the {side} list has {size}.")
    if len(set(only)) != len(only) or set(matched) & set(only):
        raise InvalidInput('A value is named twice, or both matched and "no counterpart".')
    missing = sorted(set(range(size)) - named)
    if missing:
        numbers = ", ".join(str(i + 1) for i in missing)
        raise InvalidInput(f'Not settled yet: {numbers}. Match each value or say "no counterpart".')


def settle(pairs: list[Pair], content: Content) -> ListAnswer:
    """The complete answer in which exactly ``pairs`` match and nothing else does."""
    matched_model = {m for m, _ in pairs}
    matched_reference = {r for _, r in pairs}
    return ListAnswer(
        pairs=sorted(set(pairs)),
        only_model=[i for i in range(len(content.model)) if i not in matched_model],
        only_reference=[i for i in range(len(content.reference)) if i not in matched_reference],
    )
