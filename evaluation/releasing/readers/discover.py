"""Which files of a public release there are, and of what kind. PURE.

A release is a folder ``data`` with the folders ``summaries``, ``summary_checklists``,
``evaluation``, ``evaluation_documents_checklist`` and ``document_checklists``. Any part of it
is enough: the kind of a file follows from its place below ``data``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath

from annotation.errors import InvalidInput
from annotation.records.report import UnreadableFile


class FileKind(StrEnum):
    """What a file holds, in the order in which files are read: later kinds refer to earlier."""

    SUMMARIES_HUMAN = "summaries_human"
    SUMMARIES_MODEL = "summaries_model"
    HUMAN_CHECKLIST = "human_checklist"
    SUMMARY_CHECKLISTS = "summary_checklists"
    EVALUATION = "evaluation"
    DOCUMENTS_END_TO_END = "document_checklists_end_to_end"
    DOCUMENTS_CHUNK_BY_CHUNK = "document_checklists_chunk_by_chunk"
    AGENT_CHECKLIST = "agent_checklist"
    AGENT_STATS = "agent_stats"
    AGENT_LEDGER = "agent_ledger"
    AGENT_ANSWERS = "agent_answers"
    EVALUATION_DOCUMENTS = "evaluation_documents"
    UNKNOWN = "unknown"


# The words of ``--only``. "documents" is all that was made from the documents of a case.
ONLY: dict[str, frozenset[FileKind]] = {
    "summaries": frozenset({FileKind.SUMMARIES_HUMAN, FileKind.SUMMARIES_MODEL}),
    "human": frozenset({FileKind.HUMAN_CHECKLIST}),
    "checklists": frozenset({FileKind.SUMMARY_CHECKLISTS}),
    "evaluations": frozenset({FileKind.EVALUATION}),
    "documents": frozenset(
        {
            FileKind.DOCUMENTS_END_TO_END,
            FileKind.DOCUMENTS_CHUNK_BY_CHUNK,
            FileKind.AGENT_CHECKLIST,
            FileKind.AGENT_STATS,
            FileKind.AGENT_LEDGER,
            FileKind.AGENT_ANSWERS,
            FileKind.EVALUATION_DOCUMENTS,
        }
    ),
}

_FOLDERS = {
    "summary_checklists": FileKind.SUMMARY_CHECKLISTS,
    "evaluation": FileKind.EVALUATION,
    "evaluation_documents_checklist": FileKind.EVALUATION_DOCUMENTS,
}
_DOCUMENT_FOLDERS = {
    "end_to_end": FileKind.DOCUMENTS_END_TO_END,
    "chunk_by_chunk": FileKind.DOCUMENTS_CHUNK_BY_CHUNK,
}
# Each run of the agent is a folder of its own: model, case, setting, part of the checklist.
_AGENT_FILES = {
    "checklist.json": FileKind.AGENT_CHECKLIST,
    "stats.json": FileKind.AGENT_STATS,
    "ledger.jsonl": FileKind.AGENT_LEDGER,
    "raw_responses.jsonl": FileKind.AGENT_ANSWERS,
}
TOP_FOLDERS = {"summaries", "document_checklists", *_FOLDERS}
_SUFFIXES = {".json", ".jsonl"}
_ORDER = {kind: position for position, kind in enumerate(FileKind)}


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One file. ``name`` is its path from the release folder on, the same from wherever it was
    named; ``refusal`` says why it could not even be looked at (empty: it could)."""

    path: Path
    name: str
    kind: FileKind
    refusal: str = ""


