"""Importing cases with their documents: a folder, a ZIP, or a file of many cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.errors import InvalidFile, InvalidInput
from annotation.importing.case_spool import Spool, SpooledCase
from annotation.importing.case_storing import CaseStore
from annotation.importing.evidence import seek_evidence
from annotation.importing.services import import_file, keep_report
from annotation.models import Case, Study, User
from annotation.records.cases.case_files import METADATA, is_folder, open_case
from annotation.records.cases.full import read_full_cases
from annotation.records.cases.record import CaseDocument, CaseHead
from annotation.records.progress import Progress, no_progress
from annotation.records.report import FileReport, FileStatus, ImportReport, UnreadableFile

MANY_CASES = (".json", ".jsonl", ".ndjson")
_NOT_STORED = "Not stored, because the case was not."
CountTokens = Callable[[str], int]


@dataclass(slots=True)
class CaseCount:
    """A case of an import with the number of its documents there, and of their tokens."""

    case: str
    documents: int = 0
    tokens: int = 0

    def to_json(self) -> dict[str, object]:
        """Ready for ``json.dumps``."""
        return {"case": self.case, "documents": self.documents, "tokens": self.tokens}


@dataclass(slots=True)
class CaseImportReport(ImportReport):
    """The report of an import of cases, and what each of them holds."""

    cases: list[CaseCount] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        """``files`` and ``totals``; ``case, documents, tokens`` of one case, else ``cases``."""
        told = ImportReport.to_json(self)
        if len(self.cases) == 1:
            return {**self.cases[0].to_json(), **told}
        return {
            "cases": [case.to_json() for case in self.cases],
            "documents": sum(case.documents for case in self.cases),
            "tokens": sum(case.tokens for case in self.cases),
            **told,
        }

    def to_text(self) -> str:
        """The same for a person at a terminal."""
        if not self.cases:
            return ImportReport.to_text(self)
        documents = sum(case.documents for case in self.cases)
        tokens = sum(case.tokens for case in self.cases)
        which = (
            f"Case {self.cases[0].case}" if len(self.cases) == 1 else f"{len(self.cases):,} cases"
        )
        return (
            f"{ImportReport.to_text(self)}\n"
            f"{which}: {documents:,} document{'' if documents == 1 else 's'}, {tokens:,} tokens."
        )


@dataclass(slots=True)
class _Import:
    study: Study
    count_tokens: CountTokens
    accept_partial: bool
    dry_run: bool
    progress: Progress
    report: CaseImportReport = field(default_factory=CaseImportReport)
    touched: list[Case] = field(default_factory=list)


def import_cases(
    paths: Sequence[Path],
    study: Study,
    *,
    count_tokens: CountTokens,
    case_id: str = "",
    accept_partial: bool = False,
    dry_run: bool = False,
    actor: User | None = None,
    progress: Progress = no_progress,
) -> CaseImportReport:
    """Store cases with their documents, whose tokens ``count_tokens`` counts.

    Each folder and each ZIP of ``paths`` is a case, all loose documents together are one
    (``case_id`` names it, else its metadata or the name of the folder or file); a JSON file
    holds many. A case, and a file of many, is stored wholly or not at all (``accept_partial``: what
    is sound). Files are read and counted before a transaction begins, so that nobody waits for
    that. Importing again changes nothing; a document that is stored with another text is a problem.
    Afterwards evidence that waited for these documents is looked for. ``progress`` counts bytes of
    a file of many cases, files of one case; then rows that are stored, then documents that are
    searched. Raises ``InvalidInput`` for a ``case_id`` of several cases.
    """
    todo = _Import(study, count_tokens, accept_partial, dry_run, progress)
    single, many = _grouped(paths)
    if case_id and (many or len(single) > 1):
        raise InvalidInput(
            "An id can only be given to one case, and these files hold several, which say "
            "themselves what they are called. Leave the id out."
        )
    for path in many:
        _import_many(todo, path)
    for group in single:
        _import_one(todo, group, case_id)
    if dry_run:
        return todo.report
    try:
        for case in todo.touched:
            todo.report.files[0].found.update(seek_evidence(case, progress))
    finally:
        # The documents are stored, also when somebody cancels the looking for evidence.
        source = ", ".join(map(str, paths))
        kind = "cases" if many else "case"
        keep_report(study, todo.report, source=source, kind=kind, actor=actor)
    return todo.report


def _grouped(paths: Sequence[Path]) -> tuple[list[list[Path]], list[Path]]:
    """What belongs to one case each (a folder, a ZIP, all loose documents), and files of many."""
    many, alone, loose = [], [], []
    for path in paths:
        suffix = path.suffix.lower()
        if is_folder(path) or suffix == ".zip":
            alone.append([path])
        elif suffix in MANY_CASES and path.name != METADATA:
            many.append(path)
        else:
            loose.append(path)
    return alone + ([loose] if loose else []), many


def _import_many(todo: _Import, path: Path) -> None:
    report = FileReport(str(path))
    todo.report.files.append(report)
    size = [0, 1]

    def told(done: int, total: int) -> None:
        size[:] = done, total
        todo.progress(done, total)

    def fill(spool: Spool) -> list[CaseCount]:
        return [
            _spool(todo, spool, case.head, case.documents, lambda: todo.progress(*size))
            for case in read_full_cases(path, report, told)
        ]

    _store(todo, report, fill, lambda name: report)


def _import_one(todo: _Import, paths: Sequence[Path], case_id: str) -> None:
    report = FileReport(", ".join(map(str, paths)))
    todo.report.files.append(report)
    of_documents: dict[str, FileReport] = {}

    def fill(spool: Spool) -> list[CaseCount]:
        with open_case(paths, report, case_id=case_id) as files:
            try:
                documents = files.documents(todo.progress)
                count = _spool(todo, spool, files.head, documents, lambda: None)
            finally:
                todo.report.files += files.files
                of_documents.update(files.file_of)
            bad = sum(
                file.status is not FileStatus.SKIPPED and bool(file.problems)
                for file in files.files
            )
            if bad:
                named = "It is named" if bad == 1 else "They are named"
                report.problem("", f"{bad} of its files cannot be read whole. {named} below.")
            if not count.documents:
                raise UnreadableFile("None of its documents can be read.", path=report.path)
            report.found.update(cases=1, documents=count.documents)
            return [count]

    _store(todo, report, fill, lambda name: of_documents.get(name, report))
    if report.status is not FileStatus.READ:
        for file in of_documents.values():
            file.created = file.unchanged = 0
            file.skip(_NOT_STORED)


def _spool(
    todo: _Import,
    spool: Spool,
    head: CaseHead,
    documents: Iterable[CaseDocument],
    heartbeat: Callable[[], None],
) -> CaseCount:
    count = CaseCount(head.case_id)
    spool.case(head)
    for document in documents:
        tokens = todo.count_tokens(document.text.text)
        spool.document(document, tokens)
        count.documents += 1
        count.tokens += tokens
        heartbeat()
    return count


def _store(
    todo: _Import,
    report: FileReport,
    fill: Callable[[Spool], list[CaseCount]],
    report_of: Callable[[str], FileReport],
) -> None:
    """Read into a spool without a transaction, then copy it into the database in one."""
    with Spool() as spool:
        try:
            counts = fill(spool)
        except InvalidFile as error:
            report.found.clear()
            report.refuse(error)
            return
        stored: list[Case] = []

        def copy() -> None:
            if report.problems and not todo.accept_partial:
                return
            tokens = {count.case: count.tokens for count in counts}
            store = CaseStore(
                todo.study, report, report_of, todo.count_tokens, tokens, write=not todo.dry_run
            )
            for done, row in enumerate(spool.rows(), start=1):
                todo.progress(done, spool.length)
                if isinstance(row, SpooledCase):
                    store.case(row)
                else:
                    store.document(row)
            store.close()
            stored[:] = store.touched

        import_file(todo.study, report, copy, accept_partial=todo.accept_partial)
    if report.status is FileStatus.READ:
        todo.report.cases += counts
        todo.touched += stored
