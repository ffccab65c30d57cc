"""The kinds of files that a person can import into a study: one entry a format.

Pages and commands look formats up here, so that what one offers the other does too. Apps to the
right of this one add theirs with :func:`register` when they are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, TypedDict

from annotation.errors import InvalidInput
from annotation.models import Study, User
from annotation.records.progress import Progress, no_progress
from annotation.records.report import ImportReport

HEAD = 65_536  # bytes by which a file is recognised


class Manner(TypedDict, total=False):
    """How files are imported, whatever is in them; see :class:`ImportRequest`."""

    accept_partial: bool
    dry_run: bool
    actor: User | None
    progress: Progress


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to import, into which study, and how.

    ``options`` holds what was filled in for the format's ``fields``. With ``dry_run`` everything is
    done but nothing stored; ``progress(done, total)`` may raise ``Cancelled``.
    """

    paths: tuple[Path, ...]
    study: Study
    options: Mapping[str, Any] = field(default_factory=dict)
    accept_partial: bool = False
    dry_run: bool = False
    actor: User | None = None
    progress: Progress = no_progress

    @property
    def manner(self) -> Manner:
        """What services of every format want to know."""
        return {
            "accept_partial": self.accept_partial,
            "dry_run": self.dry_run,
            "actor": self.actor,
            "progress": self.progress,
        }


@dataclass(frozen=True, slots=True)
class FormatField:
    """One thing a format lets a person choose: a text, a whole number or one of ``choices``."""

    name: str
    label: str
    help: str = ""
    default: str | int = ""
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A format. ``suffixes`` are the endings of its files (with the dot); ``run`` imports them.

    ``takes_folders``: several files belong together and may come as one ZIP file, unpacked.
    ``check`` reads files without a transaction and says what is wrong with them, for uploads so
    large that a dry run would keep others from writing; without it they get a dry run all the same.
    ``recognises`` tells from the first bytes of a file whether it is one of these; ``folders`` are
    names of folders by which a ZIP is recognised.
    """

    key: str
    label: str
    description: str
    suffixes: tuple[str, ...]
    run: Callable[[ImportRequest], ImportReport]
    fields: tuple[FormatField, ...] = ()
    takes_folders: bool = False
    check: Callable[[ImportRequest], ImportReport] | None = None
    recognises: Callable[[bytes], bool] | None = None
    folders: frozenset[str] = frozenset()


_FORMATS: dict[str, ImportFormat] = {}


def register(format_: ImportFormat) -> None:
    """Offer a format. Registering a key again replaces it (apps are loaded once a process)."""
    _FORMATS[format_.key] = format_


def formats() -> list[ImportFormat]:
    """All formats, in the order in which they were registered."""
    return list(_FORMATS.values())


def format_called(key: str) -> ImportFormat:
    """Raises ``InvalidInput`` with the formats that there are."""
    try:
        return _FORMATS[key]
    except KeyError as error:
        raise InvalidInput(
            f"“{key[:40]}” is no format that can be imported. There are: {', '.join(_FORMATS)}."
        ) from error


def recognise(name: str, beginning: bytes, *, folders: Set[str] | None = None) -> str:
    """The key of the one format that a file can be, or "" when that is not certain.

    ``name`` is the file's name, ``beginning`` its first bytes; ``folders`` are the names of all
    folders of the ZIP that it came in (None: it came alone). Folders decide first, then
    beginnings, then an ending that one format alone has.
    """
    candidates = [
        f for f in formats() if folders is None or f.takes_folders or ".zip" in f.suffixes
    ]
    known = [f for f in candidates if f.folders & (folders or set())]
    known = known or [f for f in candidates if f.recognises and f.recognises(beginning)]
    if not known:
        suffix = PurePath(name).suffix.lower()
        known = [f for f in candidates if suffix in f.suffixes]
        known = [] if any(f.recognises for f in known) else known
    return known[0].key if len(known) == 1 else ""
