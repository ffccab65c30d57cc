"""A study in the folders and files of a public release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.db.models import Prefetch

from annotation.errors import Refused
from annotation.managing.services import template_of
from annotation.models import (
    Checklist,
    ChecklistItem,
    ChecklistValue,
    Evidence,
    Study,
    Summary,
)
from evaluation.exporting.bundle import FileEntry
from evaluation.exporting.collecting.collector import Collector
from evaluation.exporting.collecting.common import day_or_none, require_right
from evaluation.exporting.reading import each
from evaluation.exporting.release_shapes import (
    EVALUATION,
    EVALUATION_DOCUMENTS,
    HUMAN_FILE,
    SUMMARIES,
    SUMMARIZED,
    SUMMARY_CHECKLISTS,
    extracted_cell,
    extracted_value,
    human_value,
    inside,
    known_path,
    of_a_run,
    reference_entry,
)
from evaluation.exporting.rows import FileNames, Quote
from evaluation.exporting.writers import write_json
from evaluation.models import ChecklistComparison

HUMAN = "human"
_OTHER_REFERENCES = "cases.json"
_FEW = 20


class ReleaseFiles:
    """The texts, checklists and verdicts of a study. Use it inside ``one_view``.

    ``left_out`` counts the checklists that a release has no place for, by who made them.
    """

    def __init__(self, study: Study, collector: Collector) -> None:
        self.study = study
        self.collector = collector
        self.left_out: Counter[str] = Counter()
        self.item_names = item_names(study)

    def write(self, folder: Path) -> list[FileEntry]:
        """``data/summaries``, ``data/document_checklists/human.json``, ``data/summary_checklists``
        and the two folders of evaluations, as far as the study has them.
        """
        files = []
        for write in (
            self._references,
            self._model_summaries,
            self._human,
            self._summary_checklists,
            self._evaluations,
        ):
            names = FileNames()
            for path, value in write():
                name = names.once(path.removesuffix(".json"))
                files.append(write_json(folder, name, value))
        return files

    def _references(self) -> Iterator[tuple[str, Any]]:
        summaries = self._summaries(Summary.Kind.REFERENCE)
        for (name,), ids in _grouped(summaries, lambda s: (_reference_file(s),)).items():
            cases: dict[str, Any] = {}
            for summary in each(summaries, ids, _FEW):
                case = summary.case
                cases[case.external_id] = reference_entry(
                    summary.text,
                    day_or_none(case.filing_date),
                    case.case_type,
                    case.token_count,
                    case.length_bin,
                    case.metadata,
                )
            yield inside(SUMMARIES, name), cases

    def _model_summaries(self) -> Iterator[tuple[str, Any]]:
        summaries = self._summaries(Summary.Kind.MODEL)
        groups = _grouped(
            summaries, lambda s: (s.producer, str(s.metadata.get("file") or "summaries.json"))
        )
        for (producer, name), ids in groups.items():
            rows = list(each(summaries, ids, _FEW))
            results = {summary.case.external_id: summary.text for summary in rows}
            yield inside(SUMMARIES, producer, name), of_a_run(rows[0].metadata, results)

    def _summaries(self, kind: str) -> Any:
        return Summary.objects.filter(case__study=self.study, kind=kind).select_related("case")

    def _human(self) -> Iterator[tuple[str, Any]]:
        gold = self._checklists().filter(producer_kind=Checklist.Producer.GOLD)
        mine = gold.filter(summary__kind=Summary.Kind.REFERENCE, producer=HUMAN, method="")
        self._leave_out("gold", gold.exclude(pk__in=mine.values("pk")))
        metadata: dict[str, Any] = {}
        results: dict[str, Any] = {}
        for checklist in each(mine, list(mine.order_by("pk").values_list("pk", flat=True)), _FEW):
            metadata = metadata or checklist.metadata.get("file_metadata", {})
            results[checklist.case.external_id] = {
                self._name(item): [
                    human_value(value.text, self._spans(checklist, item, value))
                    for value in item.values.all()
                ]
                for item in checklist.items.all()
            }
        if results:
            yield HUMAN_FILE, {"metadata": metadata, "results": results}

    def _spans(
        self, checklist: Checklist, item: ChecklistItem, value: ChecklistValue
    ) -> list[tuple[int, int, str]]:
        row = (
            f"checklist {checklist.case.external_id} / {checklist.producer} / {item.item_key}, "
            f"value {value.position + 1}"
        )
        spans = []
        for evidence in value.evidence.all():
            if evidence.start is None or evidence.end is None:
                raise Refused(
                    f"{row}: its evidence {evidence.quote[:40]!r} was not found in the summary, "
                    "and people's evidence has a place. Nothing was written."
                )
            spans.append((evidence.start, evidence.end, evidence.quote))
        quotes = [Quote("its evidence", *span) for span in spans]
        require_right(row, quotes, self._text(checklist))
        return spans

    def _text(self, checklist: Checklist) -> str:
        if checklist.summary_id is None:
            raise Refused(f"The checklist {checklist} has quotes and no summary they are of.")
        return self.collector.work.source.texts.summary(checklist.summary_id)

    def _summary_checklists(self) -> Iterator[tuple[str, Any]]:
        judges = self._checklists().filter(producer_kind=Checklist.Producer.JUDGE)
        judges = judges.filter(summary__isnull=False)
        for kind in (Checklist.Producer.ANNOTATOR, Checklist.Producer.AGENT):
            self._leave_out(kind.value, self._checklists().filter(producer_kind=kind))
        of_documents = self._checklists().filter(
            producer_kind=Checklist.Producer.JUDGE, summary__isnull=True
        )
        self._leave_out("judge", of_documents)
        for (_, path), ids in _grouped(judges, lambda c: (c.producer, _checklist_path(c))).items():
            results: dict[str, Any] = {}
            metadata: dict[str, Any] = {}
            for checklist in each(judges, ids, _FEW):
                metadata = metadata or _of_extraction(checklist)
                results[checklist.case.external_id] = {
                    self._name(item): extracted_cell(
                        item.metadata.get("reasoning", ""),
                        [self._extracted(checklist, item, v) for v in item.values.all()],
                    )
                    for item in checklist.items.all()
                }
            yield path, of_a_run(metadata, results)

    def _extracted(
        self, checklist: Checklist, item: ChecklistItem, value: ChecklistValue
    ) -> dict[str, object]:
        rows = list(value.evidence.all())
        row = f"checklist {checklist} / {item.item_key}, value {value.position + 1}"
        quotes = [
            Quote("its evidence", e.start, e.end, e.quote)
            for e in rows
            if e.start is not None and e.end is not None
        ]
        require_right(row, quotes, self._text(checklist))
        kept = {name: v for name, v in value.metadata.items() if name != "origin"}
        return extracted_value(value.text, [e.quote for e in rows], kept)

    def _checklists(self) -> Any:
        return (
            Checklist.objects.filter(case__study=self.study)
            .select_related("case", "summary")
            .defer("summary__text")
            .prefetch_related(*_IN_ORDER)
        )

    def _evaluations(self) -> Iterator[tuple[str, Any]]:
        comparisons = (
            ChecklistComparison.objects.filter(case__study=self.study)
            .select_related("case")
            .prefetch_related("verdicts")
        )
        for (_, path), ids in _grouped(
            comparisons, lambda c: (c.comparer, _evaluation_path(c))
        ).items():
            results: dict[str, Any] = {}
            metadata: dict[str, Any] = {}
            for comparison in each(comparisons, ids, _FEW):
                metadata = metadata or {
                    "file_name": comparison.model_name,
                    "inference_model": comparison.comparer,
                    **comparison.metadata,
                }
                verdicts = sorted(comparison.verdicts.all(), key=lambda v: v.pk)
                results[comparison.case.external_id] = {
                    self.item_names.get(v.item_key, v.item_key): v.raw for v in verdicts
                }
            yield path, of_a_run(metadata, results)

    def _leave_out(self, whose: str, checklists: Any) -> None:
        if number := checklists.count():
            self.left_out[whose] += number

    def _name(self, item: ChecklistItem) -> str:
        kept = item.metadata.get("name") if isinstance(item.metadata, dict) else None
        return str(kept) if kept else self.item_names.get(item.item_key, item.item_key)


_IN_ORDER = (
    Prefetch("items", ChecklistItem.objects.order_by("pk")),
    Prefetch("items__values", ChecklistValue.objects.order_by("position")),
    Prefetch("items__values__evidence", Evidence.objects.order_by("position")),
)


def item_names(study: Study) -> dict[str, str]:
    """What data call the items: as imported files did, else their first alias, else their label."""
    names = {
        item.key: item.aliases[0] if item.aliases else item.label
        for item in template_of(study).items
    }
    used = ChecklistItem.objects.filter(
        checklist__case__study=study, metadata__name__isnull=False
    ).order_by("-pk")
    names.update(used.values_list("item_key", "metadata__name"))
    return names


def _grouped(queryset: Any, key: Callable[[Any], tuple[str, ...]]) -> dict[Any, list[int]]:
    """Ids by ``key``, both in the order in which the rows were made."""
    groups: dict[Any, list[int]] = {}
    for row in _light(queryset).order_by("pk").iterator(chunk_size=500):
        groups.setdefault(key(row), []).append(row.pk)
    return groups


def _light(queryset: Any) -> Any:
    light = queryset.prefetch_related(None)
    return light.defer("text") if queryset.model is Summary else light


def _reference_file(summary: Summary) -> str:
    """The file that brought a reference summary; a file of one case is none of a release."""
    name = str(summary.metadata.get("file") or "")
    return _OTHER_REFERENCES if name in ("", f"{summary.case.external_id}.json") else name


def _checklist_path(checklist: Checklist) -> str:
    name = str(checklist.metadata.get("file") or "")
    if not name or name == f"{checklist.case.external_id}.json":
        name = f"{checklist.producer}.json"
    summary = checklist.summary
    if summary is None or summary.kind == Summary.Kind.REFERENCE:
        return inside(SUMMARY_CHECKLISTS, name)
    return inside(SUMMARY_CHECKLISTS, f"{summary.producer}{SUMMARIZED}", name)


def _of_extraction(checklist: Checklist) -> dict[str, Any]:
    """What a file says of the model that extracted."""
    kept = {name: value for name, value in checklist.metadata.items() if name != "was_in_the_tool"}
    return {"inference_model": checklist.producer, **kept}


def _evaluation_path(comparison: ChecklistComparison) -> str:
    if comparison.method:
        for depth in (1, 2, 3, 4):
            if path := known_path(comparison.source_file, EVALUATION_DOCUMENTS, depth):
                return path
        return inside(EVALUATION_DOCUMENTS, comparison.method, f"{comparison.model_name}.json")
    return known_path(comparison.source_file, EVALUATION, 2) or inside(
        EVALUATION, f"{comparison.model_name}{SUMMARIZED}", f"{comparison.comparer}.json"
    )
