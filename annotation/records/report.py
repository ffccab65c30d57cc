"""What became of each file of an import. PURE.

Readers count and complain into a :class:`FileReport`; services add what was stored and send
the whole as JSON, or as text for a terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from annotation.errors import InvalidFile
from annotation.records.quoting import printable

_PROBLEMS_IN_TEXT = 20
PLACES_OF_A_KIND = 20


class FileStatus(StrEnum):
    """How far the reading of a file got."""

    READ = "read"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    UNREADABLE = "unreadable"
    SKIPPED = "skipped"


class UnreadableFile(InvalidFile):
    """A file that could not be read as a whole.

    ``status`` says in which way, ``reason`` is the message without path and place.
    """

    def __init__(
        self,
        reason: str,
        *,
        path: str,
        place: str = "",
        status: FileStatus = FileStatus.UNREADABLE,
    ) -> None:
        super().__init__(reason, path=printable(path), place=place)
        self.reason = reason
        self.status = status


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that cannot be accepted: where, and what to do about it.

    ``place`` is a line, key or path inside the file; empty when the whole file is meant.
    """

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


@dataclass(slots=True)
class FileReport:
    """One file. ``path`` is the file as the person named it.

    ``created`` and ``unchanged`` count stored rows and are the service's to fill in. ``repairs``
    counts, by kind, what a reader tolerated, ``repair_places`` names the first places of each kind;
    ``found`` counts what it read (cases, values, spans ...).
    """

    path: str
    status: FileStatus = FileStatus.READ
    created: int = 0
    unchanged: int = 0
    repairs: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)
    repair_places: dict[str, list[str]] = field(default_factory=dict)

    def tolerate(self, place: str, repairs: Mapping[str, int]) -> None:
        """Count what was tolerated at one place, a line or key inside the file."""
        self.repairs.update(repairs)
        for kind, n in repairs.items():
            places = self.repair_places.setdefault(kind, [])
            if n and len(places) < PLACES_OF_A_KIND:
                places.append(place)

    def problem(self, place: str, message: str) -> None:
        """Note something that cannot be accepted."""
        self.problems.append(Problem(place, message))

    def refuse(self, error: InvalidFile) -> None:
        """Note that the whole file could not be read."""
        if isinstance(error, UnreadableFile):
            self.status = error.status
            self.problem(error.place, error.reason)
        else:
            self.status = FileStatus.UNREADABLE
            self.problem("", error.message)

    def skip(self, reason: str) -> None:
        """Note that the file was left alone, and why."""
        self.status = FileStatus.SKIPPED
        self.problem("", reason)

    def to_json(self) -> dict[str, object]:
        """``path, status, created, unchanged, repairs{kind: n}, problems[]`` (each one text).

        ``repair_places{kind: [place]}`` has the first places only; what is said of a whole file has
        none.
        """
        return {
            "path": printable(self.path),
            "status": self.status.value,
            "created": self.created,
            "unchanged": self.unchanged,
            "repairs": _sorted(self.repairs),
            "repair_places": {
                kind: [printable(place) for place in self.repair_places[kind]]
                for kind in sorted(self.repair_places)
                if self.repair_places[kind]
            },
            "problems": [str(problem) for problem in self.problems],
        }

    def to_text(self) -> str:
        """A line for the file, one for its repairs, one for each of its first problems."""
        counts = f"{self.created:,} created, {self.unchanged:,} unchanged"
        read = self.status is FileStatus.READ
        lines = [f"{printable(self.path)}: {self.status}" + (f", {counts}" if read else "")]
        if self.repairs:
            lines.append(f"    tolerated: {_listed(self.repairs)}")
        lines += [f"    {problem}" for problem in self.problems[:_PROBLEMS_IN_TEXT]]
        more = len(self.problems) - _PROBLEMS_IN_TEXT
        if more > 0:
            lines.append(f"    and {more:,} more; --json lists them all")
        return "\n".join(lines)


@dataclass(slots=True)
class ImportReport:
    """All files of one import, in the order in which they were read."""

    files: list[FileReport] = field(default_factory=list)

    @property
    def nothing_read(self) -> bool:
        """Whether not a single file could be read: the import as a whole has failed."""
        return all(report.status is not FileStatus.READ for report in self.files)

    @property
    def totals(self) -> dict[str, object]:
        """Number of files, of files by status, of rows and problems; repairs and finds by kind."""
        statuses = Counter(report.status for report in self.files)
        return {
            "files": len(self.files),
            **{status.value: statuses[status] for status in FileStatus},
            "created": sum(report.created for report in self.files),
            "unchanged": sum(report.unchanged for report in self.files),
            "repairs": _sorted(_added(report.repairs for report in self.files)),
            "problems": sum(len(report.problems) for report in self.files),
            "found": _sorted(_added(report.found for report in self.files)),
        }

    def to_json(self) -> dict[str, object]:
        """``files`` and ``totals``, ready for ``json.dumps``."""
        return {"files": [report.to_json() for report in self.files], "totals": self.totals}

    def to_text(self) -> str:
        """The same for a person at a terminal."""
        if not self.files:
            return "No files."
        totals = self.totals
        statuses = ", ".join(f"{totals[s]:,} {s}" for s in FileStatus if totals[s])
        plural = "" if len(self.files) == 1 else "s"
        last = (
            f"{len(self.files):,} file{plural}: {statuses}; {totals['created']:,} created, "
            f"{totals['unchanged']:,} unchanged."
        )
        found = _added(report.found for report in self.files)
        return "\n".join(
            [
                *(report.to_text() for report in self.files),
                *([f"Read in these files: {_listed(found)}."] if found else []),
                last,
            ]
        )


def _added(counters: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for counter in counters:
        total.update(counter)
    return total


def _sorted(counter: Counter[str]) -> dict[str, int]:
    return {kind: counter[kind] for kind in sorted(counter)}


def _listed(counter: Counter[str]) -> str:
    return ", ".join(f"{kind.replace('_', ' ')} {n:,}" for kind, n in sorted(counter.items()))
