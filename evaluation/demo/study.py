"""What the demo study is made of: frozen, in plain types, nothing of the database. PURE.

``evaluation.demo.content`` describes the whole and builds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

Kind = Literal["extraction", "residual", "comparison", "style"]
KINDS: tuple[Kind, ...] = ("extraction", "residual", "comparison", "style")
REFERENCE = "reference"
"""The ``summary_key`` of the reference summary of every case."""

Payload = dict[str, Any]
"""A ``Content`` or an ``Answer`` of ``annotation.kinds``, as the JSON that is stored."""

Metadata = Mapping[str, Any]
"""``{"synthetic": True, "notice": sentence for people}``, and more where a class says so."""


@dataclass(frozen=True, slots=True)
class DemoAnnotator:
    """One of the invented annotators. ``key`` is the pseudonym used in every answer."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class DemoModel:
    """One of the invented summarisers. ``key`` is its name."""

    key: str
    description: str


@dataclass(frozen=True, slots=True)
class DemoDocument:
    """One case document. ``key`` and ``name`` are unique within the case."""

    key: str
    name: str
    type: str
    date: date
    text: str
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class DemoSummary:
    """One summary. ``key`` is ``"reference"`` or the key of the model that wrote it."""

    key: str
    text: str
    metadata: Metadata

    @property
    def is_reference(self) -> bool:
        return self.key == REFERENCE


@dataclass(frozen=True, slots=True)
class DemoCase:
    """One case with its texts. ``metadata`` also holds ``court`` and ``docket_number``."""

    case_id: str
    title: str
    court: str
    docket_number: str
    filing_date: date
    case_type: str
    documents: tuple[DemoDocument, ...]
    reference: DemoSummary
    model_summaries: tuple[DemoSummary, ...]
    metadata: Metadata

    @property
    def summaries(self) -> tuple[DemoSummary, ...]:
        """The reference first, then the models' in the order of the study."""
        return (self.reference, *self.model_summaries)

    def summary(self, key: str) -> DemoSummary:
        """The summary with this key. Raises ``KeyError``."""
        return {summary.key: summary for summary in self.summaries}[key]


@dataclass(frozen=True, slots=True)
class DemoChecklist:
    """The checklist of one summary from which comparison tasks are made.

    ``producer`` says where it came from. ``payload`` is an ``annotation.kinds.extraction.Answer``
    that names every item of the template.
    """

    case_id: str
    summary_key: str
    producer: str
    payload: Payload


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """One annotator's answer, said of model and reference, never of A and B.

    ``opened_at`` and ``submitted_at`` are ISO 8601 with offset. ``active_seconds`` (> 0) leaves
    idle time out and is at most ``wall_seconds``, the time between the two.
    """

    annotator: str
    payload: Payload
    active_seconds: float
    wall_seconds: float
    opened_at: str
    submitted_at: str


@dataclass(frozen=True, slots=True)
class DemoTask:
    """One question with one answer of each annotator.

    ``key`` is unique in the study: ``<case>/<kind>/<summary>[/<item>]``. ``summary_key`` names the
    summary that is asked about (in comparison and style: the model's, which is compared with the
    reference of the same case). ``item_key`` is empty except in comparison tasks.
    """

    key: str
    kind: Kind
    case_id: str
    summary_key: str
    item_key: str
    content: Payload
    answers: tuple[DemoAnswer, ...]


@dataclass(frozen=True, slots=True)
class DemoStudy:
    """The whole demo. ``notice`` is the sentence that says that all of it is invented."""

    key: str
    title: str
    notice: str
    guidelines: str
    template: str
    seed: int
    annotators: tuple[DemoAnnotator, ...]
    models: tuple[DemoModel, ...]
    cases: tuple[DemoCase, ...]
    checklists: tuple[DemoChecklist, ...]
    tasks: tuple[DemoTask, ...]

    def case(self, case_id: str) -> DemoCase:
        """The case with this id. Raises ``KeyError``."""
        return {case.case_id: case for case in self.cases}[case_id]

    def tasks_of(self, kind: Kind) -> tuple[DemoTask, ...]:
        """The tasks of one kind, in their order."""
        return tuple(task for task in self.tasks if task.kind == kind)
