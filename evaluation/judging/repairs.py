"""What was mended in a judge's answer before it was used, and what could not be. PURE.

Every repair has a stable name, so that a run's report can count it; an answer that would need a
guess is refused with :class:`ReplyError` and recorded as not scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from annotation.errors import DomainError


class Repair(StrEnum):
    """A kind of repair. Names never change once stored; :data:`LABELS` says them to people."""

    # text -> JSON
    THINKING_REMOVED = "thinking_removed"
    CODE_FENCE = "code_fence"
    SURROUNDING_PROSE = "surrounding_prose"
    WRAPPED_ANSWER = "wrapped_answer"
    MALFORMED_JSON = "malformed_json"
    DUPLICATE_KEY = "duplicate_key"
    BARE_VERDICT = "bare_verdict"
    # the verdict
    REPEATED_ANSWER = "repeated_answer"
    CONTRADICTING_ANSWERS = "contradicting_answers"
    RELATION_SPELLING = "relation_spelling"
    # keys and shapes of a matching
    KEY_SPELLING = "key_spelling"
    NO_LIST = "no_list"
    PAIR_AS_ARRAY = "pair_as_array"
    UNREADABLE_PAIR = "unreadable_pair"
    # indices
    INDEX_LIST_EXPANDED = "index_list_expanded"
    INDEX_AS_TEXT = "index_as_text"
    INDEX_AS_FRACTION = "index_as_fraction"
    NULL_INDEX = "null_index"
    BOOLEAN_INDEX = "boolean_index"
    NEGATIVE_INDEX = "negative_index"
    UNREADABLE_INDEX = "unreadable_index"
    ZERO_BASED_SIDE = "zero_based_side"
    STRAY_ZERO = "stray_zero"
    # the matching as a whole
    PAIR_OUT_OF_RANGE = "pair_out_of_range"
    ONLY_OUT_OF_RANGE = "only_out_of_range"
    DUPLICATE_PAIR = "duplicate_pair"
    DUPLICATE_ONLY = "duplicate_only"
    MATCHED_AND_ONLY = "matched_and_only"
    UNMENTIONED = "unmentioned"
    UNKNOWN_LENGTH = "unknown_length"


LABELS: Mapping[Repair, str] = {
    Repair.THINKING_REMOVED: "reasoning between think tags was left out",
    Repair.CODE_FENCE: "the JSON stood in a code fence",
    Repair.SURROUNDING_PROSE: "other text stood around the JSON",
    Repair.WRAPPED_ANSWER: "the answer stood inside another object or list",
    Repair.MALFORMED_JSON: "the JSON had to be corrected before it could be read",
    Repair.DUPLICATE_KEY: "a key was given twice with different values; the last counts",
    Repair.BARE_VERDICT: "the verdict was given as words instead of JSON",
    Repair.REPEATED_ANSWER: "the same answer was given more than once",
    Repair.CONTRADICTING_ANSWERS: "different answers were given; the last counts",
    Repair.RELATION_SPELLING: "the relation was spelt another way",
    Repair.KEY_SPELLING: "a key was spelt another way",
    Repair.NO_LIST: "a single entry stood where a list was asked for, or null for an empty one",
    Repair.PAIR_AS_ARRAY: "a pair was given as two numbers, read as A and B",
    Repair.UNREADABLE_PAIR: "an entry among the pairs was no pair and was dropped",
    Repair.INDEX_LIST_EXPANDED: "several indices were given in place of one",
    Repair.INDEX_AS_TEXT: "an index was given as text",
    Repair.INDEX_AS_FRACTION: "an index was given as a whole number with decimals",
    Repair.NULL_INDEX: "an index was empty and was dropped",
    Repair.BOOLEAN_INDEX: "true or false stood for an index and was dropped",
    Repair.NEGATIVE_INDEX: "a negative index was dropped",
    Repair.UNREADABLE_INDEX: "something that is no index was dropped",
    Repair.ZERO_BASED_SIDE: "one side was counted from 0 and was moved up by one",
    Repair.STRAY_ZERO: "a 0 in a side counted from 1 was dropped",
    Repair.PAIR_OUT_OF_RANGE: "a pair named a value that does not exist and was dropped",
    Repair.ONLY_OUT_OF_RANGE: "an unmatched value that does not exist was dropped",
    Repair.DUPLICATE_PAIR: "a pair was given twice",
    Repair.DUPLICATE_ONLY: "an unmatched value was named twice",
    Repair.MATCHED_AND_ONLY: "a value was both matched and unmatched; it counts as matched",
    Repair.UNMENTIONED: "a value was not mentioned; it counts as unmatched",
    Repair.UNKNOWN_LENGTH: "the length of a side is not known; the highest index stands for it",
}


class ReplyFault(StrEnum):
    """Why an answer could not be read. Stable names, stored with the verdict."""

    EMPTY = "empty"
    TRUNCATED = "truncated"
    TOO_LONG = "too_long"
    NO_ANSWER = "no_answer"
    NOT_OFFERED = "not_offered"


_SENTENCES: Mapping[ReplyFault, str] = {
    ReplyFault.EMPTY: "The answer is empty.",
    ReplyFault.TRUNCATED: "The answer breaks off before its end; raise the output limit.",
    ReplyFault.TOO_LONG: "The answer is too long to be one; look at it in the run's transcript.",
    ReplyFault.NO_ANSWER: "The answer does not hold what was asked for.",
    ReplyFault.NOT_OFFERED: "The answer is none of those offered.",
}


class ReplyError(DomainError):
    """An answer that cannot be read without guessing: it is not scored.

    ``reason`` is the fault, ``text`` the answer as it was given.
    """

    code = "unreadable_reply"

    def __init__(self, reason: ReplyFault, text: str) -> None:
        super().__init__(_SENTENCES[reason])
        self.reason = reason
        self.text = text


AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True)
class Reading(Generic[AnswerT]):
    """A cleaned answer, the judge's own short reasoning, and how often what was repaired."""

    answer: AnswerT
    repairs: Counter[Repair]
    reasoning: str = ""
