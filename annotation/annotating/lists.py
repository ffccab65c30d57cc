"""Two numbered lists and their matches, as the page shows them. PURE.

Rows are A1, A2, ... and B1, B2, ...; a row's number is its place in the stored list and stays with
it however the list is ordered on the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotation.kinds.comparison import Content, Side
from annotation.kinds.comparison_draft import Matching, groups
from annotation.kinds.drafts import Draft
from annotation.text.likeness import likeness_orders, suggestions

HUES = 9
_LETTERS = "CDEFGHJKLMNPQRSTUVWXYZ"  # not A and B (the sides), nor I and O (look like digits)

Pair = tuple[int, int]
Mark = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A match of a row, seen from the row: letter and hue of its group, the other row's label,
    and the act that takes the match away.
    """

    letter: str
    hue: int
    label: str
    remove: str


@dataclass(frozen=True, slots=True)
class Row:
    """One value. ``match`` is the act that matches it with the current row of the other list;
    ``order`` the numbers of the other list by likeness, when that is asked for; ``likely`` a row
    of A that may be its counterpart, with the reason, when the study suggests some. One row of
    each list is in the tab order.
    """

    side: str
    number: int
    text: str
    state: str
    counterparts: list[Counterpart]
    current: bool
    in_tab_order: bool
    match: str
    order: str
    likely: tuple[str, str] | None = None

    @property
    def label(self) -> str:
        return f"{self.side.upper()}{self.number}"

    @property
    def partners(self) -> str:
        """The numbers of its counterparts, for scripts."""
        return " ".join(counterpart.label[1:] for counterpart in self.counterparts)


@dataclass(frozen=True, slots=True)
class Column:
    """One list. ``open`` counts the rows that are not settled."""

    letter: str
    rows: list[Row]
    open: int


@dataclass(frozen=True, slots=True)
class _Lists:
    """Both lists with their matches as (place in A, place in B), and the current row."""

    values: dict[str, list[str]]
    none: dict[str, frozenset[int]]
    pairs: list[Pair]
    orders: list[list[int]] | None
    wanted: str
    likely: dict[int, tuple[int, str]]

    def state(self, letter: str, index: int) -> str:
        if any(pair[letter == "b"] == index for pair in self.pairs):
            return "matched"
        return "none" if index in self.none[letter] else "open"

    def open(self, letter: str) -> list[int]:
        rows = range(len(self.values[letter]))
        return [i for i in rows if self.state(letter, i) == "open"]

    def current(self) -> tuple[str, int]:
        """The row that ``wanted`` (``a3``) names, else the first open one, A before B."""
        letter, number = self.wanted[:1], self.wanted[1:5]
        if letter in self.values and number.isascii() and number.isdigit():
            index = int(number) - 1
            if 0 <= index < len(self.values[letter]):
                return letter, index
        for side in self.values:
            if found := self.open(side):
                return side, found[0]
        return "a", 0

    def rows(self, letter: str, current: tuple[str, int], marks: dict[Pair, Mark]) -> list[Row]:
        tab_stop = current[1] if current[0] == letter else next(iter(self.open(letter)), 0)
        rows = [
            Row(
                side=letter,
                number=i + 1,
                text=text,
                state=self.state(letter, i),
                counterparts=self._counterparts(letter, i, marks),
                current=current == (letter, i),
                in_tab_order=i == tab_stop,
                match=_match_act(letter, i, current),
                order=self._order(i) if letter == "a" else "",
                likely=self._likely(i) if letter == "b" else None,
            )
            for i, text in enumerate(self.values[letter])
        ]
        if self.orders and letter == "b" and current[0] == "a":
            return [rows[i] for i in self.orders[current[1]]]
        return rows

    def _counterparts(self, letter: str, index: int, marks: dict[Pair, Mark]) -> list[Counterpart]:
        return [
            Counterpart(*marks[a, b], f"B{b + 1}" if letter == "a" else f"A{a + 1}", _act(a, b))
            for a, b in self.pairs
            if (a if letter == "a" else b) == index
        ]

    def _likely(self, index: int) -> tuple[str, str] | None:
        """A suggestion for a row of B, as long as neither row is settled."""
        a, because = self.likely.get(index, (-1, ""))
        if a < 0 or self.state("a", a) != "open" or self.state("b", index) != "open":
            return None
        return f"A{a + 1}", because

    def _order(self, index: int) -> str:
        return " ".join(str(i + 1) for i in self.orders[index]) if self.orders else ""


