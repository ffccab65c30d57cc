"""The checklists that a model extracted from the documents of a case. PURE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotation.records.fields import Misfit, ResolveItem, as_object, member
from annotation.records.json_files import read_json
from annotation.records.report import FileReport, UnreadableFile
from evaluation.releasing.readers.discover import FileKind
from evaluation.releasing.readers.extracted import (
    ExtractedChecklist,
    ExtractedItem,
    model_name,
    read_items,
)
from evaluation.releasing.readers.summaries import run_metadata

_METHODS = {
    FileKind.DOCUMENTS_END_TO_END: "end_to_end",
    FileKind.DOCUMENTS_CHUNK_BY_CHUNK: "chunk_by_chunk",
}


@dataclass(frozen=True, slots=True)
class DocumentChecklists:
    """Reads ``{meta_data, token_stats, results: {case_id: {item name: cell}}}``.

    ``kind`` says how the documents were read: at once, or chunk by chunk. Evidence is
    ``{text, source_document, location}``. ``meta_data.inference_model`` is the model, or the
    folder below that of the method where the file does not say it.
    """

    resolve: ResolveItem
    kind: FileKind

    def read(self, path: Path, report: FileReport) -> Iterator[ExtractedChecklist]:
        """Yield a checklist for each case, in file order, its evidence not yet looked for.

        Repairs are those of ``read_items`` and of :func:`count_missing_parts`. Raises
        ``UnreadableFile`` when it is no such file.
        """
        method = _METHODS[self.kind]
        data = read_json(path, name=report.path, repairs=report.repairs)
        try:
            top = as_object(data, "")
            results = as_object(member(top, "results", ""), "results")
            meta_data = as_object(top.get("meta_data", {}), "meta_data")
            producer = _producer(meta_data, path, method)
            metadata = run_metadata(top, path)
        except Misfit as misfit:
            raise UnreadableFile(
                "This is no file of checklists extracted from documents: "
                f"{misfit.place or 'it'} {misfit.message}",
                path=report.path,
            ) from misfit
        if not results:
            report.problem("results", "The file holds no checklists.")
        for case_id, cells in results.items():
            if items := read_items(case_id, cells, self.resolve, report, count_missing_parts):
                report.found["checklists"] += 1
                yield ExtractedChecklist(case_id, None, producer, method, items, metadata)


def count_missing_parts(item: ExtractedItem, repairs: Counter[str]) -> ExtractedItem:
    """Count evidence that does not say all of what it is and where it comes from.

    In ``repairs``: ``evidence_without_text``, ``evidence_without_document``,
    ``evidence_without_location``; the evidence is kept.
    """
    for value in item.values:
        for quote in value.quotes:
            missing = {
                "evidence_without_text": not quote.text.strip(),
                "evidence_without_document": not quote.source_name.strip(),
                "evidence_without_location": not quote.location.strip(),
            }
            repairs.update({kind: 1 for kind, is_missing in missing.items() if is_missing})
    return item


def _producer(meta_data: dict[str, object], path: Path, method: str) -> str:
    folder = path.parent.name
    if "inference_model" not in meta_data and folder != method:
        return model_name(folder, "the name of its folder")
    return model_name(
        member(meta_data, "inference_model", "meta_data"), "meta_data.inference_model"
    )
