"""What the pages about imported releases show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotation.checklists.schema import Template
from annotation.managing.pages import describe_payload
from annotation.models import ChecklistValue, Study, TaskSet
from evaluation.models import ChecklistComparison, ItemVerdict
from evaluation.releasing.readers.verdict_cells import REPAIR_WORDS

READINGS = {
    "repaired": "Mended or odd",
    "as_written": "As written",
    "no_answer": "Enters no score",
}
_SHOWN_WORDS = {
    "equal": "equal",
    "different": "different",
    "a_contains_b": "A contains B",
    "b_contains_a": "B contains A",
}


@dataclass(frozen=True)
class VerdictFilter:
    """Which verdicts are asked for; what is empty does not filter."""

    comparer: str = ""
    work: str = ""
    item: str = ""
    orientation: str = ""
    reading: str = ""


@dataclass(frozen=True)
class ValueList:
    """One side of a comparison. ``why_none`` says why the values are not here."""

    values: list[str]
    why_none: str = ""


@dataclass(frozen=True)
class ShownVerdict:
    """A verdict with the values it is about."""

    verdict: ItemVerdict
    item: str
    work: str
    model: ValueList
    reference: ValueList
    lines: list[str]
    repairs: list[tuple[str, int]]


def work_of(model_name: str, method: str) -> str:
    """What a judge compared: the summaries of a model, or its reading of documents."""
    return f"{model_name} ({method.replace('_', ' ')})" if method else model_name


def verdicts_in(study: Study, wanted: VerdictFilter) -> QuerySet[ItemVerdict]:
    """The verdicts from files, by case, item and whose work they are about."""
    verdicts = ItemVerdict.objects.filter(comparison__case__study=study)
    if wanted.comparer:
        verdicts = verdicts.filter(comparison__comparer=wanted.comparer)
    if wanted.work:
        verdicts = verdicts.filter(_is_work(study, wanted.work))
    if wanted.item:
        verdicts = verdicts.filter(item_key=wanted.item)
    if wanted.orientation:
        verdicts = verdicts.filter(orientation=wanted.orientation)
    if wanted.reading == "no_answer":
        verdicts = verdicts.filter(payload__isnull=True)
    elif wanted.reading:
        as_written = Q(repairs={})
        verdicts = verdicts.filter(as_written if wanted.reading == "as_written" else ~as_written)
    return verdicts.order_by(
        "comparison__case__external_id", "item_key", "comparison__model_name", "comparison__method",
        "pk",
    ).select_related("comparison__case")  # fmt: skip


def _is_work(study: Study, work: str) -> Q:
    comparisons = ChecklistComparison.objects.filter(case__study=study)
    fits = Q(pk__in=[])
    for model, method in comparisons.values_list("model_name", "method").distinct():
        if work_of(model, method) == work:
            fits |= Q(comparison__model_name=model, comparison__method=method)
    return fits


def shown_verdicts(verdicts: Iterable[ItemVerdict], template: Template) -> list[ShownVerdict]:
    """The verdicts of one page with their values, in three queries whatever their number."""
    page = list(verdicts)
    values = _values(page)
    labels = {item.key: item.label for item in template.items}
    shown: list[ShownVerdict] = []
    for verdict in page:
        by = verdict.comparison
        sides = (
            (by.model_checklist_id, verdict.n_model),
            (by.reference_checklist_id, verdict.n_reference),
        )
        model, reference = (
            _value_list(values, checklist_id, verdict.item_key, n) for checklist_id, n in sides
        )
        shown.append(
            ShownVerdict(
                verdict=verdict,
                item=labels.get(verdict.item_key, verdict.item_key),
                work=work_of(by.model_name, by.method),
                model=model,
                reference=reference,
                lines=_lines(verdict),
                repairs=[
                    (REPAIR_WORDS.get(kind, kind.replace("_", " ")), n)
                    for kind, n in verdict.repairs.items()
                ],
            )
        )
    return shown


_Values = dict[tuple[int, str], list[str]]


def _values(page: list[ItemVerdict]) -> _Values:
    checklists = {
        checklist_id
        for verdict in page
        for checklist_id in (
            verdict.comparison.model_checklist_id,
            verdict.comparison.reference_checklist_id,
        )
        if checklist_id is not None
    }
    rows = ChecklistValue.objects.filter(
        item__checklist__in=checklists, item__item_key__in={verdict.item_key for verdict in page}
    ).order_by("position")
    found: _Values = {}
    for checklist_id, key, text in rows.values_list("item__checklist", "item__item_key", "text"):
        found.setdefault((checklist_id, key), []).append(text)
    return found


def _value_list(values: _Values, checklist_id: int | None, key: str, n: int | None) -> ValueList:
    if checklist_id is None:
        known = "" if n is None else f" By what judges say of it, it had {n}."
        return ValueList([], f"This checklist is not in the study.{known}")
    found = values.get((checklist_id, key), [])
    why_none = "No values." if n == 0 else "This checklist has no such item."
    return ValueList(found, "" if found else why_none)


def _lines(verdict: ItemVerdict) -> list[str]:
    if verdict.payload is not None:
        return describe_payload(TaskSet.Kind.COMPARISON, verdict.payload)
    shown = verdict.shown
    if shown is None:
        return []
    if shown["form"] == "single":
        return [_SHOWN_WORDS[shown["relation"]]]
    pairs = [f"A {a + 1} – B {b + 1}" for a, b in shown["pairs"]]
    only = [
        f"only in {side}: {', '.join(str(i + 1) for i in shown[key])}"
        for side, key in (("A", "only_a"), ("B", "only_b"))
        if shown[key]
    ]
    return (pairs or ["no matches"]) + only
