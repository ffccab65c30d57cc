"""Cases on their way into the database: read, checked and counted, waiting on the disk.

Reading hundreds of megabytes takes minutes, and a transaction that long would keep everybody else
from writing. So nothing is stored while a file is read: its cases go to a temporary file, in memory
there is one document at a time, and the transaction that follows only copies.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Self

from annotation.errors import NotConfigured
from annotation.records.cases.record import CaseDocument, CaseHead


@dataclass(frozen=True, slots=True)
class SpooledCase:
    """The columns of a case, ``reference`` those of its reference summary (None: it has none)."""

    case_id: str
    columns: dict[str, Any]
    metadata: dict[str, Any]
    reference: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SpooledDocument:
    """The columns of a document, which belongs to the case that came last."""

    name: str
    position: int
    text: str
    original_sha256: str
    document_type: str
    date: date | None
    token_count: int
    metadata: dict[str, Any] = field(default_factory=dict)


class Spool:
    """A temporary file of cases and documents; it is gone after ``with``, whatever happens.

    ``length`` is the number of its rows.
    Raises ``NotConfigured`` when the disk is full or there is no place for temporary files.
    """

    def __enter__(self) -> Self:
        try:
            self._file = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")
        except OSError as error:
            raise _no_room(error) from error
        self.length = 0
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def case(self, head: CaseHead) -> None:
        """Add a case; the documents that follow are its own."""
        text = head.reference
        self._write(
            "case",
            {
                "case_id": head.case_id,
                "columns": {
                    "title": head.title,
                    "filing_date": _iso(head.filing_date),
                    "case_type": head.case_type,
                    "length_bin": head.length_bin,
                },
                "metadata": dict(head.metadata),
                "reference": text
                and {
                    "text": text.text,
                    "original_sha256": text.original_sha256,
                    "removed": list(text.removed),
                },
            },
        )

    def document(self, document: CaseDocument, token_count: int) -> None:
        """Add a document of the case that came last."""
        removed = list(document.text.removed)
        details = {"file_sha256": document.file_sha256, "removed": removed}
        self._write(
            "document",
            {
                "name": document.name,
                "position": document.position,
                "text": document.text.text,
                "original_sha256": document.text.original_sha256,
                "document_type": document.document_type,
                "date": _iso(document.date),
                "token_count": token_count,
                "metadata": {**document.metadata, **{k: v for k, v in details.items() if v}},
            },
        )

    def rows(self) -> Iterator[SpooledCase | SpooledDocument]:
        """Everything in the order in which it was added."""
        self._file.seek(0)
        for line in self._file:
            kind, row = json.loads(line)
            if kind == "case":
                columns = row["columns"]
                columns["filing_date"] = _date(columns["filing_date"])
                yield SpooledCase(**row)
            else:
                row["date"] = _date(row["date"])
                yield SpooledDocument(**row)

    def _write(self, kind: str, row: dict[str, Any]) -> None:
        try:
            self._file.write(json.dumps([kind, row], ensure_ascii=False) + "\n")
            self.length += 1
        except OSError as error:
            raise _no_room(error) from error


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _no_room(error: OSError) -> NotConfigured:
    return NotConfigured(
        f"The cases could not be laid aside while they are read ({error.strerror}). Make room "
        "where temporary files go (TMPDIR), as much as the file is large, and try again."
    )
