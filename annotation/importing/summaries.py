"""Storing summaries of cases that files bring beside something else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date

from annotation.kinds.comparison import Side
from annotation.models import Case, Study, Summary
from annotation.records.quoting import brief
from annotation.records.report import FileReport
from annotation.text.normalise import NormalisedText, storable_json

REFERENCE = "reference"


class StudySummaries:
    """The cases called ``case_ids`` and their summaries, as they are stored and become.

    Counts into ``report`` what was made and what was there.
    """

    def __init__(self, study: Study, case_ids: set[str], report: FileReport) -> None:
        self._study = study
        self._report = report
        self._cases = {c.external_id: c for c in study.cases.filter(external_id__in=case_ids)}
        # Case id -> producer -> summary.
        self._stored: defaultdict[str, dict[str, Summary]] = defaultdict(dict)
        for summary in Summary.objects.filter(
            case__study=study, case__external_id__in=case_ids
        ).select_related("case"):
            self._stored[summary.case.external_id][summary.producer] = summary

    def case(self, case_id: str) -> Case:
        """The case, made when it is new."""
        if case_id not in self._cases:
            self._cases[case_id] = Case.objects.create(study=self._study, external_id=case_id)
            self._report.found["new_cases"] += 1
        return self._cases[case_id]

    def describe_case(
        self,
        case_id: str,
        *,
        filing_date: date | None = None,
        case_type: str | None = None,
        length_bin: str | None = None,
    ) -> None:
        """Fill what is not known of a case. Where something else is stored, that stays; counted."""
        case = self.case(case_id)
        changed = []
        for name, value in (
            ("filing_date", filing_date),
            ("case_type", case_type),
            ("length_bin", length_bin),
        ):
            if not value or getattr(case, name) == value:
                continue
            if getattr(case, name):
                self._report.repairs[f"case_{name}_differs"] += 1
                continue
            setattr(case, name, value)
            changed.append(name)
        if changed:
            case.save(update_fields=changed)

    def with_text(self, case_id: str, text: str) -> Summary | None:
        """A stored summary of the case with exactly this text, the first by producer."""
        same = [s for s in self._stored[case_id].values() if s.text == text]
        return min(same, key=lambda summary: summary.producer, default=None)

    def stored(self, case_id: str, producer: str | None, text: str) -> Summary | None:
        """The summary of that producer; of one that is not known (None) any with this text."""
        if producer is None:
            return self.with_text(case_id, text)
        return self._stored[case_id].get(producer)

    def linked(self, case_id: str, producer: str, original_sha256: str) -> Summary | None:
        """The summary that a file names without its text. Counted when it is not here."""
        found = self._stored[case_id].get(producer)
        if found is not None and found.original_sha256 == original_sha256:
            return found
        self._report.found["summaries_named_and_not_here"] += 1
        return None

    def put(
        self,
        case_id: str,
        side: Side,
        producer: str,
        text: NormalisedText,
        *,
        place: str,
        metadata: Mapping[str, object],
    ) -> Summary | None:
        """Store a summary, or find the same one; another text of this producer is a problem."""
        name = REFERENCE if side is Side.REFERENCE else producer
        known = self._stored[case_id].get(name)
        if known is not None:
            if known.text == text.text:
                self._report.unchanged += 1
                return known
            self._report.problem(
                place,
                f"The summary of case {brief(case_id)} by {brief(name)} is stored with another "
                "text, and texts never change. Correct the text, or give the producer another "
                "name.",
            )
            return None
        summary = Summary.objects.create(
            case=self.case(case_id),
            kind=Summary.Kind.REFERENCE if side is Side.REFERENCE else Summary.Kind.MODEL,
            producer=name,
            text=text.text,
            original_sha256=text.original_sha256,
            word_count=len(text.text.split()),
            metadata=storable_json({**metadata, "removed": list(text.removed)}),
        )
        self._stored[case_id][name] = summary
        self._report.created += 1
        return summary
