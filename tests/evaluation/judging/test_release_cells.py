"""Every comparison cell of the public release is read, or refused with a reason."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.kinds.comparison import Side
from evaluation.judging.repairs import Repair, ReplyError, ReplyFault
from evaluation.judging.replies import clean_matching, clean_relation, read_list, read_single

pytestmark = pytest.mark.release

log = logging.getLogger(__name__)
FOLDERS = ("evaluation", "evaluation_documents_checklist")
# Longer than any list of the release: the lengths of the shown lists are not in its files.
LONG = 200


def files(release_dir: Path) -> list[Path]:
    return sorted(
        path for folder in FOLDERS for path in (release_dir / "data" / folder).rglob("*.json")
    )


def cells(release_dir: Path) -> Iterator[Any]:
    """The cells of the files that are whole JSON; empty and cut ones are another test's."""
    for path in files(release_dir):
        try:
            results = json.loads(path.read_text(encoding="utf-8"))["results"]
        except json.JSONDecodeError:
            continue
        for items in results.values():
            yield from items.values()


def is_raw_reply(cell: object) -> bool:
    """A reply, or its tail, where a verdict should stand."""
    return isinstance(cell, str) and ("```" in cell or "Final Answer" in cell)


def count(values: Iterator[Any], test: Callable[[Any], bool]) -> int:
    return sum(test(value) for value in values)


def indices(cell: dict[str, Any]) -> Iterator[Any]:
    """Every index of a matching as written, by a walk that shares nothing with the reader."""
    for key, entries in cell.items():
        for entry in entries:
            yield from (entry.values() if key == "common" else [entry])


def test_every_cell_is_read_and_its_repairs_are_counted(
    release_dir: Path, record_property: Callable[[str, object], None]
) -> None:
    repairs: Counter[Repair] = Counter()
    read: Counter[str] = Counter()
    matchings: list[dict[str, Any]] = []
    for cell in cells(release_dir):
        try:
            if isinstance(cell, dict):
                repairs += clean_matching(cell, None, None, Side.MODEL).repairs
                matchings.append(cell)
                read["list"] += 1
            elif is_raw_reply(cell):
                read_list(cell, LONG, LONG, Side.MODEL)
                read["reply"] += 1
            else:
                repairs += clean_relation(cell, Side.MODEL).repairs
                read["single"] += 1
        except ReplyError as refusal:
            read[f"refused: {refusal.reason}"] += 1
    for name, number in {**read, **repairs}.items():
        record_property(str(name), number)
        log.info("%s: %s", name, number)

    def total(test: Callable[[Any], bool]) -> int:
        return sum(count(indices(cell), test) for cell in matchings)

    assert read["list"] > 0
    assert read["single"] > 0
    # One string of the whole release is no verdict but the tail of a reply.
    assert sum(number for name, number in read.items() if name.startswith("refused")) <= 1
    assert repairs[Repair.UNKNOWN_LENGTH] == 2 * read["list"]
    assert repairs[Repair.NULL_INDEX] == total(lambda index: index is None)
    assert repairs[Repair.INDEX_LIST_EXPANDED] == total(lambda index: isinstance(index, list))
    assert repairs[Repair.STRAY_ZERO] == total(lambda index: index == 0)
    assert repairs[Repair.NEGATIVE_INDEX] == total(
        lambda index: isinstance(index, int) and index < 0
    )
    # The release spells its keys and relations in the two vocabularies that are no repair.
    assert not {Repair.KEY_SPELLING, Repair.RELATION_SPELLING} & set(repairs)


def test_raw_replies_in_place_of_verdicts_are_read(release_dir: Path) -> None:
    """One file holds the judge's replies and breaks off inside of one."""
    cut = [path for path in files(release_dir) if path.stat().st_size and not _is_json(path)]
    assert cut
    read: Counter[str] = Counter()
    for path in cut:
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r'": "((?:[^"\\]|\\.)*)"', text):
            reply = json.loads(f'"{match[1]}"')
            if is_raw_reply(reply):
                read[_read_reply(reply)] += 1
        tail = re.sub(r"\\[^\\]?$", "", text[text.rindex('": "') + 4 :])
        with pytest.raises(ReplyError) as caught:
            read_list(json.loads(f'"{tail}"'), LONG, LONG, Side.MODEL)
        assert caught.value.reason is ReplyFault.TRUNCATED
    # Counted in the file by hand: replies that end in a verdict, and that end in JSON.
    assert read == {"single": 23, "list": 65}


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError:
        return False
    return True


def _read_reply(reply: str) -> str:
    if "```" in reply:
        assert read_list(reply, LONG, LONG, Side.MODEL).repairs[Repair.CODE_FENCE] == 1
        return "list"
    assert read_single(reply, Side.MODEL).repairs[Repair.BARE_VERDICT] == 1
    return "single"
