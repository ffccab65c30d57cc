"""One cell of a file of comparisons -> what the judge said of model and reference. PURE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from annotation.kinds.comparison import (
    ListAnswer,
    Relation,
    Side,
    SingleAnswer,
    as_shown,
)
from evaluation.judging.matchings import Mentioned, clean_matching, mentioned_in
from evaluation.judging.relations import clean_relation
from evaluation.judging.repairs import LABELS, Reading, Repair, ReplyError, ReplyFault
from evaluation.judging.replies import matching_in, read_list, read_single
from evaluation.releasing.readers.orientation import (
    DOUBTS,
    Doubt,
    Lengths,
    Orientation,
    covered,
    side_shown_first,
)

RAW_REPLY = "raw_reply"
UNREADABLE = "unreadable_verdict"
LIST_ON_EMPTY = "list_verdict_on_empty_side"
SINGLE_ON_OTHER = "single_verdict_on_other_size"
REPAIR_WORDS = {
    **{repair.value: words for repair, words in LABELS.items()},
    RAW_REPLY: "the judge's whole reply stood where its verdict should",
    UNREADABLE: "it could not be read",
    LIST_ON_EMPTY: "it compares lists, and one of the two has no values",
    SINGLE_ON_OTHER: "it compares single values, and one of the two lists has none or several",
}

Answer = SingleAnswer | ListAnswer
_OWN = frozenset({"model", "reference"})
_SHOWN = frozenset({"a", "b"})


@dataclass(frozen=True, slots=True)
class CellReading:
    """What could be read in a cell.

    ``answer`` is said of model and reference, indices from 0; None when the order is unknown or the
    cell cannot be read. ``shown`` is the same of A and B (``relation``, or ``pairs``, ``only_a``
    and ``only_b``) where the cell speaks of those. ``first`` is the side shown as A where it was
    recovered. ``reason`` says in plain words why there is no answer. ``is_read`` is False when
    nothing could be read: not scored, which is not a score of zero.
    """

    is_read: bool
    orientation: Orientation
    form: Literal["", "single", "list"] = ""
    first: Side | None = None
    answer: Answer | None = None
    shown: dict[str, object] | None = None
    reason: str = ""
    repairs: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class _Words:
    """A cell before anything is known of its lists. ``read`` is given them and the side shown
    as A; ``mentioned`` is None for a relation of single values.
    """

    read: Callable[[Lengths, Side], Reading[SingleAnswer] | Reading[ListAnswer]]
    mentioned: Mentioned | None
    says_own: bool
    is_reply: bool = False

    @property
    def is_mixed(self) -> bool:
        return self.says_own and self.mentioned is not None and bool(self.mentioned.names & _SHOWN)


def read_cell(raw: object, lengths: Lengths) -> CellReading:
    """Read one cell of a file of comparisons; :mod:`orientation` has the rule for A and B.

    ``raw`` is any parsed JSON: a relation in words, a matching, or a judge's whole reply. Repairs
    are those of ``evaluation.judging`` and ``raw_reply`` (a reply where a verdict should stand),
    ``unreadable_verdict``, ``list_verdict_on_empty_side`` and ``single_verdict_on_other_size`` (the
    checklists do not have the values that the verdict is about; it is kept as it is).
    """
    try:
        words = _words(raw)
        if words.is_mixed:
            return _unread("It speaks of A and B and of model and reference at once.")
        reading = _settled(words, lengths)
    except ReplyError as problem:
        return _unread(_FAULTS[problem.reason])
    reading.repairs.update(_misfits(reading, lengths))
    reading.repairs.update({RAW_REPLY: 1} if words.is_reply else {})
    return reading


def claimed_reference_length(raw: object) -> int | None:
    """What a cell by itself says of the length of the reference list, None if nothing.

    See :mod:`orientation`; judges are only asked about lists that have values, so never 0.
    """
    try:
        words = _words(raw)
    except ReplyError:
        return None
    if words.mentioned is None:
        return 1
    is_said = words.says_own and not words.is_mixed
    return covered(words.mentioned.indices[Side.REFERENCE]) if is_said else None


_FAULTS = {
    ReplyFault.EMPTY: "It is empty.",
    ReplyFault.TRUNCATED: "It is a reply that breaks off before its end.",
    ReplyFault.TOO_LONG: "It is too long to be a verdict.",
    ReplyFault.NO_ANSWER: "It holds no verdict.",
    ReplyFault.NOT_OFFERED: "It is none of the verdicts that there are.",
}


def _unread(reason: str) -> CellReading:
    repairs = Counter({UNREADABLE: 1})
    return CellReading(False, Orientation.UNKNOWN, reason=reason, repairs=repairs)


def _words(raw: object) -> _Words:
    if isinstance(raw, str):
        try:
            clean_relation(raw, Side.MODEL)
        except ReplyError:
            return _reply(raw)
        says_own = any(name in raw.casefold() for name in _OWN)
        return _Words(lambda _, first: _single(clean_relation(raw, first)), None, says_own)
    mentioned = mentioned_in(raw)
    return _Words(
        lambda lengths, first: clean_matching(raw, lengths.model, lengths.reference, first),
        mentioned,
        says_own=bool(mentioned.names & _OWN),
    )


def _reply(text: str) -> _Words:
    matching = matching_in(text)
    if matching is None:
        relation = read_single(text, Side.MODEL).answer.relation
        same = read_single(text, Side.REFERENCE).answer.relation is relation
        # Only words about the sides themselves mean the same containment in either order.
        says_own = same and relation not in {Relation.EQUAL, Relation.DIFFERENT}
        return _Words(lambda _, first: read_single(text, first), None, says_own, is_reply=True)
    mentioned = mentioned_in(matching)

    def read(lengths: Lengths, first: Side) -> Reading[ListAnswer]:
        sizes = {Side.MODEL: lengths.model, Side.REFERENCE: lengths.reference}
        return read_list(text, sizes[first], sizes[first.other], first)

    return _Words(read, mentioned, says_own=bool(mentioned.names & _OWN), is_reply=True)


def _single(reading: Reading[Relation]) -> Reading[SingleAnswer]:
    return Reading(SingleAnswer(relation=reading.answer), reading.repairs)


def _settled(words: _Words, lengths: Lengths) -> CellReading:
    """The reading of a cell, in the order in which it was shown as far as that can be known."""
    if words.says_own:
        return _oriented(words.read(lengths, Side.MODEL), Orientation.KNOWN)
    doubt = Doubt.SINGLE
    if words.mentioned is not None:
        indices = words.mentioned.indices
        found = side_shown_first(indices[Side.MODEL], indices[Side.REFERENCE], lengths)
        if isinstance(found, Side):
            reading = words.read(lengths, found)
            said = _of_a_and_b(reading.answer, found)
            return _oriented(reading, Orientation.RECOVERED, first=found, shown=said)
        doubt = found
    same_lengths = lengths.model == lengths.reference
    blind = words.read(lengths if same_lengths else Lengths(), Side.MODEL)
    said = _of_a_and_b(blind.answer, Side.MODEL)
    one = words.read(lengths, Side.MODEL)
    if one.answer == words.read(lengths, Side.REFERENCE).answer:
        return _oriented(one, Orientation.NOT_NEEDED, shown=said)
    return CellReading(
        True,
        Orientation.UNKNOWN,
        form=blind.answer.form,
        shown=said,
        reason=DOUBTS[doubt],
        repairs=_counted(blind.repairs),
    )


def _oriented(
    reading: Reading[SingleAnswer] | Reading[ListAnswer],
    orientation: Orientation,
    *,
    first: Side | None = None,
    shown: dict[str, object] | None = None,
) -> CellReading:
    return CellReading(
        True,
        orientation,
        form=reading.answer.form,
        first=first,
        answer=reading.answer,
        shown=shown,
        repairs=_counted(reading.repairs),
    )


def _counted(repairs: Counter[Repair]) -> Counter[str]:
    """By stored name. That a length is not known is no repair of the cell: the lengths say it."""
    return Counter({r.value: n for r, n in repairs.items() if r is not Repair.UNKNOWN_LENGTH})


def _of_a_and_b(answer: Answer, first: Side) -> dict[str, object]:
    if isinstance(answer, SingleAnswer):
        return {"form": "single", "relation": as_shown(answer.relation, first).value}
    model_first = first is Side.MODEL
    return {
        "form": "list",
        "pairs": sorted([m, r] if model_first else [r, m] for m, r in answer.pairs),
        "only_a": answer.only_model if model_first else answer.only_reference,
        "only_b": answer.only_reference if model_first else answer.only_model,
    }


def _misfits(reading: CellReading, lengths: Lengths) -> Counter[str]:
    sizes = (lengths.model, lengths.reference)
    if reading.form == "list" and (0 in sizes or lengths.model_not_extracted):
        return Counter({LIST_ON_EMPTY: 1})
    other = any(size not in (None, 1) for size in sizes)
    if reading.form == "single" and (other or lengths.model_not_extracted):
        return Counter({SINGLE_ON_OTHER: 1})
    return Counter()


def counted(reading: CellReading) -> Counter[str]:
    """What a report counts of one cell, as ``found``.

    ``orientation_*`` (of what was read), ``verdicts_single``, ``verdicts_list``,
    ``verdicts_not_scored``, ``verdicts_repaired``, ``verdicts_matched_and_only``, and of lists with
    an answer those in which a value has several counterparts: ``verdicts_one_to_many`` (one of the
    model's), ``verdicts_many_to_one`` (one of the reference's), ``verdicts_many_to_many`` (both).
    """
    if not reading.is_read:
        return Counter({"verdicts_not_scored": 1})
    found = Counter({f"orientation_{reading.orientation}": 1, f"verdicts_{reading.form}": 1})
    found["verdicts_repaired"] += bool(reading.repairs)
    found["verdicts_matched_and_only"] += Repair.MATCHED_AND_ONLY in reading.repairs
    if isinstance(reading.answer, ListAnswer):
        pairs = reading.answer.pairs
        several_model = len({m for m, _ in pairs}) < len(pairs)
        several_reference = len({r for _, r in pairs}) < len(pairs)
        found["verdicts_many_to_many"] += several_model and several_reference
        found["verdicts_one_to_many"] += several_model and not several_reference
        found["verdicts_many_to_one"] += several_reference and not several_model
    return +found
