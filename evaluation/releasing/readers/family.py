"""The readers of a public release: one for each kind of file that can be imported. PURE.

To add one: a class with ``kind`` and ``read``, its place in :func:`readers`, its records in
``Record``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from annotation.records.fields import ResolveItem
from annotation.records.report import FileReport
from evaluation.releasing.readers.agent_runs import (
    AgentChecklists,
    AgentLines,
    AgentStats,
    RunChecklist,
    RunLine,
    RunStats,
)
from evaluation.releasing.readers.discover import FileKind, FoundFile
from evaluation.releasing.readers.document_checklists import DocumentChecklists
from evaluation.releasing.readers.extracted import ExtractedChecklist
from evaluation.releasing.readers.human import HumanChecklistRecord, HumanChecklists
from evaluation.releasing.readers.summaries import (
    CaseRecord,
    HumanSummaries,
    ModelSummaries,
    SummaryRecord,
)
from evaluation.releasing.readers.summary_checklists import SummaryChecklists
from evaluation.releasing.readers.verdicts import VerdictRecord, Verdicts

Record = (
    CaseRecord
    | SummaryRecord
    | HumanChecklistRecord
    | ExtractedChecklist
    | RunChecklist
    | RunStats
    | RunLine
    | VerdictRecord
)


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


def readers(resolve: ResolveItem, files: Iterable[FoundFile] = ()) -> dict[FileKind, Reader]:
    """A reader for each kind of file but the unknown.

    ``resolve``: item name -> key of the template, or None. ``files`` are all files of the
    import, for readers that look at others of their kind.
    """
    paths: dict[FileKind, list[Path]] = {}
    for file in files:
        paths.setdefault(file.kind, []).append(file.path)
    family: tuple[Reader, ...] = (
        HumanSummaries(),
        ModelSummaries(),
        HumanChecklists(resolve),
        SummaryChecklists(resolve),
        DocumentChecklists(resolve, FileKind.DOCUMENTS_END_TO_END),
        DocumentChecklists(resolve, FileKind.DOCUMENTS_CHUNK_BY_CHUNK),
        AgentChecklists(resolve),
        AgentStats(),
        AgentLines(FileKind.AGENT_LEDGER),
        AgentLines(FileKind.AGENT_ANSWERS),
        *(
            Verdicts(kind, resolve, paths.get(kind, ()))
            for kind in (FileKind.EVALUATION, FileKind.EVALUATION_DOCUMENTS)
        ),
    )
    return {reader.kind: reader for reader in family}


def reason_to_skip(file: FoundFile) -> str:
    """Why a file is left alone, in plain words; empty for one that has a reader."""
    if file.kind is FileKind.UNKNOWN and not file.refusal:
        return "This is none of the files that a release is made of. It was left alone."
    return file.refusal
