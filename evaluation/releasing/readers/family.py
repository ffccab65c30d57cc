"""The readers of a public release: one for each kind of file that can be imported. PURE.

To add one: a class with ``kind`` and ``read``, its place in :func:`readers`, its records in
``Record``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from annotation.records.report import FileReport
from evaluation.releasing.readers.discover import FileKind, FoundFile
from evaluation.releasing.readers.human import HumanChecklistRecord, HumanChecklists
from evaluation.releasing.readers.summaries import (
    CaseRecord,
    HumanSummaries,
    ModelSummaries,
    SummaryRecord,
)

Record = CaseRecord | SummaryRecord | HumanChecklistRecord


class Reader(Protocol):
    """Turns the files of one kind into records."""

    @property
    def kind(self) -> FileKind:
        """The kind of file it reads."""
        ...

    def read(self, path: Path, report: FileReport) -> Iterator[Record]:
        """Yield the records of the file at ``path``, in file order.

        Entries that cannot be accepted go to ``report.problems``, what was tolerated is counted in
        ``report.repairs``. Raises ``UnreadableFile`` when the file as a whole cannot be read.
        """
        ...


def readers(resolve: Callable[[str], str | None]) -> dict[FileKind, Reader]:
    """All readers there are, by kind. ``resolve``: item name -> key of the template, or None."""
    family: tuple[Reader, ...] = (HumanSummaries(), ModelSummaries(), HumanChecklists(resolve))
    return {reader.kind: reader for reader in family}


def reason_to_skip(file: FoundFile) -> str:
    """Why a file that no reader takes is left alone, in plain words."""
    if file.refusal:
        return file.refusal
    if file.kind is FileKind.UNKNOWN:
        return "This is none of the files that a release is made of. It was left alone."
    return f"This version cannot import {_PLAIN[file.kind]} yet. The file was left alone."


_PLAIN = {
    FileKind.SUMMARIES_HUMAN: "human summaries",
    FileKind.SUMMARIES_MODEL: "summaries by models",
    FileKind.HUMAN_CHECKLIST: "human checklists",
    FileKind.SUMMARY_CHECKLISTS: "checklists that models extracted from summaries",
    FileKind.EVALUATION: "a model's comparisons of summary checklists",
    FileKind.DOCUMENTS_END_TO_END: "checklists extracted from whole documents",
    FileKind.DOCUMENTS_CHUNK_BY_CHUNK: "checklists extracted chunk by chunk",
    FileKind.DOCUMENTS_AGENT: "the runs of the agent",
    FileKind.EVALUATION_DOCUMENTS: "a model's comparisons of document checklists",
}
