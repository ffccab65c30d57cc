"""A judge's reply to a comparison -> a clean answer, or ``ReplyError``. PURE.

The reply's own marks choose the reader: a JSON object as the prompts ask for, or, for a single
pair, the verdict alone or behind the last "Final answer:". Prose is never searched for a verdict.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from annotation.kinds.comparison import ListAnswer, Relation, Side, SingleAnswer
from evaluation.judging.json_answer import FoundObject, JsonObject, find_answers, fold_key
from evaluation.judging.matchings import PAIR_KEYS, clean_matching
from evaluation.judging.relations import clean_relation
from evaluation.judging.repairs import Reading, Repair, ReplyError, ReplyFault

__all__ = ["ReplyError", "clean_matching", "clean_relation", "read_list", "read_single"]

RELATION_KEYS = frozenset({"relation", "relationship", "verdict", "answer"})
_REASONING_KEYS = frozenset({"reasoning", "reason", "explanation"})
_FINAL_ANSWER = re.compile(r"final\s+answer\W{0,5}:", re.IGNORECASE)
_LINE_MARKUP = "*_` \t\r\n"

AnswerT = TypeVar("AnswerT")


def read_single(text: str, first: Side) -> Reading[SingleAnswer]:
    """Read the reply to a single pair. ``first`` is the side that was shown as A.

    Raises ``ReplyError``: ``empty``, ``truncated``, ``too_long``, ``no_answer`` or ``not_offered``.
    """
    found = find_answers(text, _holds_relation)
    end = found.objects[-1].end if found.objects else 0
    final_words = _final_words(found.text, end)
    try:
        if not found.objects:
            reading = _in_words(found.text if final_words is None else final_words, first)
        else:
            reading = _last_of(found.objects, lambda value: _relation_in(value, first))
            if final_words is not None:
                reading = _overruled(reading, final_words, first)
    except ReplyError as problem:
        lost = not found.objects and final_words is None
        raise ReplyError(ReplyFault.NO_ANSWER if lost else problem.reason, text) from None
    answer = SingleAnswer(relation=reading.answer)
    return Reading(answer, found.repairs + reading.repairs, reading.reasoning)


def read_list(text: str, n_a: int | None, n_b: int | None, first: Side) -> Reading[ListAnswer]:
    """Read the reply to two lists: ``n_a`` values were shown as A, ``n_b`` as B.

    A length is None where its list is lost. ``first`` is the side that was shown as A. Raises
    ``ReplyError`` like :func:`read_single`.
    """
    n_model, n_reference = (n_a, n_b) if first is Side.MODEL else (n_b, n_a)
    found = find_answers(text, _holds_matching)
    if not found.objects:
        raise ReplyError(ReplyFault.NO_ANSWER, text)
    try:
        reading = _last_of(
            found.objects, lambda value: clean_matching(value, n_model, n_reference, first)
        )
    except ReplyError as problem:
        raise ReplyError(problem.reason, text) from None
    return Reading(reading.answer, found.repairs + reading.repairs, reading.reasoning)


def matching_in(text: str) -> JsonObject | None:
    """The matching that :func:`read_list` would read in a reply, as parsed; None without one.

    Raises ``ReplyError``: ``empty``, ``truncated`` or ``too_long``.
    """
    found = find_answers(text, _holds_matching)
    return found.objects[-1].value if found.objects else None


def _holds_relation(value: JsonObject) -> bool:
    return any(
        fold_key(key) in RELATION_KEYS and not isinstance(item, dict | list)
        for key, item in value.items()
    )


def _holds_matching(value: JsonObject) -> bool:
    """Has a list of pairs, and not an object around one (``{"matches": {"common": [...]}}``)."""
    return any(
        fold_key(key) in PAIR_KEYS and not (isinstance(item, dict) and _holds_matching(item))
        for key, item in value.items()
    )


def _last_of(
    objects: Sequence[FoundObject], read: Callable[[JsonObject], Reading[AnswerT]]
) -> Reading[AnswerT]:
    """The last answer, which must be readable; others before it are counted."""
    *earlier, final = objects
    reading = read(final.value)
    repairs = final.repairs + reading.repairs
    for each in earlier:
        try:
            same = read(each.value).answer == reading.answer
        except ReplyError:
            same = False
        repairs[_repetition(same)] += 1
    return Reading(reading.answer, repairs, _reasoning(final.value))


def _repetition(same: bool) -> Repair:
    return Repair.REPEATED_ANSWER if same else Repair.CONTRADICTING_ANSWERS


def _relation_in(value: JsonObject, first: Side) -> Reading[Relation]:
    items = [item for key, item in value.items() if fold_key(key) in RELATION_KEYS]
    reading = clean_relation(items[-1], first)
    repairs = reading.repairs.copy()
    for item in items[:-1]:
        repairs[_repetition(item == items[-1])] += 1
    return Reading(reading.answer, repairs)


def _final_words(text: str, start: int) -> str | None:
    """The line behind the last "Final answer:" at or after ``start``; None if there is none."""
    marks = list(_FINAL_ANSWER.finditer(text, start))
    if not marks:
        return None
    return next(iter(text[marks[-1].end() :].strip(_LINE_MARKUP).splitlines()), "")


def _in_words(words: str, first: Side) -> Reading[Relation]:
    reading = clean_relation(words, first)
    return Reading(reading.answer, reading.repairs + Counter({Repair.BARE_VERDICT: 1}))


def _overruled(reading: Reading[Relation], words: str, first: Side) -> Reading[Relation]:
    """The verdict in words behind the JSON, if it is one: it was said last."""
    try:
        later = _in_words(words, first)
    except ReplyError:
        return reading
    repairs = reading.repairs + later.repairs
    repairs[_repetition(later.answer == reading.answer)] += 1
    return Reading(later.answer, repairs, reading.reasoning)


def _reasoning(value: JsonObject) -> str:
    texts = (
        item
        for key, item in value.items()
        if fold_key(key) in _REASONING_KEYS and isinstance(item, str)
    )
    return next(texts, "")
