"""One case from a folder, a ZIP or loose files. PURE: documents are yielded, nothing is stored."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Self

from annotation.records.cases.document_text import SUFFIXES, document_text, suffix_of
from annotation.records.cases.metadata import CaseNotes, DocumentNote, case_notes
from annotation.records.cases.record import (
    DOCUMENT_NAME_LENGTH,
    LONGEST_DOCUMENT,
    CaseDocument,
    CaseHead,
)
from annotation.records.cases.zip_files import MOST_FILES, BadZip, ZipFile
from annotation.records.fields import Misfit, as_case_id
from annotation.records.json_files import (
    MAX_BYTES,
    open_plain_file,
    parse_json,
    read_plain_file,
)
from annotation.records.progress import Progress
from annotation.records.report import FileReport, FileStatus, UnreadableFile
from annotation.text.normalise import normalise_text, storable_text

METADATA = "metadata.json"
_LITTER = {"__macosx", "thumbs.db", "desktop.ini"}


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a case: its name with ``/``, how to get its bytes, or why it is not read.

    ``path`` is how reports call it.
    """

    name: str
    path: str
    read: Callable[[], bytes]
    refusal: str = ""


@dataclass(slots=True)
class CaseFiles:
    """The files of one case. Use it in ``with``: a ZIP stays open inside.

    ``report`` is of the case as a whole, ``files`` one a member that was looked at, in the order
    in which they were, ``file_of`` those of the documents by their names.
    """

    report: FileReport
    head: CaseHead
    notes: CaseNotes
    members: list[Member]
    files: list[FileReport] = field(default_factory=list)
    file_of: dict[str, FileReport] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def documents(self, progress: Progress) -> Iterator[CaseDocument]:
        """Yield the documents in reading order, numbered from 1.

        A member that cannot be read, and one of another kind, gets its own report and is not
        yielded. ``progress`` is called after each member and each page of a PDF.
        """
        ordered = in_reading_order(self.members, self.notes.documents, self.report)
        for done, member in enumerate(ordered):
            file = FileReport(member.path)
            self.files.append(file)
            document = _document(
                member,
                self.notes.documents.get(member.name, DocumentNote()),
                file,
                # Pages of this member, in the same unit: members.
                lambda page, pages, done=done: progress(done, len(ordered)),  # type: ignore[misc]
            )
            if document is not None:
                self.file_of[document.name] = file
                yield replace(document, position=done + 1)
            progress(done + 1, len(ordered))
        missing = self.notes.documents.keys() - {member.name for member in ordered}
        for name in sorted(missing):
            self.report.problem(
                METADATA, f"names {name!r}, which is not there. Add the file, or take the name out."
            )


def open_case(paths: Sequence[Path], report: FileReport, *, case_id: str = "") -> CaseFiles:
    """Open one case: a folder, a ZIP file, or loose document files.

    ``case_id`` names it whatever the files say; without one that of ``metadata.json`` counts, else
    the name of the folder or file. Raises ``UnreadableFile`` when there is nothing to read, the
    ZIP is refused, or ``metadata.json`` is damaged.
    """
    with ExitStack() as stack:
        members = _members(paths, report, stack)
        members = _without_litter(members, report.repairs)
        described = next((member for member in members if member.name == METADATA), None)
        notes = _notes(described, case_id or _fallback_id(paths), report)
        members = [member for member in members if member is not described]
        _check_documents(members, report)
        head = notes.head if not case_id else replace(notes.head, case_id=case_id)
        _check_id(head.case_id, report)
        if described is None:
            report.found["cases_without_metadata"] += 1
        return CaseFiles(report, head, notes, members, _stack=stack.pop_all())


