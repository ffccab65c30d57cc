"""What the files of the two comparing interfaces share: three parallel tables and an order. PURE.

Both are one JSON object with ``keys``, a table of pairs and ``orders``, of equal length.
``orders[i]`` holds the sources of A and of B; the reference is the one whose path lacks
``_summarization``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from annotation.kinds.comparison import Side
from annotation.records.fields import Misfit, as_list, as_object, as_text, member, within
from annotation.records.report import FileReport, UnreadableFile
from annotation.text.normalise import storable_json

MODEL_MARK = "_summarization"


class OrientationUnknown(Misfit):
    """Nothing says which side is the reference."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the three tables, as it was parsed. ``position`` is 0-based."""

    position: int
    key: object
    pair: object
    order: object

    def place(self, table: str) -> str:
        """How problems name the row in one of the tables: ``orders[3]``."""
        return within(table, self.position)

    def sources(self) -> tuple[str, str]:
        """The sources of A and B. Raises ``Misfit`` unless they are two texts."""
        place = self.place("orders")
        a, b = (
            as_text(source, within(place, i))
            for i, source in enumerate(as_list(self.order, place, length=2))
        )
        return a, b


@dataclass(frozen=True, slots=True)
class Tables:
    """The rows of a file, and its ``metadata``."""

    entries: list[Entry]
    metadata: dict[str, object]


class PairRecord(Protocol):
    """What a reader makes of an entry: a dataclass with a key that is unique in the file."""

    @property
    def key(self) -> str: ...

    @property
    def position(self) -> int: ...

    @property
    def content(self) -> Any: ...


R = TypeVar("R", bound=PairRecord)


def read_tables(data: object, pairs_name: str, what: str, report: FileReport) -> Tables:
    """Take the tables apart; ``pairs_name`` is the name of the one with the pairs.

    Tables of different lengths give no entry and a problem, since then nothing says which rows
    belong together; so do empty ones. Raises ``UnreadableFile`` when ``data`` is no file of
    ``what``.
    """
    try:
        top = as_object(data, "")
        keys, pairs, orders = (
            as_list(member(top, name, ""), name) for name in ("keys", pairs_name, "orders")
        )
        metadata = as_object(top.get("metadata", {}), "metadata")
    except Misfit as misfit:
        raise no_such_file(misfit, what, report) from misfit
    if not len(keys) == len(pairs) == len(orders):
        report.problem(
            "",
            f"keys has {len(keys)} entries, {pairs_name} {len(pairs)}, orders {len(orders)}: "
            "nothing says which belong together. Get the file again.",
        )
        return Tables([], metadata)
    if not keys:
        report.problem("keys", "The file holds no pairs.")
    rows = enumerate(zip(keys, pairs, orders, strict=True))
    return Tables([Entry(position, *row) for position, row in rows], metadata)


def no_such_file(misfit: Misfit, what: str, report: FileReport) -> UnreadableFile:
    """The error of a file that is none of ``what``."""
    return UnreadableFile(
        f"This is no file of {what}: {misfit.place or 'it'} {misfit.message}", path=report.path
    )


def read_entries(
    entries: Iterable[Entry],
    read: Callable[[Entry, Counter[str]], R],
    same: Callable[[R, R], bool],
    report: FileReport,
) -> list[R]:
    """The records of ``entries``, in file order, each with a key of its own.

    ``read`` makes a record and counts repairs, or raises ``Misfit``: then the entry becomes a
    problem of ``report`` and the others are still read. A key that is there again gets the
    position after it, unless ``same`` says that it is the same pair: that is a problem.
    """
    records: list[R] = []
    seen: dict[str, list[R]] = {}
    for entry in entries:
        repairs: Counter[str] = Counter()
        try:
            record = read(entry, repairs)
            _refuse_again(record, seen.setdefault(record.key, []), same)
        except Misfit as misfit:
            if isinstance(misfit, OrientationUnknown):
                report.found["orientation_unknown"] += 1
            report.problem(misfit.place, misfit.message)
            continue
        namesakes = seen[record.key]
        namesakes.append(record)
        report.tolerate(entry.place("keys"), repairs)
        records.append(
            record if len(namesakes) == 1 else _renamed(record, f"{record.key}#{record.position}")
        )
    return records


def _refuse_again(record: R, namesakes: list[R], same: Callable[[R, R], bool]) -> None:
    for other in namesakes:
        if same(other, record):
            raise Misfit(
                within("keys", record.position),
                f"is the same pair as {within('keys', other.position)}. Take one out.",
            )


def _renamed(record: R, key: str) -> R:
    changed: Any = record
    renamed: R = replace(changed, key=key)
    return renamed


def side_shown_first(order: tuple[str, str], place: str) -> Side:
    """Whether the source of A is the model's or the reference's.

    Raises ``OrientationUnknown`` when both or neither bear the mark of a model's summary.
    """
    marked = tuple(MODEL_MARK in source for source in order)
    if marked[0] == marked[1]:
        raise OrientationUnknown(
            place,
            f'{"both" if marked[0] else "neither"} of the two sources name "{MODEL_MARK}", '
            "so which side is the reference is unknown. Correct the paths.",
        )
    return Side.MODEL if marked[0] else Side.REFERENCE


def unknown_fields(value: dict[str, object], known: Iterable[str]) -> dict[str, object]:
    """The fields of ``value`` that the format does not know, ready to be stored."""
    names = set(known)
    others = {name: value[name] for name in value if name not in names}
    return as_object(storable_json(others), "")
