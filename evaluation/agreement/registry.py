"""The statistics by name, with the data each takes. PURE.

A new statistic is a model in ``inputs``, a function that turns the data into an
:class:`~evaluation.agreement.result.Agreement`, and one entry here.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from evaluation.agreement import inputs
from evaluation.agreement.accuracy import accuracy, balanced_accuracy, macro_f1
from evaluation.agreement.alpha import krippendorff_alpha
from evaluation.agreement.coverage import Measure, coverage
from evaluation.agreement.fleiss import fleiss_kappa
from evaluation.agreement.gwet import brennan_prediger, gwet_ac
from evaluation.agreement.inputs import BadData, Data
from evaluation.agreement.kappa import cohen_kappa
from evaluation.agreement.matching import matching_f1, pairwise_f1
from evaluation.agreement.pooled_f1 import pooled_f1
from evaluation.agreement.result import Agreement
from evaluation.agreement.two_agree import two_agree


@dataclass(frozen=True, slots=True)
class Entry:
    """One statistic: ``compute`` takes an instance of ``data``."""

    name: str
    summary: str
    data: type[Data]
    compute: Callable[[Any], Agreement]

    @property
    def required(self) -> list[str]:
        """Inputs that must be there."""
        fields = self.data.model_fields
        return [name for name, field in fields.items() if field.is_required()]

    @property
    def optional(self) -> list[str]:
        """Inputs that may be there."""
        return [name for name in self.data.model_fields if name not in self.required]

    def run(self, data: dict[str, object]) -> Agreement:
        """The statistic of ``data``. Raises BadData, with a sentence, when it cannot be used."""
        try:
            checked = self.data.model_validate(data)
        except ValidationError as error:
            raise BadData(inputs.sentence(error, self.data, self.name)) from None
        try:
            return self.compute(checked)
        except ValueError as error:
            raise BadData(str(error)) from None


def _against_human(statistic: Callable[..., Agreement]) -> Callable[[Any], Agreement]:
    def compute(data: inputs.AgainstHuman) -> Agreement:
        return statistic(
            data.human, data.judge, levels=data.levels, clusters=data.clusters, how=data.how
        )

    return compute


def _cohen_kappa(data: inputs.TwoRaters) -> Agreement:
    return cohen_kappa(
        data.a,
        data.b,
        levels=data.levels,
        weights=data.weights,
        clusters=data.clusters,
        how=data.how,
    )


def _on_scale(statistic: Callable[..., Agreement]) -> Callable[[Any], Agreement]:
    def compute(data: inputs.TwoRatersOnScale) -> Agreement:
        if len(data.a) != len(data.b):
            raise ValueError(
                f"a has {len(data.a)} values and b has {len(data.b)}; they need one value a unit "
                "each, in the same order."
            )
        return statistic(
            [data.a, data.b],
            levels=data.levels,
            weights=data.weights,
            clusters=data.clusters,
            how=data.how,
        )

    return compute


def _fleiss_kappa(data: inputs.ManyRaters) -> Agreement:
    return fleiss_kappa(data.ratings, levels=data.levels, clusters=data.clusters, how=data.how)


def _measured(statistic: Callable[..., Agreement]) -> Callable[[Any], Agreement]:
    def compute(data: inputs.ManyRatersMeasured | inputs.ThreeRaters) -> Agreement:
        return statistic(
            data.ratings,
            level=data.level,
            levels=data.levels,
            clusters=data.clusters,
            how=data.how,
        )

    return compute


def _matching_f1(data: inputs.PairsAgainstHuman) -> Agreement:
    return matching_f1(
        data.human,
        data.judge,
        average=data.average,
        first_index=data.first_index,
        sizes=data.sizes,
        clusters=data.clusters,
        how=data.how,
    )


def _pairwise_f1(data: inputs.PairsOfAnnotators) -> Agreement:
    return pairwise_f1(
        data.annotators,
        average=data.average,
        first_index=data.first_index,
        sizes=data.sizes,
        clusters=data.clusters,
        how=data.how,
    )


def _coverage(data: inputs.CoveredWords) -> Agreement:
    return coverage(
        data.human,
        data.judge,
        measure=Measure(data.measure),
        clusters=data.clusters,
        how=data.how,
    )


def _value_f1(data: inputs.MatchedValues) -> Agreement:
    # scipy's sparse graphs take longer to import than most statistics take to compute
    from evaluation.agreement.values import value_f1
    from evaluation.metrics.matching import Credit

    return value_f1(
        data.n_model,
        data.n_reference,
        data.pairs,
        credit=Credit(data.credit),
        first_index=data.first_index,
        clusters=data.clusters,
        how=data.how,
    )


def _cluster_interval(data: inputs.CountsOfCases) -> Agreement:
    return pooled_f1(data.hits, data.judge, data.human, how=data.how)


ENTRIES = (
    Entry(
        "accuracy",
        "share of units whose judge answer is the agreed human label",
        inputs.AgainstHuman,
        _against_human(accuracy),
    ),
    Entry(
        "balanced_accuracy",
        "mean over human labels of the share the judge found",
        inputs.AgainstHuman,
        _against_human(balanced_accuracy),
    ),
    Entry(
        "macro_f1",
        "mean over labels of the F1 of judge against human",
        inputs.AgainstHuman,
        _against_human(macro_f1),
    ),
    Entry(
        "cohen_kappa",
        "agreement of two raters beyond chance by their own habits",
        inputs.TwoRaters,
        _cohen_kappa,
    ),
    Entry(
        "gwet_ac1",
        "agreement beyond chance by prevalence; AC2 with weights",
        inputs.TwoRatersOnScale,
        _on_scale(gwet_ac),
    ),
    Entry(
        "brennan_prediger",
        "agreement beyond uniform chance",
        inputs.TwoRatersOnScale,
        _on_scale(brennan_prediger),
    ),
    Entry(
        "fleiss_kappa",
        "agreement of three or more raters beyond chance by pooled shares",
        inputs.ManyRaters,
        _fleiss_kappa,
    ),
    Entry(
        "krippendorff_alpha",
        "1 - observed / expected disagreement, with missing ratings",
        inputs.ManyRatersMeasured,
        _measured(krippendorff_alpha),
    ),
    Entry(
        "two_agree",
        "share of units on which two or three of three raters agree, beside its chance",
        inputs.ThreeRaters,
        _measured(two_agree),
    ),
    Entry(
        "matching_f1",
        "F1 of a judge's matched index pairs against the human ones",
        inputs.PairsAgainstHuman,
        _matching_f1,
    ),
    Entry(
        "pairwise_f1",
        "mean over pairs of annotators of the F1 of their matched index pairs",
        inputs.PairsOfAnnotators,
        _pairwise_f1,
    ),
    Entry(
        "value_f1",
        "F1 of checklist values under a credit rule",
        inputs.MatchedValues,
        _value_f1,
    ),
    Entry(
        "coverage",
        "share of words on which people's evidence and a judge's agree, with kappa and F1s",
        inputs.CoveredWords,
        _coverage,
    ),
    Entry(
        "cluster_interval",
        "pooled F1 of counts a case with its interval",
        inputs.CountsOfCases,
        _cluster_interval,
    ),
)

STATISTICS = {entry.name: entry for entry in ENTRIES}


def nearest(name: str) -> list[str]:
    """Names of statistics that look like ``name``, nearest first."""
    return difflib.get_close_matches(name, STATISTICS, n=3, cutoff=0.4)
