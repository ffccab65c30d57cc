"""Checking an export where there is nothing but its files. PURE.

Nothing in the folder is trusted: whatever is damaged becomes a problem, never an exception.
"""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from annotation.records.json_files import read_json
from annotation.records.progress import Progress, no_progress
from annotation.records.quoting import printable
from annotation.records.report import UnreadableFile
from evaluation.exporting.bundle import (
    FILES,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    OFFSETS,
    FileEntry,
    Manifest,
    StudyRow,
    Tally,
)
from evaluation.exporting.checking import Checker
from evaluation.exporting.checking_files import check_release, check_thresh
from evaluation.exporting.lines import BadLine, parse_line, read_lines
from evaluation.exporting.meter import Meter, size_of
from evaluation.exporting.rows import first_fault

TABLES = ("gavel-csv", "gavel-answers", "gavel-label-studio", "gavel-thresh", "gavel-release")
CHECKS = {"gavel-thresh": check_thresh, "gavel-release": check_release}
MOST = 100  # problems of one file that are listed
_LONGEST_CELL = 64 * 1024 * 1024


class _Problems:
    """Problems by file, the first hundred of each kept."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}
        self._more: Counter[str] = Counter()

    def add(self, file: str, problem: str) -> None:
        kept = self._found.setdefault(file, [])
        if len(kept) < MOST:
            kept.append(printable(f"{file}: {problem}"))
        else:
            self._more[file] += 1

    def all(self) -> list[str]:
        found = [problem for problems in self._found.values() for problem in problems]
        return found + [f"{file}: and {n:,} more problems" for file, n in self._more.items()]


def verify(folder: Path, progress: Progress = no_progress) -> list[str]:
    """Everything that is wrong with the export in ``folder``; empty when nothing is.

    Of any export: its manifest, that exactly the files listed are there, their hashes and numbers
    of rows. Of a bundle also: every row has its shape and place, is there once, finds what it
    refers to; every quote is what its text says at its offsets; every answer settles its task, and
    of every finished assignment exactly one answer counts; the counts of the manifest. Of the
    paragraph tool's files and of a release's human checklists: every place and quote is one of its
    text.

    ``progress`` hears of bytes read of bytes to read; what it raises goes through.
    """
    problems = _Problems()
    meter = Meter(progress, size_of(folder))
    try:
        _verify(folder, problems, meter)
    except OSError as error:
        problems.add(str(folder), f"it cannot be read ({error.strerror or error})")
    meter.say()
    return problems.all()


def _verify(folder: Path, problems: _Problems, meter: Meter) -> None:
    if not folder.is_dir():
        problems.add(str(folder), "there is no such folder. Name the folder that was exported.")
        return
    inside = [path for path in folder.glob(f"*/{MANIFEST}") if not (folder / MANIFEST).exists()]
    if inside:
        problems.add(str(folder), f"it is the folder around an export. Name {inside[0].parent}.")
        return
    manifest = read_manifest(folder, problems.add)
    if manifest is None:
        return
    listed = _listed(manifest, problems)
    present = _present(folder, listed, problems)
    checked = _bundle if manifest.format == FORMAT else _table
    for name, (rows, sha256) in checked(folder, manifest, present, problems, meter).items():
        if rows != listed[name].rows:
            problems.add(name, f"it has {rows:,} rows, the manifest says {listed[name].rows:,}")
        if sha256 != listed[name].sha256:
            problems.add(name, "its hash is not the one in the manifest: it was changed")


def read_manifest(folder: Path, problem: Callable[[str, str], None]) -> Manifest | None:
    """The manifest of an export, if it is one of a format that is known here."""
    try:
        manifest = Manifest.model_validate(read_json(folder / MANIFEST, name=MANIFEST))
    except UnreadableFile as error:
        problem(MANIFEST, error.reason)
        return None
    except ValidationError as error:
        problem(MANIFEST, first_fault(error))
        return None
    if manifest.format != FORMAT and manifest.format not in TABLES:
        problem(MANIFEST, f"the format {manifest.format} is not known here")
        return None
    if manifest.version != FORMAT_VERSION:
        problem(MANIFEST, f"version {manifest.version} of the format is not known here")
        return None
    if manifest.offsets != OFFSETS:
        problem(MANIFEST, f"it says that offsets are {manifest.offsets}, and they are {OFFSETS}")
    return manifest


def _listed(manifest: Manifest, problems: _Problems) -> dict[str, FileEntry]:
    listed = {entry.path: entry for entry in manifest.files}
    if len(listed) != len(manifest.files):
        problems.add(MANIFEST, "it lists a file twice")
    if manifest.format == FORMAT:
        for name in FILES:
            if name not in listed:
                problems.add(MANIFEST, f"it does not list {name}")
        for name in listed:
            if name not in FILES:
                problems.add(MANIFEST, f"it lists {name}, which is no file of a bundle")
    return listed


def _present(folder: Path, listed: dict[str, FileEntry], problems: _Problems) -> list[str]:
    """The listed files that are there; only what a walk found is ever opened."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            problems.add(name, "it is no plain file, and an export holds nothing else")
        elif path.is_dir() or name == MANIFEST:
            continue
        elif name in listed:
            found.append(name)
        else:
            problems.add(name, "the manifest does not list it. Take it out.")
    for name in listed:
        if name not in found:
            problems.add(name, "it is missing. Get the export again.")
    return found


