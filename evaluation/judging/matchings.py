"""A matching of two lists, as parsed from JSON -> ``ListAnswer``, repairs counted. PURE.

Two vocabularies name the sides. ``A``/``B`` speak of the order shown and are turned round by
``first``, the side that was A; ``model``/``reference`` speak of the sides themselves. Indices
arrive counted from 1 and leave counted from 0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from annotation.kinds.comparison import ListAnswer, Side
from evaluation.judging.json_answer import fold_key
from evaluation.judging.repairs import Reading, Repair, ReplyError, ReplyFault

PAIR_KEYS = frozenset({"common", "matches", "matched", "pairs"})

_SIDE_NAMES = ("a", "b", Side.MODEL.value, Side.REFERENCE.value)
_INDEX_KEYS = {
    spelling: name
    for name in _SIDE_NAMES
    for spelling in (f"{name}_index", name, f"index_{name}", f"{name}index")
}
_ONLY_KEYS = {
    spelling: name
    for name in _SIDE_NAMES
    for spelling in (f"only_in_{name}", f"only_{name}", f"{name}_only", f"onlyin{name}")
}
# The two vocabularies of the public release; our own prompts use the first.
_USUAL_KEYS = frozenset(
    {"common", "A_index", "B_index", "only_in_A", "only_in_B"}
    | {"model_index", "reference_index", "only_in_model", "only_in_reference"}
)
_INDEX_TEXT = re.compile(r"\s*-?[0-9]{1,9}\s*")
# No list is longer. It bounds what a senseless index can stand for where the length is lost.
_LONGEST_LIST = 1000


@dataclass
class _Mentions:
    """Indices as written, from 1 or 0; of each pair the indices on the model and reference side."""

    pairs: list[dict[Side, list[int]]] = field(default_factory=list)
    only: dict[Side, list[int]] = field(default_factory=lambda: {side: [] for side in Side})

    def lists_of(self, side: Side) -> Iterator[list[int]]:
        yield from (pair[side] for pair in self.pairs)
        yield self.only[side]


def clean_matching(
    value: object, n_model: int | None, n_reference: int | None, first: Side
) -> Reading[ListAnswer]:
    """Clean a matching that was parsed from JSON: an object with ``common`` and ``only_in_*``.

    ``n_model`` and ``n_reference`` are the lengths of the two lists, None where a list is lost
    (as in parts of the public release): the highest index named then stands for the length, and
    a side counted from 0 cannot be told from stray zeros. ``first`` is the side shown as A.

    In this order: indices are read, lists of them expanded (several on both sides of a pair match
    each with each), and what is no index dropped; a side whose indices are exactly 0..n-1 is moved
    up by one; any other 0, and whatever lies outside the lists, is dropped; duplicates are removed;
    a value both matched and unmatched counts as matched, one not mentioned as unmatched.

    Raises ``ReplyError``, ``no_answer``: there is no list of pairs, or nothing in it is a pair.
    """
    if not isinstance(value, dict):
        raise ReplyError(ReplyFault.NO_ANSWER, _shortened(value))
    repairs: Counter[Repair] = Counter()
    mentions = _read_mentions(value, first, repairs)
    sizes = {
        side: _settle_base(mentions, side, size, repairs)
        for side, size in ((Side.MODEL, n_model), (Side.REFERENCE, n_reference))
    }
    pairs = _clean_pairs(mentions.pairs, sizes, repairs)
    only_model = _unmatched({m for m, _ in pairs}, mentions, Side.MODEL, sizes, repairs)
    only_reference = _unmatched({r for _, r in pairs}, mentions, Side.REFERENCE, sizes, repairs)
    answer = ListAnswer(
        pairs=sorted((m - 1, r - 1) for m, r in pairs),
        only_model=only_model,
        only_reference=only_reference,
    )
    return Reading(answer, repairs)


@dataclass(frozen=True)
class Mentioned:
    """Which words a matching uses for its sides, and which indices it names on each.

    ``names`` are of ``a``, ``b``, ``model`` and ``reference``; pairs given as arrays count as
    ``a`` and ``b``. ``indices`` are as written, from 1 or 0, by the side that each would be if
    the model's had been shown as A.
    """

    names: frozenset[str]
    indices: Mapping[Side, frozenset[int]]


def mentioned_in(value: object) -> Mentioned:
    """What a matching that was parsed from JSON speaks of, before anything is cleaned.

    Raises ``ReplyError`` like :func:`clean_matching`.
    """
    if not isinstance(value, dict):
        raise ReplyError(ReplyFault.NO_ANSWER, _shortened(value))
    mentions = _read_mentions(value, Side.MODEL, Counter())
    indices = {side: frozenset(i for one in mentions.lists_of(side) for i in one) for side in Side}
    return Mentioned(frozenset(_names_in(value)), indices)


def _names_in(value: dict[object, object]) -> Iterator[str]:
    for key, item in value.items():
        folded = fold_key(str(key))
        if folded in _ONLY_KEYS:
            yield _ONLY_KEYS[folded]
        elif folded in PAIR_KEYS:
            for entry in item if isinstance(item, list) else [item]:
                if isinstance(entry, list):
                    yield from ("a", "b")
                elif isinstance(entry, dict):
                    keys = (_INDEX_KEYS.get(fold_key(str(key))) for key in entry)
                    yield from (name for name in keys if name is not None)


def _read_mentions(value: dict[object, object], first: Side, repairs: Counter[Repair]) -> _Mentions:
    mentions = _Mentions()
    has_pairs = False
    for key, item in value.items():
        folded = fold_key(str(key))
        if folded in PAIR_KEYS:
            has_pairs = True
            mentions.pairs.extend(_read_pairs(item, first, repairs))
        elif folded in _ONLY_KEYS:
            entries = item if isinstance(item, list) else [item]
            repairs.update([Repair.NO_LIST] * (not isinstance(item, list)))
            if item is not None:
                only = mentions.only[_side(_ONLY_KEYS[folded], first)]
                only.extend(i for entry in entries for i in _read_indices(entry, repairs))
        else:
            continue
        repairs.update([Repair.KEY_SPELLING] * (key not in _USUAL_KEYS))
    if not has_pairs:
        raise ReplyError(ReplyFault.NO_ANSWER, _shortened(value))
    return mentions


def _read_pairs(item: object, first: Side, repairs: Counter[Repair]) -> list[dict[Side, list[int]]]:
    if isinstance(item, dict) or item is None:
        repairs[Repair.NO_LIST] += 1
        item = [] if item is None else [item]
    if not isinstance(item, list):
        raise ReplyError(ReplyFault.NO_ANSWER, _shortened(item))
    read = [_read_pair(entry, first, repairs) for entry in item]
    pairs = [pair for pair in read if pair is not None]
    if item and not pairs:
        # To score this as "nothing matches" would be a guess.
        raise ReplyError(ReplyFault.NO_ANSWER, _shortened(item))
    return pairs


def _read_pair(
    entry: object, first: Side, repairs: Counter[Repair]
) -> dict[Side, list[int]] | None:
    raw: dict[Side, object] = {}
    if isinstance(entry, list) and len(entry) == 2:
        repairs[Repair.PAIR_AS_ARRAY] += 1
        raw = {first: entry[0], first.other: entry[1]}
    elif isinstance(entry, dict):
        for key, item in entry.items():
            name = _INDEX_KEYS.get(fold_key(str(key)))
            if name is not None:
                raw[_side(name, first)] = item
                repairs.update([Repair.KEY_SPELLING] * (key not in _USUAL_KEYS))
    if len(raw) < len(Side):
        repairs[Repair.UNREADABLE_PAIR] += 1
        return None
    return {side: _read_indices(raw[side], repairs) for side in Side}


def _side(name: str, first: Side) -> Side:
    if name in ("a", "b"):
        return first if name == "a" else first.other
    return Side(name)


def _read_indices(value: object, repairs: Counter[Repair]) -> list[int]:
    """The indices that ``value`` stands for: usually one, none if it is no index."""
    waiting: list[object] = [value]
    indices: list[int] = []
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            repairs[Repair.INDEX_LIST_EXPANDED] += 1
            waiting.extend(reversed(item))
            continue
        index, repair = _read_index(item)
        if repair is not None:
            repairs[repair] += 1
        if index is not None:
            indices.append(index)
    return indices


def _read_index(value: object) -> tuple[int | None, Repair | None]:
    repair: Repair | None = None
    if value is None:
        return None, Repair.NULL_INDEX
    if isinstance(value, bool):
        return None, Repair.BOOLEAN_INDEX
    if isinstance(value, str) and _INDEX_TEXT.fullmatch(value):
        value, repair = int(value), Repair.INDEX_AS_TEXT
    elif isinstance(value, float) and value.is_integer():
        value, repair = int(value), Repair.INDEX_AS_FRACTION
    if not isinstance(value, int):
        return None, Repair.UNREADABLE_INDEX
    return (value, repair) if value >= 0 else (None, Repair.NEGATIVE_INDEX)


def _settle_base(
    mentions: _Mentions, side: Side, size: int | None, repairs: Counter[Repair]
) -> int:
    """Bring one side to indices from 1; returns its length."""
    named = {index for indices in mentions.lists_of(side) for index in indices}
    zero_based = bool(size) and named == set(range(size or 0))
    repairs.update([Repair.ZERO_BASED_SIDE] * zero_based)
    for indices in mentions.lists_of(side):
        if zero_based:
            indices[:] = [index + 1 for index in indices]
        else:
            repairs.update([Repair.STRAY_ZERO] * indices.count(0))
            indices[:] = [index for index in indices if index]
    if size is not None:
        return size
    repairs[Repair.UNKNOWN_LENGTH] += 1
    return max((index for index in named if index <= _LONGEST_LIST), default=0)


def _clean_pairs(
    pairs: list[dict[Side, list[int]]], sizes: dict[Side, int], repairs: Counter[Repair]
) -> set[tuple[int, int]]:
    clean: set[tuple[int, int]] = set()
    for pair in pairs:
        inside = {side: {i for i in pair[side] if i <= sizes[side]} for side in Side}
        if any(i > sizes[side] for side in Side for i in pair[side]):
            repairs[Repair.PAIR_OUT_OF_RANGE] += 1
        for one in product(inside[Side.MODEL], inside[Side.REFERENCE]):
            repairs.update([Repair.DUPLICATE_PAIR] * (one in clean))
            clean.add(one)
    return clean


def _unmatched(
    matched: set[int],
    mentions: _Mentions,
    side: Side,
    sizes: dict[Side, int],
    repairs: Counter[Repair],
) -> list[int]:
    """The 0-based indices of ``side`` that are in no pair."""
    named = [index for index in mentions.only[side] if index <= sizes[side]]
    distinct = set(named)
    everything = set(range(1, sizes[side] + 1))
    repairs[Repair.ONLY_OUT_OF_RANGE] += len(mentions.only[side]) - len(named)
    repairs[Repair.DUPLICATE_ONLY] += len(named) - len(distinct)
    repairs[Repair.MATCHED_AND_ONLY] += len(distinct & matched)
    repairs[Repair.UNMENTIONED] += len(everything - matched - distinct)
    for repair in [repair for repair, count in repairs.items() if not count]:
        del repairs[repair]
    return sorted(index - 1 for index in everything - matched)


def _shortened(value: object) -> str:
    return repr(value)[:500]