def values_of(content: Content, side: Side) -> list[str]:
    """The stored values of ``side``."""
    return content.model if side is Side.MODEL else content.reference


def shown_pairs(matching: Matching, first: Side) -> list[Pair]:
    """The pairs as (place in A, place in B), in order."""
    pairs = matching.pairs
    return sorted(pairs if first is Side.MODEL else ((r, m) for m, r in pairs))


def lists_context(
    content: Content,
    first: Side,
    draft: Draft,
    *,
    wanted: str,
    many_to_many: bool,
    suggest: bool = False,
) -> dict[str, Any]:
    """What the list page needs; ``wanted`` names the row to go to (``a3``) or is empty."""
    matching = Matching.of(draft)
    values = {"a": values_of(content, first), "b": values_of(content, first.other)}
    by_likeness = bool(draft.get("by_likeness"))
    lists = _Lists(
        values=values,
        none={"a": matching.none(first), "b": matching.none(first.other)},
        pairs=shown_pairs(matching, first),
        orders=likeness_orders(values["a"], values["b"]) if by_likeness else None,
        wanted=wanted,
        likely=_likely(values["a"], values["b"]) if suggest else {},
    )
    current = lists.current()
    marks = _marks(lists.pairs)
    columns = [
        Column(letter.upper(), lists.rows(letter, current, marks), len(lists.open(letter)))
        for letter in values
    ]
    lone = [row for column in columns for row in column.rows if row.state == "none"]
    return {
        "columns": columns,
        "pairs": [
            {"letter": marks[a, b][0], "hue": marks[a, b][1], "a": a + 1, "b": b + 1,
             "remove": _act(a, b)}
            for a, b in lists.pairs
        ],
        "lone": sorted(lone, key=lambda row: (row.side, row.number)),
        "current": f"{current[0].upper()}{current[1] + 1}",
        "open_count": sum(column.open for column in columns),
        "match_count": len(lists.pairs),
        "none_count": len(lone),
        "by_likeness": by_likeness,
        "many_to_many": many_to_many,
    }  # fmt: skip


def _likely(lefts: list[str], rights: list[str]) -> dict[int, tuple[int, str]]:
    """Place in B -> the place in A suggested for it, the first where there are several."""
    found: dict[int, tuple[int, str]] = {}
    for suggestion in suggestions(lefts, rights):
        found.setdefault(suggestion.right, (suggestion.left, suggestion.because))
    return found


def _marks(pairs: list[Pair]) -> dict[Pair, Mark]:
    """The letter and the hue (1 to 9) of each pair; pairs that share a value share both.

    They follow from the group's first value in A, so that they stay while others are matched.
    """
    marks = {}
    for lefts, rights in groups(pairs):
        n = lefts[0]
        letter = _LETTERS[n % len(_LETTERS)] * (n // len(_LETTERS) + 1)
        mark = (letter, n % HUES + 1)
        marks.update({(a, b): mark for a, b in pairs if a in lefts and b in rights})
    return marks


def _act(a: int, b: int) -> str:
    return f"match {a + 1} {b + 1}"


def _match_act(letter: str, index: int, current: tuple[str, int]) -> str:
    """What the match button of a row does: match it with the current row of the other list."""
    if current[0] == letter:
        return ""
    return _act(current[1], index) if letter == "b" else _act(index, current[1])