Measured = dict[str, tuple[int, str]]  # by file: rows, SHA-256


def _bundle(
    folder: Path, manifest: Manifest, present: list[str], problems: _Problems, meter: Meter
) -> Measured:
    checker, tally, measured = Checker(folder), Tally(), {}
    for name, kind in FILES.items():
        if name not in present:
            continue
        checker.begin()
        digest, number = hashlib.sha256(), 0
        for number, (offset, raw) in enumerate(read_lines(folder / name), 1):
            digest.update(raw)
            meter.add(len(raw))
            try:
                row = parse_line(raw, kind)
            except BadLine as error:
                problems.add(name, f"line {number}: {error}")
                continue
            tally.add(row)
            for problem in checker.check(row, offset):
                problems.add(name, f"line {number} ({row.label()}): {problem}")
        measured[name] = (number, digest.hexdigest())
    for name, problem in checker.finish():
        problems.add(name, problem)
    _require_counts(manifest, tally, problems)
    return measured


def _require_counts(manifest: Manifest, tally: Tally, problems: _Problems) -> None:
    said = manifest.model_extra or {}
    found = tally.to_json()
    if not found:
        problems.add(StudyRow.FILE, "it holds no study")
    for name, value in found.items():
        own = said.get(name)
        if name == "versions" and isinstance(own, dict):
            own = {key: own[key] for key in own if key != "gavel"}
        if own != value:
            problems.add(MANIFEST, f"its {name} are not those of the rows")


def _table(
    folder: Path, manifest: Manifest, present: list[str], problems: _Problems, meter: Meter
) -> Measured:
    measured = {}
    for name in present:
        with (folder / name).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
        rows = _csv_rows(folder, name, problems) if name.endswith(".csv") else 1
        if name.endswith(".json"):
            try:
                value = read_json(folder / name, name=name)
                rows = len(value) if isinstance(value, list) else 1
            except UnreadableFile as error:
                problems.add(name, error.reason)
        measured[name] = (rows, digest.hexdigest())
        meter.add((folder / name).stat().st_size)
    if manifest.format in CHECKS:
        CHECKS[manifest.format](folder, present, problems.add)
    return measured


def _csv_rows(folder: Path, name: str, problems: _Problems) -> int:
    csv.field_size_limit(_LONGEST_CELL)
    rows = 0
    try:
        with (folder / name).open(encoding="utf-8", newline="") as file:
            reader = csv.reader(file, strict=True)
            width = len(next(reader, []))
            for row in reader:
                rows += 1
                if len(row) != width:
                    problems.add(name, f"row {rows} has {len(row)} cells, the header {width}")
    except (csv.Error, UnicodeDecodeError) as error:
        problems.add(name, f"after row {rows}: it is no UTF-8 CSV ({error})")
    return rows