def in_reading_order(
    members: Sequence[Member], notes: Mapping[str, DocumentNote], report: FileReport
) -> list[Member]:
    """Documents by the ``order`` of the notes, then those without by natural name, then the rest.

    Counted in ``report.repairs``: ``order_twice`` (the name decides), and, where there are notes,
    ``documents_not_in_metadata``.
    """
    orders = [note.order for note in notes.values() if note.order is not None]
    if len(set(orders)) != len(orders):
        report.repairs["order_twice"] += len(orders) - len(set(orders))
    unknown = [
        member
        for member in members
        if member.name not in notes and suffix_of(member.name) in SUFFIXES
    ]
    if notes and unknown:
        report.repairs["documents_not_in_metadata"] += len(unknown)

    def key(member: Member) -> tuple[object, ...]:
        order = notes.get(member.name, DocumentNote()).order
        is_document = suffix_of(member.name) in SUFFIXES
        return not is_document, order is None, order or 0, natural(member.name), member.name

    return sorted(members, key=key)


def natural(name: str) -> tuple[tuple[tuple[int, int, str], ...], ...]:
    """A sorting key that puts ``doc2`` before ``doc10``, capitals beside small letters.

    Folders sort by their names, with all that is in them.

    >>> sorted(["doc10.txt", "Doc2.txt", "doc2/a", "doc"], key=natural)
    ['doc', 'doc2/a', 'Doc2.txt', 'doc10.txt']
    """
    folded = unicodedata.normalize("NFC", name).casefold()
    return tuple(
        tuple(
            (0, int(piece[:300]), piece) if piece[0].isdigit() else (1, 0, piece)
            for piece in re.findall(r"[0-9]+|[^0-9]+", part)
        )
        for part in folded.split("/")
    )


def _members(paths: Sequence[Path], report: FileReport, stack: ExitStack) -> list[Member]:
    if len(paths) == 1:
        (path,) = paths
        if is_folder(path):
            return _of_folder(path, report)
        if suffix_of(path.name) == ".zip":
            return _of_zip(path, report, stack)
        # Whether it is there at all, before its ending is looked at.
        with open_plain_file(path, report.path):
            pass
    twice = {name for name, n in Counter(path.name for path in paths).items() if n > 1}
    refusal = "Another file has the same name. Give one of them another."
    return [
        _of_file(path, path.name, str(path), refusal if path.name in twice else "")
        for path in paths
    ]


def _of_file(path: Path, name: str, shown: str, refusal: str = "") -> Member:
    return Member(name, shown, lambda: read_plain_file(path, shown, MAX_BYTES), refusal)


def _of_folder(folder: Path, report: FileReport) -> list[Member]:
    members: list[Member] = []

    def closed(error: OSError) -> None:
        name = Path(error.filename or folder).relative_to(folder).as_posix()
        report.problem(name, "This folder cannot be opened. Change its permissions.")

    for place, folders, names in os.walk(folder, onerror=closed):
        for name in [*folders, *names]:
            path = Path(place) / name
            if name in folders and not path.is_symlink():
                continue
            inside = path.relative_to(folder).as_posix()
            refusal = "It is a link to a folder. Put the folder itself here."
            shown = _inside(report, inside)
            members.append(_of_file(path, inside, shown, refusal if name in folders else ""))
            if len(members) > MOST_FILES:
                raise UnreadableFile(
                    f"The folder holds more than {MOST_FILES:,} files. Name one case's folder.",
                    path=report.path,
                )
    return members


def _of_zip(path: Path, report: FileReport, stack: ExitStack) -> list[Member]:
    file, _ = stack.enter_context(open_plain_file(path, report.path))
    try:
        archive = stack.enter_context(ZipFile(file, report.repairs))
    except BadZip as error:
        raise UnreadableFile(str(error), path=report.path) from error
    top = _top_folder([member.name for member in archive.members])
    return [
        Member(
            member.name.removeprefix(top),
            _inside(report, member.name.removeprefix(top)),
            partial(archive.read, member.name),
            member.refusal,
        )
        for member in archive.members
    ]


def _inside(report: FileReport, name: str) -> str:
    return f"{report.path}/{storable_text(name)}"


