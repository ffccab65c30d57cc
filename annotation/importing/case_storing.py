"""Writing cases and their documents: what is new, once, and nothing over what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from django.db.models import Sum

from annotation.importing.case_spool import SpooledCase, SpooledDocument
from annotation.importing.services import BATCH
from annotation.importing.summaries import REFERENCE
from annotation.models import Case, SourceDocument, Study, Summary
from annotation.records.quoting import brief
from annotation.records.report import FileReport

# Rows of about so many characters go to the database at once.
_BATCH_CHARACTERS = 4_000_000


class CaseStore:
    """Stores what a spool yields, in its order, and counts it into reports.

    ``report`` is of the file or case as a whole, ``report_of(name)`` of the file a document came
    from. ``tokens`` has each case that will come with the tokens of its documents there. Without
    ``write`` everything is compared and counted, and nothing stored. ``touched`` are the cases that
    are stored. It is made inside the transaction, which it keeps short: what is new is not asked
    for again.
    """

    def __init__(
        self,
        study: Study,
        report: FileReport,
        report_of: Callable[[str], FileReport],
        count_tokens: Callable[[str], int],
        tokens: Mapping[str, int],
        *,
        write: bool,
    ) -> None:
        self._study = study
        self._tokens = tokens
        self._cases = {case.external_id: case for case in _called(study, list(tokens))}
        self._report = report
        self._report_of = report_of
        self._count_tokens = count_tokens
        self._write = write
        self.touched: list[Case] = []
        self._case: Case | None = None
        self._known: dict[str, tuple[int, str, str]] = {}
        self._positions: set[int] = set()
        self._batch: list[SourceDocument] = []
        self._characters = 0
        self._added = 0
        self._is_new = False

    def case(self, row: SpooledCase) -> None:
        """Make the case, or fill what is not known of it."""
        self.finish()
        case = self._cases.get(row.case_id)
        self._is_new = case is None
        self._known, self._positions, self._added = {}, set(), 0
        if case is None:
            case = Case(study=self._study, external_id=row.case_id, **row.columns)
            case.metadata = row.metadata
            case.token_count = self._tokens[row.case_id]
            self._report.created += 1
            if self._write:
                case.save(force_insert=True)
        else:
            self._fill(case, row)
            for name, pk, sha256, file, position in case.documents.values_list(
                "name", "pk", "original_sha256", "metadata__file_sha256", "position"
            ):
                self._known[name] = pk, sha256, file or ""
                self._positions.add(position)
        self._case = case
        if row.reference is not None:
            self._reference(case, row.reference)

    def document(self, row: SpooledDocument) -> None:
        """Store a document, find the same one, or name the conflict."""
        assert self._case is not None  # noqa: S101 - a spool begins with a case
        report = self._report_of(row.name)
        known = self._known.get(row.name)
        if known is not None:
            if self._is_same(row, *known):
                report.unchanged += 1
            else:
                problem = (
                    "is stored with another text, and texts never change. Give the document "
                    "another name, or import the case into another study."
                )
                self._report.problem(
                    f"case {brief(self._case.external_id)}", f"{brief(row.name)} {problem}"
                )
            return
        position = row.position
        while position in self._positions:
            position = max(self._positions) + 1
        self._positions.add(position)
        report.created += 1
        self._added += 1
        self._batch.append(
            SourceDocument(
                case=self._case,
                name=row.name,
                position=position,
                text=row.text,
                original_sha256=row.original_sha256,
                document_type=row.document_type,
                date=row.date,
                token_count=row.token_count,
                metadata=row.metadata,
            )
        )
        self._characters += len(row.text)
        if self._characters > _BATCH_CHARACTERS:
            self._flush()

    def finish(self) -> None:
        """Write the tokens of the case that came last."""
        case, self._case = self._case, None
        if case is None or not self._write:
            return
        self.touched.append(case)
        if self._is_new or not self._added:
            return
        self._flush()
        for document in case.documents.filter(token_count=None):
            document.token_count = self._count_tokens(document.text)
            document.save(update_fields=["token_count"])
        total = case.documents.aggregate(total=Sum("token_count"))["total"]
        if case.token_count not in (None, total) and "token_count_before" not in case.metadata:
            # Of a file without the documents, perhaps under another vocabulary.
            case.metadata["token_count_before"] = case.token_count
        case.token_count = total
        case.save(update_fields=["token_count", "metadata"])

    def close(self) -> None:
        """Write all that is still waiting. To be called at the end."""
        self.finish()
        self._flush()

    def _flush(self) -> None:
        if self._write:
            SourceDocument.objects.bulk_create(self._batch)
        self._batch, self._characters = [], 0

    def _fill(self, case: Case, row: SpooledCase) -> None:
        changed: list[str] = []
        bare = not any(getattr(case, name) for name in row.columns)
        for name, value in row.columns.items():
            stored = getattr(case, name)
            if not value or stored == value:
                continue
            if stored:
                self._report.repairs[f"case_{name}_differs"] += 1
            else:
                setattr(case, name, value)
                changed.append(name)
        missing = {key: row.metadata[key] for key in row.metadata if key not in case.metadata}
        if missing:
            case.metadata = {**case.metadata, **missing}
            changed.append("metadata")
        if bare and changed:
            # Known by its id alone until now: a task or a model's summary came first.
            self._report.created += 1
        else:
            self._report.unchanged += 1
        if changed and self._write:
            case.save(update_fields=changed)

    def _is_same(self, row: SpooledDocument, pk: int, sha256: str, file_sha256: str) -> bool:
        if row.original_sha256 == sha256:
            return True
        if file_sha256 and row.metadata.get("file_sha256") == file_sha256:
            # The same PDF, drawn by another version of the library: what is stored stays.
            return True
        # The same text with other line ends.
        return SourceDocument.objects.filter(pk=pk, text=row.text).exists()

    def _reference(self, case: Case, told: dict[str, Any]) -> None:
        known = None
        if not self._is_new:
            known = case.summaries.filter(kind=Summary.Kind.REFERENCE).first()
        if known is None:
            self._report.created += 1
            if self._write:
                Summary.objects.create(
                    case=case,
                    kind=Summary.Kind.REFERENCE,
                    producer=REFERENCE,
                    text=told["text"],
                    original_sha256=told["original_sha256"],
                    word_count=len(told["text"].split()),
                    metadata={
                        "file": PurePath(self._report.path).name,
                        "removed": told["removed"],
                    },
                )
        elif known.text == told["text"]:
            self._report.unchanged += 1
        else:
            self._report.problem(
                f"case {brief(case.external_id)}",
                "its reference summary is stored with another text, and texts never change. "
                "Keep one of the two, or import the case into another study.",
            )


def _called(study: Study, case_ids: list[str]) -> Iterator[Case]:
    # In portions: databases limit how many values a query may name.
    for start in range(0, len(case_ids), BATCH):
        yield from study.cases.filter(external_id__in=case_ids[start : start + BATCH])
