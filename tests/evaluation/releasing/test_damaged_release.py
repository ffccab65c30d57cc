"""Damaged files of every kind: a report, never a traceback, and nothing half imported.

The damage is chosen by a generator with a written-down seed, so that each run tests the same files.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from agent.models import ExtractionRun, RunStep
from annotation.models import (
    Case,
    Checklist,
    ChecklistItem,
    ChecklistValue,
    Evidence,
    Study,
    Summary,
)
from annotation.records.report import FileReport, FileStatus, UnreadableFile
from evaluation.models import ChecklistComparison, ItemVerdict
from evaluation.releasing.readers.discover import discover
from evaluation.releasing.readers.family import readers
from evaluation.releasing.services import import_release
from evaluation.releasing.storing.family import STORERS
from tests.evaluation.releasing.folders import encoded, files, write

NAMES = tuple(files())
MODELS = (
    Case, Summary, Checklist, ChecklistItem, ChecklistValue, Evidence, ExtractionRun, RunStep,
    ChecklistComparison, ItemVerdict,
)  # fmt: skip
TIMES = 5
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**40, 2**31, "", " ", "x" * 700, "\0", "\ud800", "nan",
    [], {}, [[]], [None], [{}], {"": None}, {"a": {"b": []}}, [0, 0], [-1, 10**9],
    "0001-01-01T00:00:00+14:00",
)  # fmt: skip


def cut(data: Any, name: str, dice: random.Random) -> bytes:
    raw = encoded(name, data)
    return raw[: dice.randrange(len(raw))]


def of_wrong_type(data: Any, name: str, dice: random.Random) -> bytes:
    """Some places hold something else."""
    changed = copy.deepcopy(data)
    for _ in range(dice.randint(1, 3)):
        container, key = dice.choice(places(changed) or [({}, "x")])
        container[key] = copy.deepcopy(dice.choice(ODD))
    return encoded(name, changed)


def places(data: Any) -> list[tuple[Any, Any]]:
    """Each container with a key or index in it."""
    keys: Any = ()
    if isinstance(data, dict):
        keys = list(data)
    elif isinstance(data, list):
        keys = range(len(data))
    return [place for key in keys for place in [(data, key), *places(data[key])]]


def without_a_part(data: Any, name: str, dice: random.Random) -> bytes:
    changed = copy.deepcopy(data)
    container, key = dice.choice(places(changed))
    del container[key]
    return encoded(name, changed)


def with_other_keys(data: Any, name: str, dice: random.Random) -> bytes:
    changed = copy.deepcopy(data)
    objects = [(c, k) for c, k in places(changed) if isinstance(c, dict)]
    container, key = dice.choice(objects)
    container[dice.choice(("", "x" * 300, "\0", "Weather", "filing date"))] = container.pop(key)
    return encoded(name, changed)


def with_a_key_twice(data: Any, name: str, dice: random.Random) -> bytes:
    raw = encoded(name, data)
    starts = [n for n, byte in enumerate(raw) if byte == ord("{")]
    start = dice.choice(starts) + 1
    return raw[:start] + b'"k": 1, "k": 2, ' + raw[start:]


def deep(data: Any, name: str, dice: random.Random) -> bytes:
    changed = copy.deepcopy(data)
    container, key = dice.choice(places(changed))
    levels = dice.choice((30, 98, 500, 20_000))
    marked = "here it is deep"
    container[key] = marked
    nested = (b"[" if dice.random() < 0.5 else b'{"a":') * levels
    close = (b"]" if nested[:1] == b"[" else b"}") * levels
    return encoded(name, changed).replace(json.dumps(marked).encode(), nested + b"1" + close)


def in_another_encoding(data: Any, name: str, dice: random.Random) -> bytes:
    text = encoded(name, data).decode() + '"caf\u00e9 \u2014 \U0001f3db"'
    choice = dice.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig"))
    return text.encode(choice, "replace")


def with_bytes_changed(data: Any, name: str, dice: random.Random) -> bytes:
    raw = bytearray(encoded(name, data))
    for _ in range(dice.randint(1, 4)):
        raw[dice.randrange(len(raw))] = dice.randrange(256)
    return bytes(raw)


DAMAGES: tuple[Callable[[Any, str, random.Random], bytes], ...] = (
    cut, of_wrong_type, without_a_part, with_other_keys, with_a_key_twice, deep,
    in_another_encoding, with_bytes_changed,
)  # fmt: skip


def damaged(name: str, damage: Callable[[Any, str, random.Random], bytes]) -> list[bytes]:
    dice = random.Random(f"{name} {damage.__name__}")
    return [damage(files()[name], name, dice) for _ in range(TIMES)]


def counted() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in MODELS}


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_file_is_stored_wholly_or_not_at_all(
    study: Study, tmp_path: Path, name: str
) -> None:
    """All that the file refers to is there, so that storing is reached."""
    import_release(write(tmp_path, {n: c for n, c in files().items() if n != name}), study)
    path = tmp_path / "data" / name
    before = counted()
    for damage in DAMAGES:
        for raw in damaged(name, damage):
            write(tmp_path, {name: raw})
            with transaction.atomic():
                report = import_release(path, study)
                (file,) = report.files
                assert (file.status is FileStatus.READ) == (not file.problems), raw
                if file.problems:
                    assert counted() == before, raw
                    assert (file.created, file.unchanged) == (0, 0), raw
                json.dumps(report.to_json(), allow_nan=False).encode()
                report.to_text().encode()
                transaction.set_rollback(True)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_sound_of_a_damaged_file_comes_in_once(
    study: Study, tmp_path: Path, name: str
) -> None:
    import_release(write(tmp_path, {n: c for n, c in files().items() if n != name}), study)
    path = tmp_path / "data" / name
    for raw in damaged(name, of_wrong_type) + damaged(name, with_other_keys):
        write(tmp_path, {name: raw})
        with transaction.atomic():
            import_release(path, study, accept_partial=True)
            stored = counted()
            for evidence in Evidence.objects.exclude(start=None).select_related("summary"):
                assert evidence.summary is not None
                assert evidence.summary.text[evidence.start : evidence.end] == evidence.quote
            (file,) = import_release(path, study, accept_partial=True).files
            assert (file.created, counted()) == (0, stored), raw
            transaction.set_rollback(True)


@pytest.mark.parametrize("name", NAMES)
def test_readers_raise_nothing_but_what_they_promise(tmp_path: Path, name: str) -> None:
    dice = random.Random(name)
    path = write(tmp_path, {name: b""}) / "data" / name
    (file,) = discover(path)
    reader = readers(lambda item: item.casefold()[:80] or None, [file])[file.kind]
    assert file.kind in STORERS
    refused = 0
    for _ in range(50):
        damage = dice.choice(DAMAGES)
        path.write_bytes(damage(files()[name], name, dice))
        try:
            list(reader.read(path, FileReport(file.name)))
        except UnreadableFile:
            refused += 1
    assert refused
