"""Summaries, checklists and verdicts in the shapes of a public release. PURE."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from evaluation.releasing.readers.summaries import (
    AS_IN_FILE,
    CASE_FIELDS,
    LENGTH_BIN,
    OWN_NAMES,
    TEXT,
)

DATA = "data"
HUMAN_FILE = f"{DATA}/document_checklists/human.json"
SUMMARIES = f"{DATA}/summaries"
SUMMARY_CHECKLISTS = f"{DATA}/summary_checklists"
EVALUATION = f"{DATA}/evaluation"
EVALUATION_DOCUMENTS = f"{DATA}/evaluation_documents_checklist"
SUMMARIZED = "_summarization"

_OF_A_RUN = ("file_name", "inference_model", "enable_thinking")
_SAFE = re.compile(r"[\w-][\w.+-]{0,179}", re.ASCII)
_UNSAFE = re.compile(r"[^\w.+-]+", re.ASCII)


def human_value(text: str, spans: Iterable[tuple[int, int, str]]) -> dict[str, object]:
    """A value of a human checklist. ``spans``: start, end and quote, in the order of the file."""
    spans = list(spans)
    return {
        "evidences_indices": [[start, end] for start, end, _ in spans],
        "evidences": [quote for _, _, quote in spans],
        "value": text,
    }


def extracted_cell(reasoning: object, values: Sequence[dict[str, object]]) -> dict[str, object]:
    """A cell of a summary checklist."""
    return {"reasoning": reasoning, "extracted": list(values)}


def extracted_value(
    text: str, quotes: Sequence[str], metadata: Mapping[str, Any]
) -> dict[str, object]:
    """A value of a summary checklist; what the import kept in ``metadata`` stands as it came."""
    others = {name: metadata[name] for name in metadata if name not in ("raw", "evidence")}
    return {
        "evidence": metadata.get("evidence", list(quotes)),
        "value": metadata.get("raw", text),
        **others,
    }


def reference_entry(
    text: str,
    filing_date: str | None,
    case_type: str,
    token_count: int | None,
    length_bin: str,
    others: Mapping[str, Any],
) -> dict[str, object]:
    """A case in a file of human summaries; what is not known is null.

    ``others`` are further fields. They do not stand for what is said here, but that a
    ``total_length_bin`` which was a number is one again.

    >>> others = {"total_length_bin": 32, "case_type": "Prison", "court": "D. Mass."}
    >>> list(reference_entry("Sued.", None, "", 5, "32", others).values())
    ['Sued.', None, None, 5, 32, 'D. Mass.']
    """
    number = others.get(LENGTH_BIN)
    return {
        TEXT: text,
        "filing_date": filing_date,
        "case_type": case_type or None,
        "total_token_num": token_count,
        LENGTH_BIN: number if str(number) == length_bin else length_bin or None,
        **{name: value for name, value in others.items() if name not in CASE_FIELDS},
    }


def of_a_run(metadata: Mapping[str, Any], results: Mapping[str, Any]) -> dict[str, Any]:
    """A file of model output: what the import kept of the run, and ``results``.

    >>> of_a_run({"file": "a.json", "inference_model": "m", "token_stats": {"n": 1}}, {})
    {'meta_data': {'inference_model': 'm'}, 'token_stats': {'n': 1}, 'results': {}}
    """
    known = {name: metadata[name] for name in _OF_A_RUN if name in metadata}
    others = {
        name: value
        for name, value in metadata.items()
        if name not in _OF_A_RUN and name not in OWN_NAMES
    }
    tables = {name: value for name, value in others.items() if isinstance(value, dict)}
    rest = {name: value for name, value in others.items() if name not in tables}
    odd = metadata.get(AS_IN_FILE, {})
    return {
        "meta_data": {**known, **rest, **odd.get("meta_data", {})},
        **tables,
        **odd.get("top", {}),
        "results": dict(results),
    }


def inside(folder: str, *parts: str) -> str:
    """The path of a JSON file below ``folder``, each part made safe for every file system.

    >>> inside("data/summaries", "a/b", "x.json")
    'data/summaries/a-b/x.json'
    """
    *folders, name = parts
    stem = name.removesuffix(".json")
    return "/".join([folder, *(_safe(part) for part in folders), f"{_safe(stem)}.json"])


def known_path(name: str, folder: str, depth: int) -> str:
    """``name``, the path of a file of a release, if it lies ``depth`` levels below ``folder``.

    Empty when it does not, or cannot be a path here. The first part of a release's path may be
    called anything.

    >>> known_path("rel/evaluation/m_summarization/f.json", "data/evaluation", 2)
    'data/evaluation/m_summarization/f.json'
    >>> known_path("data/evaluation/../f.json", "data/evaluation", 2)
    ''
    """
    parts = PurePosixPath(name).parts
    top = PurePosixPath(folder).parts[1:]
    below = parts[1 + len(top) :]
    if parts[1 : 1 + len(top)] != top or len(below) != depth:
        return ""
    if not name.endswith(".json") or not all(_SAFE.fullmatch(part) for part in below):
        return ""
    return "/".join([folder, *below])


def _safe(part: str) -> str:
    return _UNSAFE.sub("-", part).lstrip(".")[:180] or "unnamed"
