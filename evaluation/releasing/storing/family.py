"""What stores the records of each kind of file.

To add one: a module with a :data:`Storer`, and its place in :data:`STORERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from annotation.models import Study
from annotation.records.report import FileReport
from evaluation.releasing.readers.discover import FileKind, FoundFile
from evaluation.releasing.storing.human import store_human
from evaluation.releasing.storing.summaries import store_summaries

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
    }
)
