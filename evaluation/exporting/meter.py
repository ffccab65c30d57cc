"""How far a long reading is, said in bytes. PURE."""

from __future__ import annotations

from pathlib import Path

from annotation.records.progress import Progress

STEP = 256 * 1024


class Meter:
    """Adds up bytes and tells ``progress(done, total)`` about each quarter of a mebibyte.

    Whatever ``progress`` raises (``Cancelled``) goes through.
    """

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0
        self._said = 0

    def add(self, size: int) -> None:
        """So many bytes more are done."""
        self._done += size
        if self._done - self._said >= STEP:
            self.say()

    def say(self) -> None:
        """Tell how far it is now; never more than the total."""
        self._said = self._done
        self._progress(min(self._done, self._total), self._total)


def size_of(folder: Path) -> int:
    """The bytes of all files in ``folder``; 0 when it cannot be looked at."""
    try:
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except (OSError, ValueError):  # a name that no file can have
        return 0
