"""What the files of an upload are called in reports: as the person called them.

On the server they lie in a folder with a made-up name, which nobody needs to see. Services write
reports with the paths they were given; inside :func:`named`, those become the person's names before
a report is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property

from annotation.models import ImportReport as StoredReport
from annotation.records.report import FileReport, ImportReport, Problem


@dataclass
class Naming:
    """``names`` maps paths below ``root`` to names; a path that continues one keeps its rest.

    ``source`` is what was uploaded, in words; ``left_out`` are files that no service gets to see;
    ``kept`` are the rows of the reports kept meanwhile.
    """

    root: str
    names: dict[str, str]
    source: str
    left_out: list[FileReport] = field(default_factory=list)
    kept: list[StoredReport] = field(default_factory=list)

    def text(self, text: str) -> str:
        """``text`` with every path replaced by its name."""
        if text in self.names:
            return self.names[text]
        for path in self._longest_first:
            if self.root not in text:
                break
            text = text.replace(path, self.names[path])
        return text

    @cached_property
    def _longest_first(self) -> list[str]:
        return sorted(self.names, key=len, reverse=True)

    def rename(self, report: ImportReport) -> None:
        """Call the files of ``report`` as the person did, and add those left out before."""
        for file in report.files:
            file.path = self.text(file.path)
            file.problems = [
                Problem(self.text(p.place), self.text(p.message)) for p in file.problems
            ]
        report.files += [file for file in self.left_out if file not in report.files]


_naming: ContextVar[Naming | None] = ContextVar("naming", default=None)


@contextmanager
def named(naming: Naming) -> Iterator[None]:
    """Let reports that are kept inside go by ``naming``."""
    token = _naming.set(naming)
    try:
        yield
    finally:
        _naming.reset(token)


def current_naming() -> Naming | None:
    """What :func:`named` has set here."""
    return _naming.get()
