"""The JSON object inside a judge's reply. PURE; shared by every kind of judge that asks for JSON.

Strict JSON first. Then every balanced object in the text, each read strictly or, if that fails,
with ``json_repair``. The caller says which objects are answers; the last one counts. An object
that never ends is a cut answer and is never completed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import json_repair

from evaluation.judging.repairs import Repair, ReplyError, ReplyFault

JsonObject = dict[str, Any]

# Far more than any answer with its reasoning; what is longer is a model that never stopped.
MAX_CHARACTERS = 400_000
# Longer pieces are not given to json_repair, whose effort grows faster than their length.
MAX_REPAIRED = 40_000
# Objects deeper than this hold no answer; Python's own limit is near a thousand.
_MAX_DEPTH = 50

_THINKING_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THINKING_START = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
# What an object looks like, as opposed to a brace in prose: a key, quoted or not, or a comment.
_OBJECT_START = re.compile(r"\{\s*(?:[\"']|[A-Za-z_]\w{0,40}\s*:|//|/\*)")
_FENCE = re.compile(r"```[A-Za-z]{0,10}")


@dataclass(frozen=True)
class FoundObject:
    """An answer object, the offset behind it, and what had to be repaired to read it."""

    value: JsonObject
    end: int
    repairs: Counter[Repair]


@dataclass(frozen=True)
class FoundAnswers:
    """All answer objects of a reply in their order, and the reply without its thinking.

    ``objects`` may be empty: the reply is complete and holds no answer object.
    """

    text: str
    objects: list[FoundObject]
    repairs: Counter[Repair]


def find_answers(text: str, is_answer: Callable[[JsonObject], bool]) -> FoundAnswers:
    """Find the objects in ``text`` for which ``is_answer`` says yes.

    ``repairs`` of the result counts thinking, fences and prose around the answers; each object
    carries its own. Raises ``ReplyError`` with ``empty``, ``truncated`` or ``too_long``.
    """
    if len(text) > MAX_CHARACTERS:
        raise ReplyError(ReplyFault.TOO_LONG, text)
    if not text.strip():
        raise ReplyError(ReplyFault.EMPTY, text)
    if (whole := _read(text)) is not None:
        value, repairs = whole
        objects = [_found(answer, value, len(text), repairs) for answer in _pick(value, is_answer)]
        return FoundAnswers(text, objects, Counter())
    body = _without_thinking(text)
    answers: list[FoundObject] = []
    spans: list[tuple[int, int]] = []
    for start, end in _object_spans(text, body):
        piece = _read(body[start:end]) or _read_repaired(body[start:end])
        if piece is not None:
            value, repairs = piece
            picked = [_found(answer, value, end, repairs) for answer in _pick(value, is_answer)]
            answers.extend(picked)
            spans.extend([(start, end)] * bool(picked))
    outside = Counter({Repair.THINKING_REMOVED: 1} if body != text else {})
    return FoundAnswers(body, answers, outside + _around(body, spans))


def fold_key(key: str) -> str:
    """``key`` in lower case with underscores: other cases and blanks meet.

    >>> fold_key("A-index "), fold_key("only in A")
    ('a_index', 'only_in_a')
    """
    return re.sub(r"[\s_-]+", "_", key.strip()).lower()


def _read(text: str) -> tuple[Any, Counter[Repair]] | None:
    """Strict JSON, or None. A key given twice with different values is counted."""
    repairs: Counter[Repair] = Counter()

    def pairs_to_object(pairs: list[tuple[str, Any]]) -> JsonObject:
        value: JsonObject = {}
        for key, item in pairs:
            if key in value and value[key] != item:
                repairs[Repair.DUPLICATE_KEY] += 1
            value.pop(key, None)  # the last of two keys is the last in order, too
            value[key] = item
        return value

    try:
        return json.loads(text, object_pairs_hook=pairs_to_object), repairs
    except (ValueError, RecursionError):
        return None


def _read_repaired(text: str) -> tuple[Any, Counter[Repair]] | None:
    if len(text) > MAX_REPAIRED:
        return None
    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError, TypeError, IndexError, KeyError, AttributeError):
        return None
    return value, Counter({Repair.MALFORMED_JSON: 1})


def _pick(value: Any, is_answer: Callable[[JsonObject], bool]) -> list[tuple[JsonObject, bool]]:
    """The outermost answers in ``value`` in their order, each with whether it is wrapped."""
    picked: list[tuple[JsonObject, bool]] = []
    waiting: list[tuple[Any, int]] = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, dict) and is_answer(item):
            picked.append((item, depth > 0))
        elif isinstance(item, dict | list) and depth < _MAX_DEPTH:
            inner = list(item.values()) if isinstance(item, dict) else item
            waiting.extend((each, depth + 1) for each in reversed(inner))
    return picked


def _found(
    picked: tuple[JsonObject, bool], whole: Any, end: int, repairs: Counter[Repair]
) -> FoundObject:
    answer, wrapped = picked
    counted = Counter(repairs)
    if wrapped:
        counted[Repair.WRAPPED_ANSWER] += 1
    return FoundObject(answer, end, counted)


def _without_thinking(text: str) -> str:
    """What stands behind the last closing think tag; an open one is a cut answer."""
    ends = list(_THINKING_END.finditer(text))
    body = text[ends[-1].end() :] if ends else text
    if _THINKING_START.match(body.lstrip()):
        raise ReplyError(ReplyFault.TRUNCATED, text)
    return body


def _object_spans(reply: str, text: str) -> Iterator[tuple[int, int]]:
    """The outermost balanced objects of ``text``; raises if one of them never ends."""
    position = 0
    while (match := _OBJECT_START.search(text, position)) is not None:
        end = _balanced_end(text, match.start())
        if end is None:
            raise ReplyError(ReplyFault.TRUNCATED, reply)
        yield match.start(), end
        position = end


_STRUCTURE = re.compile(r'\\.|["{}]', re.DOTALL)


def _balanced_end(text: str, start: int) -> int | None:
    depth = 0
    in_string = False
    for match in _STRUCTURE.finditer(text, start):
        mark = match[0]
        if mark == '"':
            in_string = not in_string
        elif not in_string and mark in "{}":
            depth += 1 if mark == "{" else -1
            if depth == 0:
                return match.end()
    return _end_without_strings(text, start)


def _end_without_strings(text: str, start: int) -> int | None:
    """The end of an object whose quotes do not pair, if it is the last thing in the text."""
    piece = text[start:].rstrip().removesuffix("```").rstrip()
    complete = piece.endswith("}") and piece.count("{") == piece.count("}")
    return start + len(piece) if complete else None


def _around(text: str, spans: list[tuple[int, int]]) -> Counter[Repair]:
    """Fences and prose outside ``spans``, which are in order; nothing if there are none."""
    repairs: Counter[Repair] = Counter()
    if not spans:
        return repairs
    borders = [0, *(border for span in spans for border in span), len(text)]
    outside = "\n".join(text[a:b] for a, b in zip(borders[::2], borders[1::2], strict=True))
    without_fences = _FENCE.sub("", outside)
    if without_fences != outside:
        repairs[Repair.CODE_FENCE] += 1
    if without_fences.strip():
        repairs[Repair.SURROUNDING_PROSE] += 1
    return repairs