def _top_folder(names: list[str]) -> str:
    """The one folder, with its slash, in which everything in a ZIP lies; "" if there is none."""
    tops = {name.partition("/")[0] for name in names if not _is_litter(name)}
    if len(tops) != 1 or any("/" not in name for name in names if not _is_litter(name)):
        return ""
    (top,) = tops
    return "" if top in {"", ".", ".."} else top + "/"


def _without_litter(members: list[Member], repairs: Counter[str]) -> list[Member]:
    kept = [member for member in members if not _is_litter(member.name)]
    if len(kept) != len(members):
        repairs["hidden_files_left_out"] += len(members) - len(kept)
    return kept


def _is_litter(name: str) -> bool:
    """Hidden files, and what operating systems leave behind in folders and ZIP files."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in {"", ".", ".."}]
    return any(part.startswith(".") or part.casefold() in _LITTER for part in parts)


def _notes(described: Member | None, fallback_id: str, report: FileReport) -> CaseNotes:
    if described is None:
        return CaseNotes(CaseHead(fallback_id))
    if described.refusal:
        raise UnreadableFile(described.refusal, path=described.path)
    raw = _bytes(described)
    return case_notes(
        parse_json(raw, name=described.path, repairs=report.repairs), fallback_id, report
    )


def _bytes(member: Member) -> bytes:
    try:
        return member.read()
    except BadZip as error:
        raise UnreadableFile(str(error), path=member.path) from error


def _fallback_id(paths: Sequence[Path]) -> str:
    path = Path(os.path.abspath(paths[0]))  # noqa: PTH100 - Path.resolve() would follow links
    name = path.name if is_folder(path) or not path.suffix else path.stem
    return storable_text(name).strip()


def _check_documents(members: list[Member], report: FileReport) -> None:
    if not any(suffix_of(member.name) in SUFFIXES for member in members):
        raise UnreadableFile(
            f"There is no document here. Documents end in {', '.join(SUFFIXES)}.",
            path=report.path,
            status=FileStatus.UNREADABLE if members else FileStatus.EMPTY,
        )


def _check_id(case_id: str, report: FileReport) -> None:
    try:
        as_case_id(case_id, "its id")
    except Misfit as misfit:
        raise UnreadableFile(
            f"The case has no usable id: it {misfit.message} Give it one with --case-id, or as "
            f'"case_id" in {METADATA}.',
            path=report.path,
        ) from misfit


def _document(
    member: Member, note: DocumentNote, file: FileReport, progress: Progress
) -> CaseDocument | None:
    suffix = suffix_of(member.name)
    if member.refusal:
        file.refuse(UnreadableFile(member.refusal, path=file.path))
        return None
    if suffix not in SUFFIXES:
        kind = "A ZIP inside is not opened" if suffix == ".zip" else "This is no document"
        file.skip(f"{kind}; it was left out. Documents end in {', '.join(SUFFIXES)}.")
        return None
    name = storable_text(member.name)
    if len(name) > DOCUMENT_NAME_LENGTH:
        longest = f"more than {DOCUMENT_NAME_LENGTH}. Give it a shorter one."
        reason = f"Its name has {len(name):,} characters, {longest}"
        file.refuse(UnreadableFile(reason, path=file.path))
        return None
    try:
        raw = _bytes(member)
        text, details = document_text(raw, member.name, file, progress)
    except UnreadableFile as error:
        file.refuse(error)
        return None
    if len(text) > LONGEST_DOCUMENT:
        reason = f"It has {len(text):,} characters, more than {LONGEST_DOCUMENT:,}. Split it."
        file.refuse(UnreadableFile(reason, path=file.path))
        return None
    normalised = normalise_text(text)
    file.repairs.update(normalised.changes)
    titled = {"title": note.title} if note.title else {}
    return CaseDocument(
        name=name,
        position=0,
        text=normalised,
        document_type=note.document_type,
        date=note.date,
        file_sha256=hashlib.sha256(raw).hexdigest(),
        metadata={**note.metadata, **titled, **details},
    )


def is_folder(path: Path) -> bool:
    """Whether ``path`` is a folder; a name that the system cannot look up is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
