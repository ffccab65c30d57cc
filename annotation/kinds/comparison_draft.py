"""The working draft of a comparison, and the acts on it. PURE; said of model and reference only.

A draft of a single-value task is ``{"relation": ...}``; of lists it is ``{"pairs": [[m, r]],
"none_model": [m], "none_reference": [r]}`` with 0-based positions. Beside these stand the keys
that every kind shares: ``comment``, ``flagged``, ``flag_reason``; and ``by_likeness``, whether
the other list was ordered by likeness when the act was made. Keys that say nothing are absent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.errors import InvalidInput
from annotation.kinds.comparison import (
    Content,
    ListAnswer,
    Pair,
    Relation,
    Side,
    SingleAnswer,
    check_answer,
)
from annotation.kinds.drafts import Draft

_NONE_KEY = {Side.MODEL: "none_model", Side.REFERENCE: "none_reference"}


@dataclass(frozen=True, slots=True)
class Matching:
    """The part of a list draft that matters: pairs, and values said to have no counterpart."""

    pairs: frozenset[Pair] = frozenset()
    none_model: frozenset[int] = frozenset()
    none_reference: frozenset[int] = frozenset()

    @classmethod
    def of(cls, draft: Draft) -> Matching:
        return cls(
            frozenset((m, r) for m, r in draft.get("pairs", ())),
            frozenset(draft.get("none_model", ())),
            frozenset(draft.get("none_reference", ())),
        )

    def none(self, side: Side) -> frozenset[int]:
        return self.none_model if side is Side.MODEL else self.none_reference

    def matched(self, side: Side) -> frozenset[int]:
        return frozenset(pair[_place(side)] for pair in self.pairs)

    def settled(self, side: Side) -> frozenset[int]:
        return self.none(side) | self.matched(side)

    def into(self, draft: Draft) -> Draft:
        """``draft`` with this matching in it."""
        new = {
            "pairs": [list(pair) for pair in sorted(self.pairs)],
            "none_model": sorted(self.none_model),
            "none_reference": sorted(self.none_reference),
        }
        kept = {key: value for key, value in draft.items() if key not in new}
        return kept | {key: value for key, value in new.items() if value}


def _place(side: Side) -> int:
    return 0 if side is Side.MODEL else 1


def unsettled(draft: Draft, content: Content, side: Side) -> list[int]:
    """Positions on ``side`` that are neither matched nor said to have no counterpart."""
    settled = Matching.of(draft).settled(side)
    return [i for i in range(_size(content, side)) if i not in settled]


def _size(content: Content, side: Side) -> int:
    return len(content.model if side is Side.MODEL else content.reference)


def _require(content: Content, form: str) -> None:
    if content.form != form:
        raise InvalidInput(f"This act belongs to a {form} task; this one is a {content.form} task.")


def _require_position(content: Content, side: Side, index: int) -> None:
    if not 0 <= index < _size(content, side):
        raise InvalidInput(
            f"There is no value {index + 1} in that list: it has {_size(content, side)}."
        )


@dataclass(frozen=True, slots=True)
class Choose:
    """Say how the two values of a single-value task relate."""

    relation: Relation
    name = "choose"

    def apply(self, draft: Draft, content: Content, *, many_to_many: bool) -> Draft:
        _require(content, "single")
        return draft | {"relation": self.relation.value}


@dataclass(frozen=True, slots=True)
class Match:
    """Match two values, or take their match away when they are matched already.

    Where a value may have one counterpart only, a new match moves it.
    """

    model: int
    reference: int
    name = "match"

    def apply(self, draft: Draft, content: Content, *, many_to_many: bool) -> Draft:
        _require(content, "list")
        _require_position(content, Side.MODEL, self.model)
        _require_position(content, Side.REFERENCE, self.reference)
        old = Matching.of(draft)
        pair = (self.model, self.reference)
        if pair in old.pairs:
            return Matching(old.pairs - {pair}, old.none_model, old.none_reference).into(draft)
        kept = (
            old.pairs
            if many_to_many
            else {p for p in old.pairs if p[0] != self.model and p[1] != self.reference}
        )
        return Matching(
            frozenset(kept) | {pair},
            old.none_model - {self.model},
            old.none_reference - {self.reference},
        ).into(draft)


@dataclass(frozen=True, slots=True)
class NoCounterpart:
    """Say that a value has no counterpart (its matches go), or take that back."""

    side: Side
    index: int
    name = "no_counterpart"

    def apply(self, draft: Draft, content: Content, *, many_to_many: bool) -> Draft:
        _require(content, "list")
        _require_position(content, self.side, self.index)
        old = Matching.of(draft)
        none = {side: set(old.none(side)) for side in Side}
        none[self.side] ^= {self.index}
        pairs = frozenset(p for p in old.pairs if p[_place(self.side)] != self.index)
        return Matching(pairs, frozenset(none[Side.MODEL]), frozenset(none[Side.REFERENCE])).into(
            draft
        )


@dataclass(frozen=True, slots=True)
class RestHasNoCounterpart:
    """Say of everything still open, on both sides, that it has no counterpart."""

    name = "rest_has_no_counterpart"

    def apply(self, draft: Draft, content: Content, *, many_to_many: bool) -> Draft:
        _require(content, "list")
        old = Matching.of(draft)
        return Matching(
            old.pairs,
            old.none_model | set(unsettled(draft, content, Side.MODEL)),
            old.none_reference | set(unsettled(draft, content, Side.REFERENCE)),
        ).into(draft)


@dataclass(frozen=True, slots=True)
class OrderByLikeness:
    """Have the other list ordered by likeness to the focused value, or as it came."""

    on: bool
    name = "order_by_likeness"

    def apply(self, draft: Draft, content: Content, *, many_to_many: bool) -> Draft:
        _require(content, "list")
        kept = {key: value for key, value in draft.items() if key != "by_likeness"}
        return kept | ({"by_likeness": True} if self.on else {})


ComparisonAct = Choose | Match | NoCounterpart | RestHasNoCounterpart | OrderByLikeness


def answer_of(draft: Draft, content: Content, *, many_to_many: bool) -> SingleAnswer | ListAnswer:
    """The answer that ``draft`` amounts to.

    Raises ``InvalidInput`` with a sentence for the annotator while something is not settled.
    """
    if content.form == "single":
        if "relation" not in draft:
            raise InvalidInput("Choose one of the four answers first.")
        return SingleAnswer(relation=Relation(draft["relation"]))
    open_count = sum(len(unsettled(draft, content, side)) for side in Side)
    if open_count:
        values = "value is" if open_count == 1 else "values are"
        raise InvalidInput(
            f'{open_count} {values} not settled yet. Match each one, or say "no counterpart".'
        )
    matching = Matching.of(draft)
    answer = ListAnswer(
        pairs=sorted(matching.pairs),
        only_model=sorted(matching.none_model),
        only_reference=sorted(matching.none_reference),
    )
    check_answer(answer, content, many_to_many=many_to_many)
    return answer


def groups(pairs: Iterable[Pair]) -> list[tuple[list[int], list[int]]]:
    """Pairs that share a value belong together: ``(left positions, right positions)`` a group.

    Ordered by their smallest left position.

    >>> groups([(0, 1), (2, 1), (1, 0)])
    [([0, 2], [1]), ([1], [0])]
    """
    found: list[tuple[set[int], set[int]]] = []
    for left, right in sorted(pairs):
        touching = [g for g in found if left in g[0] or right in g[1]]
        merged = (
            {left}.union(*(g[0] for g in touching)),
            {right}.union(*(g[1] for g in touching)),
        )
        found = [g for g in found if g not in touching] + [merged]
    return sorted((sorted(lefts), sorted(rights)) for lefts, rights in found)
