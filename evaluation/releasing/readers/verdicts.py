"""A judge's comparisons of checklists in a public release, cell by cell. PURE."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotation.errors import InvalidFile
from annotation.records.fields import (
    Misfit,
    ResolveItem,
    as_name,
    as_object,
    as_text,
    member,
)
from annotation.records.json_files import read_json
from annotation.records.quoting import shown
from annotation.records.report import FileReport, UnreadableFile
from annotation.text.normalise import storable_json
from evaluation.releasing.readers.discover import FileKind
from evaluation.releasing.readers.extracted import model_name
from evaluation.releasing.readers.items import ItemNames, items_of
from evaluation.releasing.readers.summaries import HUMAN, place_of, run_metadata
from evaluation.releasing.readers.verdict_cells import claimed_reference_length

_SUMMARIES = "_summarization"
_THINKING = re.compile(r"(?:_thinking_[A-Za-z]+)+$")
_AGENT = "agent"
_METHOD_LENGTH = 100
_SETTINGS = ("all", "grouped", "individual")


@dataclass(frozen=True, slots=True)
class Compared:
    """Whose comparison of what a file holds.

    ``comparer`` is the model that compared. ``model`` wrote the summary or read the documents;
    ``extractor`` took the values out of the summary, and is ``model`` again for documents (empty:
    the file does not say). ``method`` is how the documents were read, empty for summaries;
    ``setting`` is that of the agent.
    """

    comparer: str
    model: str
    extractor: str
    method: str = ""
    setting: str = ""

    @property
    def reference(self) -> str:
        """Whose checklist is the reference: the extractor's, or that of people for documents."""
        return HUMAN if self.method else self.extractor


ReferenceList = tuple[str, str, str]
"""Whose checklist, of which case, which item."""


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """One cell: what a judge said of one item of one case. ``raw`` is the cell as parsed.

    ``claims`` is what the files of the same import say of the length of the reference's list, by
    who compared what; see :mod:`evaluation.releasing.readers.orientation`.
    """

    case_id: str
    item_key: str
    item_name: str
    compared: Compared
    raw: object
    claims: Mapping[Compared, int] = field(default_factory=dict, hash=False)
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)

    @property
    def place(self) -> str:
        """How problems name the record."""
        return f"{place_of(self.case_id)}, {shown(self.item_name)}"

    @property
    def reference_list(self) -> ReferenceList:
        """Which list of reference values the cell is about."""
        return self.compared.reference, self.case_id, self.item_key


@dataclass(slots=True)
class Verdicts:
    """Reads ``{meta_data, token_stats, results: {case_id: {item: relation or matching}}}``.

    ``resolve`` gives the template's key for an item name, or None. ``others`` are the files of the
    same kind in the same import: they are looked through once for the lengths of lost lists.
    """

    kind: FileKind
    resolve: ResolveItem
    others: Sequence[Path] = ()
    _claims: dict[ReferenceList, dict[Compared, int]] = field(default_factory=dict, init=False)
    _surveyed: set[Path] = field(default_factory=set, init=False)

    def read(self, path: Path, report: FileReport) -> Iterator[VerdictRecord]:
        """Yield a record for each cell, in file order, as it stands in the file.

        ``evaluation.releasing.readers.verdict_cells.read_cell`` reads the cell once the lengths of
        its lists are known. A case or item name that cannot be accepted becomes a problem and
        yields nothing. ``extractor_missing`` is counted where the file does not name it. Raises
        ``UnreadableFile`` when it is no file of comparisons.
        """
        for each in (*self.others, path):
            self._survey(each)
        for record in self._records(path, report):
            report.found["verdicts"] += 1
            yield replace(record, claims=self._claims.get(record.reference_list, {}))

    def _survey(self, path: Path) -> None:
        if path in self._surveyed:
            return
        self._surveyed.add(path)
        try:
            for record in self._records(path, FileReport(str(path))):
                length = claimed_reference_length(record.raw)
                if length is not None and record.compared.reference:
                    claims = self._claims.setdefault(record.reference_list, {})
                    claims[record.compared] = length
        except InvalidFile:
            return  # it is reported when its turn comes

    def _records(self, path: Path, report: FileReport) -> Iterator[VerdictRecord]:
        data = read_json(path, name=report.path, repairs=report.repairs)
        try:
            top = as_object(data, "")
            results = as_object(member(top, "results", ""), "results")
            compared, metadata = _compared(self.kind, top, path)
        except Misfit as misfit:
            raise UnreadableFile(
                f"This is no file of comparisons: {misfit.place or 'it'} {misfit.message}",
                path=report.path,
            ) from misfit
        if not results:
            report.problem("results", "The file holds no comparisons.")
        if not compared.extractor:
            report.repairs["extractor_missing"] += 1
        for case_id, value in results.items():
            names = ItemNames(self.resolve)
            for item_name, raw in items_of(case_id, value, report).items():
                try:
                    key = names.key_for(item_name, f"{place_of(case_id)}, {shown(item_name)}")
                except Misfit as misfit:
                    report.problem(misfit.place, misfit.message)
                else:
                    cell = storable_json(raw)
                    yield VerdictRecord(case_id, key, item_name, compared, cell, metadata=metadata)


def _compared(
    kind: FileKind, top: Mapping[str, object], path: Path
) -> tuple[Compared, dict[str, object]]:
    """Whose comparison of what it is, from the file's own words and its place."""
    meta_data = as_object(top.get("meta_data"), "meta_data")
    comparer = model_name(
        member(meta_data, "inference_model", "meta_data"), "meta_data.inference_model"
    )
    place = "meta_data.file_name"
    named = as_text(meta_data["file_name"], place) if "file_name" in meta_data else ""
    parts = named.split("/") if named else []
    if kind is FileKind.EVALUATION:
        compared = _of_summaries(comparer, parts, path.parent.name, place)
    else:
        compared = _of_documents(comparer, parts, path, place)
    return compared, run_metadata(dict(top), path)


def _of_summaries(comparer: str, parts: Sequence[str], folder: str, place: str) -> Compared:
    """``<extractor>/<model>_summarization/<name>``; the folder names the model as well."""
    model = as_name(folder.removesuffix(_SUMMARIES), "the name of its folder")
    if len(parts) >= 2 and parts[-2] != folder:
        raise Misfit(
            place,
            f"is about {shown(parts[-2])}, and the file lies in {shown(folder)}. Put it where it "
            "belongs, or correct the name in it.",
        )
    extractor = as_name(parts[-3], place) if len(parts) >= 3 else ""
    return Compared(comparer, model, extractor)


def _of_documents(comparer: str, parts: Sequence[str], path: Path, place: str) -> Compared:
    """``<method>/<model>``, of the agent ``agent/<model>_<setting>``."""
    method = as_name(path.parent.name, "the name of its folder", longest=_METHOD_LENGTH)
    if len(parts) >= 2 and parts[-2] != method:
        raise Misfit(
            place,
            f"is about {shown(parts[-2])}, and the file lies in {shown(method)}. Put it where it "
            "belongs, or correct the name in it.",
        )
    model = parts[-1] if parts else _THINKING.sub("", path.stem)
    setting = ""
    if method == _AGENT:
        front, _, last = model.rpartition("_")
        if front and last in _SETTINGS:
            model, setting = front, last
    model = as_name(model, place if parts else "the name of the file")
    return Compared(comparer, model, model, method, setting)
