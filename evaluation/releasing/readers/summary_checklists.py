"""The checklists that a model extracted from summaries, by others or by people. PURE."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotation.records.fields import Misfit, ResolveItem, as_name, as_object, member
from annotation.records.json_files import read_json
from annotation.records.quoting import shown
from annotation.records.report import FileReport, UnreadableFile
from evaluation.releasing.readers.discover import FileKind
from evaluation.releasing.readers.extracted import (
    ExtractedChecklist,
    model_name,
    read_items,
)
from evaluation.releasing.readers.summaries import REFERENCE, run_metadata

_FOLDER = "summary_checklists"
_ENDING = "_summarization"


@dataclass(frozen=True, slots=True)
class SummaryChecklists:
    """Reads ``{meta_data, token_stats, results: {case_id: {item name: cell}}}``.

    A folder ``<model>_summarization`` holds what was extracted from that model's summaries, the
    folder above what was extracted from the reference summaries. ``meta_data.inference_model`` is
    the model that extracted. ``resolve`` gives the template's key for an item name, or None.
    """

    resolve: ResolveItem
    kind: FileKind = FileKind.SUMMARY_CHECKLISTS

    def read(self, path: Path, report: FileReport) -> Iterator[ExtractedChecklist]:
        """Yield a checklist for each case, in file order, its evidence not yet looked for.

        Repairs are those of ``read_items``. Raises ``UnreadableFile`` when it is no such file, and
        when nobody can say whose summaries it is about.
        """
        data = read_json(path, name=report.path, repairs=report.repairs)
        try:
            top = as_object(data, "")
            results = as_object(member(top, "results", ""), "results")
            meta_data = as_object(member(top, "meta_data", ""), "meta_data")
            producer = model_name(
                member(meta_data, "inference_model", "meta_data"), "meta_data.inference_model"
            )
            about = _about(path, meta_data)
            metadata = run_metadata(top, path)
        except Misfit as misfit:
            raise UnreadableFile(
                "This is no file of checklists extracted from summaries: "
                f"{misfit.place or 'it'} {misfit.message}",
                path=report.path,
            ) from misfit
        if not results:
            report.problem("results", "The file holds no checklists.")
        for case_id, cells in results.items():
            if items := read_items(case_id, cells, self.resolve, report):
                report.found["checklists"] += 1
                yield ExtractedChecklist(case_id, about, producer, "", items, metadata)


def _about(path: Path, meta_data: dict[str, object]) -> str:
    """The producer of the summaries, from the folder; the file's own words must not contradict."""
    folder = path.parent.name
    by_folder = REFERENCE if folder == _FOLDER else _producer(folder, "the name of its folder")
    name = meta_data.get("file_name")
    # A bare name says nothing: only with a folder does it name a model.
    if isinstance(name, str) and "/" in name:
        said = _producer(name.split("/")[-2], "meta_data.file_name")
        if said != by_folder:
            raise Misfit(
                "meta_data.file_name",
                f"names summaries by {shown(said)}, and its folder those by {shown(by_folder)}. "
                "Put the file into the folder of the summaries that it is about.",
            )
    return by_folder


def _producer(folder: str, place: str) -> str:
    return as_name(folder.removesuffix(_ENDING), place)
