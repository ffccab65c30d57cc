"""Compute, save and list figures of agreement."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from django.db import transaction

from annotation import audit
from annotation.errors import NotFound
from annotation.models import Study, TaskSet, User
from annotation.version import CODE_VERSION
from evaluation.agreement.intervals import Resampling
from evaluation.agreement.result import Method
from evaluation.meta_evaluating import comparing, rating, tables
from evaluation.meta_evaluating.covering import CoveredSummary, coverage_figures
from evaluation.meta_evaluating.figures import Figure, with_chance
from evaluation.models import JudgeRun, MetaEvaluation

LIBRARIES = ("numpy", "scipy")
GOLD_RULE = (
    "relation: the majority of at least two votes; pairs: made by at least two; ratings: each raw"
)


@dataclass(frozen=True)
class Computed:
    """The figures of one task set; ``run`` is None for the annotators among themselves.

    Coverage is measured on checklists, which belong to no task set: there it is None.
    """

    task_set: TaskSet | None
    run: JudgeRun | None
    figures: list[Figure]
    anchored: bool = False

    def rows(self) -> list[dict[str, Any]]:
        """As in the command-line contract, with task set, run and what the judge is."""
        own = {
            "task_set": self.task_set.key if self.task_set else None,
            "run": self.run.pk if self.run else None,
            "baseline": bool(self.run and self.run.judge.is_baseline),
            "anchored": self.anchored or bool(self.run and self.run.judge.is_anchored),
        }
        return [row | own for row in with_chance(self.figures)]


def meta_evaluate(
    study: Study,
    *,
    judge: str | None = None,
    seed: int = 0,
    draws: int = 9999,
    method: str | None = None,
    actor: User | None = None,
) -> MetaEvaluation:
    """Compute and save every figure that the answers of ``study`` allow.

    For each comparison set: the annotators among themselves, and each judge's newest finished run
    (only ``judge`` if given) against their majority. For each style set: the annotators. For each
    judge with checklists on summaries that people extracted too: which words the evidence covers.
    Raises ``NotFound`` when ``judge`` has neither a finished run nor such checklists in the study.
    """
    how = Resampling(method=Method(method) if method else None, draws=draws, seed=seed)
    computed = [
        part
        for task_set in study.task_sets.order_by("key")
        for part in _of_set(task_set, judge, how)
    ]
    covering = list(_coverage(study, judge, how))
    if judge and not covering and not any(part.run for part in computed):
        raise NotFound(
            f"{judge} has no finished run in {study.slug}, and no checklists on summaries that "
            "people extracted too. Start a run: "
            f"run_judge --study {study.slug} --task comparison --judge {judge} --wait"
        )
    computed += covering
    with transaction.atomic():
        saved = MetaEvaluation.objects.create(
            study=study,
            inputs={
                "judge": judge,
                "gold": GOLD_RULE,
                "method": method or "jackknife_t",
                "task_sets": sorted({part.task_set.key for part in computed if part.task_set}),
                "runs": sorted(part.run.pk for part in computed if part.run),
            },
            seed=seed,
            draws=draws,
            rows=[row for part in computed for row in part.rows()],
            versions=versions(),
            created_by=actor,
        )
        audit.log("meta_evaluation.saved", actor=actor, study=study, target=saved.pk)
    return saved


def _of_set(task_set: TaskSet, judge: str | None, how: Resampling) -> Iterable[Computed]:
    if task_set.kind == TaskSet.Kind.STYLE:
        yield Computed(task_set, None, rating.style_figures(tables.style_rows(task_set), how))
    if task_set.kind != TaskSet.Kind.COMPARISON:
        return
    rows = tables.comparison_rows(task_set)
    yield Computed(task_set, None, comparing.human_figures(rows, how))
    for run in tables.latest_runs(task_set):
        if judge is None or run.judge.name == judge:
            yield against_people(run, rows, how)


def _coverage(study: Study, judge: str | None, how: Resampling) -> Iterable[Computed]:
    for name, rows in tables.covered_summaries(study).items():
        if judge in (None, name):
            yield coverage_of(name, rows, how)


def coverage_of(name: str, rows: list[CoveredSummary], how: Resampling) -> Computed:
    """The figures of one judge's evidence against people's."""
    anchored = any(row.anchored for row in rows)
    return Computed(None, None, coverage_figures(name, rows, how), anchored)


def against_people(run: JudgeRun, rows: list[comparing.ComparisonRow], how: Resampling) -> Computed:
    """The figures of one run against the majority of the annotators."""
    cells = tables.verdict_cells(run)
    figures = comparing.judge_figures(run.judge.name, rows, cells, how)
    return Computed(run.task_set, run, figures)


def versions() -> dict[str, str]:
    """What computed the figures."""
    return {
        "gavel": CODE_VERSION,
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
    }


def run_in(study: Study, pk: int) -> JudgeRun:
    """A finished run of ``study``. Raises ``NotFound``."""
    run = (
        study.judge_runs.filter(pk=pk, status=JudgeRun.Status.DONE)
        .select_related("judge", "task_set")
        .first()
    )
    if run is None:
        raise NotFound(f"{study.slug} has no finished run {pk}.")
    return run
