"""From several people's answers to the agreed one, by vote. PURE.

For judging a judge only: agreement among people is computed from the raw votes, and a person is
never compared with a majority that holds that person's own vote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import TypeVar

from evaluation.agreement.pairs import Pair

Vote = TypeVar("Vote", bound=str | int)


def majority_relation(votes: Iterable[Vote | None], *, at_least: int = 2) -> Vote | None:
    """The label that more than half of the voters chose, or None.

    ``votes``: one label a person, None where somebody gave none. The label also needs ``at_least``
    votes, so that one person alone decides only if told to (``at_least=1``). A three-way split
    has no majority.

    >>> majority_relation(["equal", "different", "equal"])
    'equal'
    >>> majority_relation(["equal", "different", "contains"]) is None
    True
    """
    counts = Counter(vote for vote in votes if vote is not None)
    if not counts:
        return None
    label, most = counts.most_common(1)[0]
    return label if most >= at_least and 2 * most > counts.total() else None


def majority_pairs(
    votes: Iterable[Iterable[Pair] | None], *, at_least: int = 2
) -> frozenset[Pair] | None:
    """The index pairs that at least ``at_least`` people matched; None when fewer people answered.

    ``votes``: per person the pairs matched (empty: nothing matches), None for no answer.

    >>> sorted(majority_pairs([{(1, 1), (2, 2)}, {(1, 1)}, {(2, 2), (2, 4)}]))
    [(1, 1), (2, 2)]
    """
    answers = [set(pairs) for pairs in votes if pairs is not None]
    if len(answers) < at_least:
        return None
    counts = Counter(pair for pairs in answers for pair in pairs)
    return frozenset(pair for pair, n in counts.items() if n >= at_least)


def median_rating(ratings: Sequence[float | None], *, at_least: int = 2) -> float | None:
    """The median of the ratings that were given; None when fewer than ``at_least`` were.

    With an even number of ratings it may fall half-way between two levels.

    >>> median_rating([4, 2, 5]), median_rating([4, 3, None])
    (4, 3.5)
    """
    given = [rating for rating in ratings if rating is not None]
    return median(given) if len(given) >= at_least else None
