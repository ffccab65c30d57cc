"""How far a job is, told between processes by small files in its folder.

The database cannot tell: what a long transaction writes shows to nobody before its end, and while
it lasts nobody else can write. A ``Watch`` is what the working process holds; pages look with
:func:`look` and ask it to stop with :func:`ask_to_stop`.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from annotation.importing.cancelling import Cancelled

_PROGRESS, _CANCEL, _ALIVE, _QUEUED = "progress.json", "cancel", "alive", "queued"
LOOK_SECONDS = 0.25
BEAT_SECONDS = 2.0
# Ten beats missed: the process is gone (one busy with a single huge file still beats).
STALE_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Seen:
    """``done`` of ``total`` steps, ``total`` 0 when nobody has counted yet.

    ``beat`` is how many seconds ago the working process last showed that it lives, ``waiting`` how
    long the job has been waiting for one; None where there was none. ``is_stopping``: somebody has
    cancelled.
    """

    done: int = 0
    total: int = 0
    beat: float | None = None
    waiting: float | None = None
    is_stopping: bool = False

    @property
    def percent(self) -> int:
        """0 to 100, rounded down."""
        return min(100, 100 * self.done // self.total) if self.total else 0

    @property
    def is_stale(self) -> bool:
        """Whether the process that worked on it is gone."""
        return self.beat is None or self.beat > STALE_SECONDS


def look(folder: Path) -> Seen:
    """What the files in the folder of a job say now."""
    try:
        told = json.loads((folder / _PROGRESS).read_text())
        done, total = int(told["done"]), int(told["total"])
    except (OSError, ValueError, KeyError, TypeError):
        done = total = 0
    return Seen(
        done, total, _age(folder / _ALIVE), _age(folder / _QUEUED), (folder / _CANCEL).exists()
    )


def _age(path: Path) -> float | None:
    try:
        return max(0.0, time.time() - path.stat().st_mtime)
    except OSError:
        return None


def begin_waiting(folder: Path) -> None:
    """Note that the job waits for a worker from now on."""
    forget(folder)
    with contextlib.suppress(OSError):
        (folder / _QUEUED).touch()


def forget(folder: Path) -> None:
    """Drop what an earlier process has left; one that still lives stops at its next look."""
    for name in (_PROGRESS, _CANCEL, _ALIVE, _QUEUED):
        with contextlib.suppress(OSError):
            (folder / name).unlink()


def ask_to_stop(folder: Path, who: str = "") -> None:
    """The working process stops within a moment; nothing of the file it is at stays."""
    with contextlib.suppress(OSError):
        (folder / _CANCEL).write_text(who)


def who_stopped(folder: Path) -> str:
    """What :func:`ask_to_stop` was told."""
    try:
        return (folder / _CANCEL).read_text()
    except (OSError, ValueError):
        return ""


class Watch:
    """Tells progress and hears of cancelling, at most four times a second; beats by itself.

    Call it as ``progress(done, total)``. It raises ``Cancelled`` when somebody has cancelled, or
    when the job was taken away by another process since.
    """

    def __init__(self, folder: Path, token: str) -> None:
        self._folder = folder
        self._token = token
        self._next = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="import-beat", daemon=True)

    def __enter__(self) -> Self:
        (self._folder / _ALIVE).write_text(self._token)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + LOOK_SECONDS
        if (self._folder / _CANCEL).exists() or not self._is_mine():
            raise Cancelled("Cancelled.")
        with contextlib.suppress(OSError):
            written = self._folder / f"{_PROGRESS}.new"
            written.write_text(json.dumps({"done": done, "total": total}))
            written.replace(self._folder / _PROGRESS)

    def _is_mine(self) -> bool:
        try:
            return (self._folder / _ALIVE).read_text() == self._token
        except OSError:
            return False

    def _beat(self) -> None:
        while not self._over.wait(BEAT_SECONDS):
            if self._is_mine():
                with contextlib.suppress(OSError):
                    (self._folder / _ALIVE).touch()