def discover(given: Path, only: Iterable[str] | None = None) -> list[FoundFile]:
    """List the files of a release.

    ``given`` is the folder that holds ``data``, ``data`` itself (under any name), or any folder
    or file in it; ``only`` are words of :data:`ONLY` (None: everything, unknown files too). Files
    come by kind, then by name. Names that start with a dot are left out. A folder that cannot be
    opened is listed as an unknown file with its refusal, also with ``only``, since nobody can say
    what it holds.

    Raises ``InvalidInput`` for a word that is not in ``ONLY``, ``UnreadableFile`` when there is
    nothing at ``given``.
    """
    wanted = _kinds(only)
    start = Path(os.path.abspath(given))  # noqa: PTH100 - Path.resolve() would follow links
    try:
        start.stat()
    except (OSError, ValueError) as error:
        raise UnreadableFile(
            "There is nothing here that can be read. Name the folder that holds data/, "
            "data/ itself, or a part of it.",
            path=str(given),
        ) from error
    root = _root(start)
    found = [_found(path, root, refusal) for path, refusal in _walk(_part(start))]
    kept = [file for file in found if wanted is None or file.kind in wanted or file.refusal]
    return sorted(kept, key=lambda file: (_ORDER[file.kind], file.name))


def _kinds(only: Iterable[str] | None) -> frozenset[FileKind] | None:
    if only is None:
        return None
    words = [word.strip() for word in only]
    unknown = [word for word in words if word not in ONLY]
    if unknown or not words:
        raise InvalidInput(
            f'"{", ".join(unknown)}" names no part of a release. The parts are: {", ".join(ONLY)}.'
        )
    return frozenset[FileKind]().union(*(ONLY[word] for word in words))


def _part(start: Path) -> Path:
    """What to walk: of a folder that holds ``data``, that folder alone."""
    inner = start / "data"
    return inner if _is_folder(inner) and not _has_top_folders(start) else start


def _root(start: Path) -> Path:
    """The ``data`` folder that ``start`` holds, is, or lies in."""
    part = _part(start)
    if part != start or _has_top_folders(start):
        return part
    # The nearest: a release may lie in a folder that happens to be called "evaluation".
    for path in (start, *start.parents):
        if path.name in TOP_FOLDERS:
            return path.parent
    return start if _is_folder(start) else start.parent


def _has_top_folders(folder: Path) -> bool:
    return any(_is_folder(folder / name) for name in TOP_FOLDERS)


def _is_folder(path: Path | os.DirEntry[str]) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _walk(start: Path) -> Iterator[tuple[Path, str]]:
    """Every file at or below ``start``, with the reason if it is a folder that stays closed."""
    if not _is_folder(start):
        yield start, ""
        return
    folders = [start]
    visited: set[tuple[int, int]] = set()
    while folders:
        folder = folders.pop()
        try:
            status = folder.stat()
            # A link to a folder above would be walked for ever.
            if (status.st_dev, status.st_ino) in visited:
                continue
            visited.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as entries:
                children = [entry for entry in entries if not entry.name.startswith(".")]
        except OSError as error:
            yield folder, f"The folder cannot be opened ({error.strerror}). Change its permissions."
            continue
        for child in children:
            if _is_folder(child):
                folders.append(folder / child.name)
            else:
                yield folder / child.name, ""


def _found(path: Path, root: Path, refusal: str) -> FoundFile:
    inside = path.relative_to(root)
    kind = FileKind.UNKNOWN if refusal else _kind(inside)
    return FoundFile(path, (root.name / inside).as_posix(), kind, refusal)


def _kind(inside: PurePath) -> FileKind:
    match inside.parts:
        case _ if inside.suffix not in _SUFFIXES:
            return FileKind.UNKNOWN
        case ("summaries", _):
            return FileKind.SUMMARIES_HUMAN
        case ("summaries", _, _):
            return FileKind.SUMMARIES_MODEL
        case ("document_checklists", "human.json"):
            return FileKind.HUMAN_CHECKLIST
        case ("document_checklists", "gavel_agent", _, _, _, _, name):
            return _AGENT_FILES.get(name, FileKind.UNKNOWN)
        case ("document_checklists", folder, _, *_):
            return _DOCUMENT_FOLDERS.get(folder, FileKind.UNKNOWN)
        case (folder, _, *_):
            return _FOLDERS.get(folder, FileKind.UNKNOWN)
        case _:
            return FileKind.UNKNOWN
