"""The JSON files of the demo's content, field by field, and how they are read. PURE.

``study.json`` names the cases; each case has three files::

    <case>.json              the documents, the reference summary, the models' summaries
    <case>.checklists.json   checklists by hand, and how each annotator's differs
    <case>.answers.json      residual spans and facts, matchings, ratings, by annotator

A text is a list of paragraphs. Evidence is a quote of the text, never an offset (``quotes.py``).
"""

from __future__ import annotations

from datetime import date, datetime
from importlib.resources import files
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from annotation.errors import InvalidFile
from annotation.kinds.comparison import Pair, Relation
from annotation.kinds.extraction import ItemState
from annotation.kinds.residual import Fact, SpanIndex
from annotation.kinds.style import Rating


class _Source(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Text(_Source):
    """A text in paragraphs; a paragraph may hold line breaks (a list, a heading block)."""

    paragraphs: list[str] = Field(min_length=1)

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)


class Document(Text):
    key: str
    name: str
    type: str
    date: date


class CaseFile(_Source):
    case_id: str
    synthetic: Literal[True]
    title: str
    court: str
    docket_number: str
    filing_date: date
    case_type: str
    documents: list[Document] = Field(min_length=1)
    reference: Text
    models: dict[str, Text]


class NthQuote(_Source):
    """A quote that stands several times in its text; ``occurrence`` counts from 1."""

    quote: str
    occurrence: int = Field(ge=1)


Quote = str | NthQuote


class Value(_Source):
    text: str = Field(min_length=1)
    evidence: list[Quote] = Field(min_length=1)


class Checklist(_Source):
    """Items that are not named have no value: the summary says nothing of them."""

    items: dict[str, list[Value]]


class Edit(_Source):
    """One difference between an annotator's checklist and the one by hand.

    ``value`` (from 0) points into the values by hand and takes ``drop``, or a new ``text``, new
    ``evidence`` or both; ``add`` appends a value; ``state`` says why an item is empty.
    """

    item: str
    value: int | None = Field(default=None, ge=0)
    drop: bool = False
    text: str | None = None
    evidence: list[Quote] | None = None
    add: Value | None = None
    state: Literal[ItemState.ABSENT, ItemState.NOT_APPLICABLE] | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Edit:
        changed = self.text is not None or self.evidence is not None
        acts = [self.drop, changed, self.add is not None, self.state is not None]
        if acts.count(True) != 1:
            raise ValueError("an edit drops, changes, adds, or empties: one of them")
        if (self.value is None) == (self.drop or changed):
            raise ValueError("'value' belongs to an edit that drops or changes, and to no other")
        return self


class ChecklistsFile(_Source):
    reference: Checklist
    edits: dict[str, list[Edit]]
    models: dict[str, Checklist]


Vote = Relation | list[Pair]
"""A relation for a single-value task; the matched pairs (model, reference) for a list task."""


class Facts(_Source):
    facts: list[Fact]
    no_fact: list[SpanIndex] = []


class Residual(_Source):
    spans: list[Quote] = Field(min_length=1)
    answers: dict[str, Facts]


class Ratings(_Source):
    """Ratings in the order of ``annotation.kinds.style.ASPECTS``; reasons by aspect."""

    ratings: list[Rating]
    reasons: dict[str, str] = {}


class AnswersFile(_Source):
    """``comparison``: model -> item -> annotator -> vote; ``all`` speaks for the unnamed ones."""

    residual: Residual
    comparison: dict[str, dict[str, dict[str, Vote]]]
    style: dict[str, dict[str, Ratings]]


class Annotator(_Source):
    """``pace`` multiplies the seconds of each answer; ``starts_at`` is the first one's opening."""

    key: str
    name: str
    pace: float = Field(gt=0)
    starts_at: datetime


class Model(_Source):
    key: str
    description: str


class StudyFile(_Source):
    key: str
    title: str
    notice: str
    guidelines: Text
    template: str
    seed: int = Field(ge=0)
    prepared_by: str
    annotators: list[Annotator] = Field(min_length=1)
    models: list[Model] = Field(min_length=1)
    cases: list[str] = Field(min_length=1)


FileT = TypeVar("FileT", bound=_Source)


def read(name: str, shape: type[FileT]) -> FileT:
    """The content file ``name``. Raises ``InvalidFile``, naming every field that is wrong."""
    data = files("evaluation.demo").joinpath("content", name).read_bytes()
    try:
        return shape.model_validate_json(data)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()
        )
        raise InvalidFile(faults, path=name) from error
