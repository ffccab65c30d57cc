"""What the pages about extraction runs show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from agent.extracting.showing import StepWords, step_words
from agent.models import ExtractionRun, RunStep
from annotation.errors import NotFound
from annotation.models import ChecklistValue, Study


@dataclass(frozen=True)
class RunFilter:
    """Which runs are asked for; what is empty does not filter. ``case`` is an id of the study."""

    model: str = ""
    method: str = ""
    case: str = ""


@dataclass(frozen=True)
class ShownStep:
    """A step with its words."""

    step: RunStep
    words: StepWords


def runs_in(study: Study, wanted: RunFilter) -> QuerySet[ExtractionRun]:
    """The runs by case, model, method and unit.

    Each has ``n_values``: the values of its checklist, which runs over several units share; 0 for a
    run without one. Without the accounts of the runs, which may be long.
    """
    values = (
        ChecklistValue.objects.filter(item__checklist=OuterRef("checklist"))
        .order_by()
        .values("item__checklist")
        .annotate(n=Count("pk"))
        .values("n")
    )
    runs = ExtractionRun.objects.filter(case__study=study)
    if wanted.model:
        runs = runs.filter(model=wanted.model)
    if wanted.method:
        runs = runs.filter(method=wanted.method)
    if wanted.case:
        runs = runs.filter(case__external_id=wanted.case)
    return (
        runs.select_related("case")
        .defer("stats", "metadata", "case__metadata")
        .annotate(n_values=Coalesce(Subquery(values), 0))
        .order_by("case__external_id", "model", "method", "unit", "pk")
    )


def run_in(study: Study, pk: int) -> ExtractionRun:
    """Raises ``NotFound`` for a run of another study."""
    runs = ExtractionRun.objects.filter(case__study=study).select_related("case", "checklist")
    run = runs.filter(pk=pk).first()
    if run is None:
        raise NotFound(f"{study.slug} has no extraction run {pk}.")
    return run


def steps_of(run: ExtractionRun) -> QuerySet[RunStep]:
    """The steps in order: what the model answered before what its tool did; unnumbered ones last.

    "answer" sorts before "event".
    """
    return run.run_steps.order_by(F("step").asc(nulls_last=True), "kind", "position")


def shown_steps(steps: Iterable[RunStep]) -> list[ShownStep]:
    """The steps of one page, without a query of its own a step."""
    return [ShownStep(step, step_words(step.content)) for step in steps]
