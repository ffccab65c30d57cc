"""The summaries of a public release, and the cases they are about. PURE."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from pathlib import Path

from annotation.kinds.comparison import Side
from annotation.records.fields import (
    LENGTH_BIN_LENGTH,
    Misfit,
    as_case_id,
    as_int,
    as_name,
    as_object,
    as_text,
    member,
)
from annotation.records.json_files import read_json
from annotation.records.quoting import brief, printable, shown
from annotation.records.report import FileReport, Problem, UnreadableFile
from annotation.text.normalise import normalise_text, storable_json
from evaluation.releasing.readers.discover import FileKind

HUMAN = "human"
# The producer under which the reference summary of a case is stored.
REFERENCE = "reference"
TEXT = "summary/long"
LENGTH_BIN = "total_length_bin"
AS_IN_FILE = "as_in_file"
# Under these names the metadata of a summary, checklist or comparison keep what is not the file's.
OWN_NAMES = frozenset({"file", "removed", "sha256", "was_in_the_tool", AS_IN_FILE})
CASE_FIELDS = {TEXT, "filing_date", "case_type", "total_token_num", LENGTH_BIN}
_HTML_TAG = re.compile(
    r"</?(?:a|b|blockquote|br|div|em|h[1-6]|hr|i|li|ol|p|span|strong|sub|sup|table|td|tr|u|ul)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """What a release says of a case besides its summary.

    ``token_count`` is the length of all its documents in tokens, ``length_bin`` the release's
    name for that size; both None where the release has none. ``metadata`` holds all other fields,
    and ``total_length_bin`` itself where that is a number.
    """

    case_id: str
    filing_date: date | None
    case_type: str
    token_count: int | None
    length_bin: str | None
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class SummaryRecord:
    """One summary. ``side`` is what it is: the human reference or a model's.

    ``producer`` is the release's folder name of the model, or "human". ``text`` is normalised;
    ``original_sha256`` and ``removed`` are as in ``NormalisedText`` and lead back to the original.
    """

    case_id: str
    side: Side
    producer: str
    text: str
    original_sha256: str
    removed: tuple[int, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class HumanSummaries:
    """Reads ``{case_id: {summary/long, filing_date, case_type, total_token_num, ...}}``."""

    kind: FileKind = FileKind.SUMMARIES_HUMAN

    def read(self, path: Path, report: FileReport) -> Iterator[CaseRecord | SummaryRecord]:
        """Yield each case and then its reference summary, in file order.

        A case that cannot be accepted becomes a problem that names it, and yields neither. Counted
        in ``report.repairs``: ``length_bin_number`` (kept as text), ``length_bin_missing``,
        ``token_count_missing``, ``filing_date_missing``, ``case_type_missing``,
        ``case_type_outer_blanks`` (taken off), and as they are ``summary_outer_blanks`` and
        ``summary_html_tags``; changes of the text as in ``normalise_text``. Raises
        ``UnreadableFile`` when it is no file of human summaries.
        """
        cases = _top(read_json(path, name=report.path, repairs=report.repairs), report)
        for case_id, value in cases.items():
            repairs: Counter[str] = Counter()
            try:
                case, summary = _case(case_id, value, path.name, repairs)
            except Misfit as misfit:
                report.problem(misfit.place, misfit.message)
            else:
                report.tolerate(place_of(case_id), repairs)
                report.found.update(cases=1, references=1)
                yield case
                yield summary


@dataclass(frozen=True, slots=True)
class ModelSummaries:
    """Reads ``{meta_data, token_stats, results: {case_id: text}}``; the folder names the model."""

    kind: FileKind = FileKind.SUMMARIES_MODEL

    def read(self, path: Path, report: FileReport) -> Iterator[SummaryRecord]:
        """Yield the model's summary of each case, in file order.

        A summary that cannot be accepted becomes a problem that names its case. Repairs are those
        of :class:`HumanSummaries` that concern a text. Raises ``UnreadableFile`` when it is no file
        of model summaries.
        """
        top = _top(read_json(path, name=report.path, repairs=report.repairs), report)
        try:
            results = as_object(member(top, "results", ""), "results")
            metadata = run_metadata(top, path)
            producer = as_name(path.parent.name, "the name of its folder")
        except Misfit as misfit:
            raise _no_summaries(misfit, report) from misfit
        if not results:
            report.problem("results", "The file holds no summaries.")
        for case_id, value in results.items():
            repairs: Counter[str] = Counter()
            try:
                summary = _summary(case_id, value, Side.MODEL, producer, metadata, repairs)
            except Misfit as misfit:
                report.problem(misfit.place, misfit.message)
            else:
                report.tolerate(place_of(case_id), repairs)
                report.found["model_summaries"] += 1
                yield summary


def reference_conflict(
    case_id: str, *, here: SummaryRecord, file: str, stored_sha256: str, stored_file: str
) -> Problem | None:
    """Whether a case that was read before comes again with another reference summary.

    ``stored_sha256`` is the hash of the original text that came first, from ``stored_file``. None
    when it is the same text: then there is nothing to store.
    """
    if here.original_sha256 == stored_sha256:
        return None
    return Problem(
        place_of(case_id),
        f"The reference summary in {printable(file)} is not the one in {printable(stored_file)}. "
        "Keep one of the two files, or correct the text.",
    )


def case_differences(stored: CaseRecord, here: CaseRecord) -> tuple[str, ...]:
    """The fields of a case in which two files differ, in the order of ``CaseRecord``.

    Two files of one release may count a case's tokens differently; the first one stands.
    """
    return tuple(
        column.name
        for column in fields(CaseRecord)
        if column.name != "metadata" and getattr(stored, column.name) != getattr(here, column.name)
    )


def place_of(case_id: str) -> str:
    """How problems name a case."""
    return f"case {brief(case_id)}"


def _top(data: object, report: FileReport) -> dict[str, object]:
    try:
        top = as_object(data, "")
    except Misfit as misfit:
        raise _no_summaries(misfit, report) from misfit
    if not top:
        report.problem("", "The file holds no summaries.")
    return top


def _no_summaries(misfit: Misfit, report: FileReport) -> UnreadableFile:
    where = misfit.place or "it"
    return UnreadableFile(
        f"This is no file of summaries: {where} {misfit.message}", path=report.path
    )


def _case(
    case_id: str, value: object, file: str, repairs: Counter[str]
) -> tuple[CaseRecord, SummaryRecord]:
    place = place_of(case_id)
    raw = as_object(value, place)
    others = {name: raw[name] for name in raw if name not in CASE_FIELDS}
    length_bin = _length_bin(raw.get(LENGTH_BIN), place, repairs)
    if isinstance(raw.get(LENGTH_BIN), int):
        others[LENGTH_BIN] = raw[LENGTH_BIN]
    case = CaseRecord(
        case_id=as_case_id(case_id, place),
        filing_date=_filing_date(raw.get("filing_date"), f"{place}, filing_date", repairs),
        case_type=_case_type(raw.get("case_type"), place, repairs),
        token_count=_token_count(raw.get("total_token_num"), place, repairs),
        length_bin=length_bin,
        metadata=_metadata(others),
    )
    text = member(raw, TEXT, place)
    summary = _summary(case_id, text, Side.REFERENCE, HUMAN, {"file": printable(file)}, repairs)
    return case, summary


def _summary(
    case_id: str,
    value: object,
    side: Side,
    producer: str,
    metadata: Mapping[str, object],
    repairs: Counter[str],
) -> SummaryRecord:
    place = place_of(case_id)
    raw = as_text(value, f"{place}, {TEXT}" if side is Side.REFERENCE else place)
    normalised = normalise_text(raw)
    repairs.update(normalised.changes)
    if raw != raw.strip():
        repairs["summary_outer_blanks"] += 1
    if _HTML_TAG.search(raw):
        repairs["summary_html_tags"] += 1
    return SummaryRecord(
        case_id=as_case_id(case_id, place),
        side=side,
        producer=producer,
        text=normalised.text,
        original_sha256=normalised.original_sha256,
        removed=normalised.removed,
        metadata=metadata,
    )


def _filing_date(value: object, place: str, repairs: Counter[str]) -> date | None:
    if value is None:
        repairs["filing_date_missing"] += 1
        return None
    # fromisoformat() alone would take 20230228 and 2023-W09-2 as well.
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        try:
            return date.fromisoformat(value)
        except ValueError as error:
            raise Misfit(place, f"must be a day of the calendar, and is {shown(value)}.") from error
    raise Misfit(place, f"must be a date like 2023-02-28, and is {shown(value)}.")


def _case_type(value: object, place: str, repairs: Counter[str]) -> str:
    if value is None:
        repairs["case_type_missing"] += 1
        return ""
    text = as_text(value, f"{place}, case_type")
    name = as_name(text.strip(), f"{place}, case_type")
    if name != value:
        repairs["case_type_outer_blanks"] += 1
    return name


def _token_count(value: object, place: str, repairs: Counter[str]) -> int | None:
    if value is None:
        repairs["token_count_missing"] += 1
        return None
    return as_int(value, f"{place}, total_token_num")


def _length_bin(value: object, place: str, repairs: Counter[str]) -> str | None:
    inside = f"{place}, {LENGTH_BIN}"
    if value is None:
        repairs["length_bin_missing"] += 1
        return None
    if isinstance(value, str):
        return as_name(value, inside, longest=LENGTH_BIN_LENGTH)
    number = as_int(value, inside)
    repairs["length_bin_number"] += 1
    return str(number)


def run_metadata(top: dict[str, object], path: Path) -> dict[str, object]:
    """What a file of model output says beside its ``results``, and the name of the file.

    ``file``, the members of ``meta_data`` and the other tables of the file stand side by side. What
    could then not be told apart stands in :data:`AS_IN_FILE` as ``{meta_data, top}``: a table in
    ``meta_data``, a mere value beside it, and a name that is taken.

    Raises ``Misfit`` for a ``meta_data`` that is no object.
    """
    meta_data = _metadata(as_object(top.get("meta_data", {}), "meta_data"))
    others = _metadata({name: top[name] for name in top if name not in {"meta_data", "results"}})
    odd = {
        "meta_data": {
            name: value
            for name, value in meta_data.items()
            if isinstance(value, dict) or name in OWN_NAMES
        },
        "top": {
            name: value
            for name, value in others.items()
            if not isinstance(value, dict) or name in OWN_NAMES or name in meta_data
        },
    }
    kept = {name: value for name, value in others.items() if name not in odd["top"]}
    kept |= {name: value for name, value in meta_data.items() if name not in odd["meta_data"]}
    aside = {place: values for place, values in odd.items() if values}
    return {"file": printable(path.name), **kept, **({AS_IN_FILE: aside} if aside else {})}


def _metadata(values: dict[str, object]) -> dict[str, object]:
    return as_object(storable_json(values), "")
