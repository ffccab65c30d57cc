"""What judges said when they compared two checklists item by item."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.exporting import bundle
from evaluation.exporting.bundle import Row, moment_text
from evaluation.exporting.collecting.common import FEW, Source, checklist_ref
from evaluation.exporting.reading import grouped, pieces, sorted_ids
from evaluation.models import ChecklistComparison, ItemVerdict


class ComparisonRows:
    """Rows of comparisons of checklists and their verdicts."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def _in_pieces(self) -> Iterator[list[ChecklistComparison]]:
        own = ChecklistComparison.objects.filter(case__study=self.source.study)
        names = ("case__external_id", "comparer", "model_name", "extractor", "method")
        comparisons = ChecklistComparison.objects.select_related(
            "case", "model_checklist__summary", "reference_checklist__summary"
        ).defer(
            "case__metadata",
            "model_checklist__metadata",
            "model_checklist__summary__text",
            "reference_checklist__metadata",
            "reference_checklist__summary__text",
        )
        for piece in pieces(sorted_ids(own, *names), FEW):
            found = comparisons.in_bulk(piece)
            yield [found[pk] for pk in piece]

    @staticmethod
    def _names(comparison: ChecklistComparison) -> dict[str, str]:
        return {
            "case": comparison.case.external_id,
            "comparer": comparison.comparer,
            "model": comparison.model_name,
            "extractor": comparison.extractor,
            "method": comparison.method,
        }

    def comparisons(self) -> Iterator[Row]:
        for piece in self._in_pieces():
            for row in piece:
                yield bundle.ChecklistComparisonRow(
                    **self._names(row),
                    model_checklist=checklist_ref(self.source, row.model_checklist, row.case_id),
                    reference_checklist=checklist_ref(
                        self.source, row.reference_checklist, row.case_id
                    ),
                    source_file=row.source_file,
                    metadata=row.metadata,
                    created_at=moment_text(row.created_at),
                )

    def item_verdicts(self) -> Iterator[bundle.ItemVerdictRow]:
        for piece in self._in_pieces():
            verdicts = grouped(
                ItemVerdict.objects.all(), "comparison_id", [comparison.pk for comparison in piece]
            )
            for comparison in piece:
                names = self._names(comparison)
                for verdict in sorted(verdicts[comparison.pk], key=lambda v: v.item_key):
                    yield bundle.ItemVerdictRow(
                        **names,
                        item=verdict.item_key,
                        form=verdict.form,
                        orientation=verdict.orientation,
                        first_side=verdict.first_side,
                        status=verdict.status,
                        reason=verdict.reason,
                        payload=verdict.payload,
                        shown=verdict.shown,
                        raw=verdict.raw,
                        repairs=verdict.repairs,
                        n_model=verdict.n_model,
                        n_reference=verdict.n_reference,
                    )
