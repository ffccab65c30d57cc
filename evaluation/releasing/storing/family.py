"""What stores the records of each kind of file.

To add one: a module with a :data:`Storer`, and its place in :data:`STORERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from annotation.models import Study
from annotation.records.report import FileReport
from evaluation.releasing.readers.discover import FileKind, FoundFile
from evaluation.releasing.storing.agent_runs import (
    store_run_checklists,
    store_run_lines,
    store_run_stats,
)
from evaluation.releasing.storing.document_checklists import store_document_checklists
from evaluation.releasing.storing.human import store_human
from evaluation.releasing.storing.summaries import store_summaries
from evaluation.releasing.storing.summary_checklists import store_summary_checklists
from evaluation.releasing.storing.verdicts import store_verdicts

Storer = Callable[[Study, Iterator[object], FoundFile, FileReport], None]
"""Stores the records of one file, which come as they are read.

It runs in the file's transaction, adds to the report what was created and found unchanged, and
notes as problems what cannot be stored. A storer keeps nothing from one file to the next: the
file before may have been undone.
"""

STORERS: Mapping[FileKind, Storer] = MappingProxyType(
    {
        FileKind.SUMMARIES_HUMAN: store_summaries,
        FileKind.SUMMARIES_MODEL: store_summaries,
        FileKind.HUMAN_CHECKLIST: store_human,
        FileKind.SUMMARY_CHECKLISTS: store_summary_checklists,
        FileKind.DOCUMENTS_END_TO_END: store_document_checklists,
        FileKind.DOCUMENTS_CHUNK_BY_CHUNK: store_document_checklists,
        FileKind.AGENT_CHECKLIST: store_run_checklists,
        FileKind.AGENT_STATS: store_run_stats,
        FileKind.AGENT_LEDGER: store_run_lines,
        FileKind.AGENT_ANSWERS: store_run_lines,
        FileKind.EVALUATION: store_verdicts,
        FileKind.EVALUATION_DOCUMENTS: store_verdicts,
    }
)
