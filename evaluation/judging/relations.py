"""The name of a relation, in a judge's words -> ``Relation``. PURE.

Two vocabularies name the sides. ``A``/``B`` speak of the order shown and are turned round by
``first``, the side that was A; ``model``/``reference`` speak of the sides themselves.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from annotation.kinds.comparison import Relation, ShownRelation, Side, orient
from evaluation.judging.repairs import Reading, Repair, ReplyError, ReplyFault

# Our prompts offer the names of ShownRelation; these are the words of the public release.
_USUAL = frozenset(
    {
        *ShownRelation,
        *("A contains B", "B contains A", "A equals B", "B equals A"),
        *("A and B are different", "B and A are different"),
        *("model contains reference", "reference contains model"),
        *("model equals reference", "reference equals model"),
        *("model and reference are different", "reference and model are different"),
    }
)
_MARKUP = " \t\r\n.*`\"'"


def clean_relation(value: object, first: Side) -> Reading[Relation]:
    """Read the name of a relation, in any spelling that :data:`_SPELLINGS` lists.

    ``first`` is the side that was shown as A. Raises ``ReplyError``: ``not_offered``.

    >>> clean_relation("A is contained in B", Side.REFERENCE).answer.value
    'model_contains_reference'
    """
    words = value.strip(_MARKUP) if isinstance(value, str) else ""
    meant = _SPELLINGS.get(" ".join(re.split(r"[\s_-]+", words)).casefold())
    if meant is None:
        raise ReplyError(ReplyFault.NOT_OFFERED, str(value))
    repairs = Counter({} if words in _USUAL else {Repair.RELATION_SPELLING: 1})
    return Reading(orient(meant, first) if isinstance(meant, ShownRelation) else meant, repairs)


def _spellings() -> dict[str, ShownRelation | Relation]:
    spelt: dict[str, ShownRelation | Relation] = {
        "equal": ShownRelation.EQUAL,
        "equals": ShownRelation.EQUAL,
        "different": ShownRelation.DIFFERENT,
    }
    shown = {"a": ShownRelation.A_CONTAINS_B, "b": ShownRelation.B_CONTAINS_A}
    own = {"model": Relation.MODEL_CONTAINS, "reference": Relation.REFERENCE_CONTAINS}
    spelt.update(_of_two(shown, ShownRelation.EQUAL, ShownRelation.DIFFERENT))
    spelt.update(_of_two(own, Relation.EQUAL, Relation.DIFFERENT))
    return spelt


def _of_two(
    contains: Mapping[str, ShownRelation] | Mapping[str, Relation],
    equal: ShownRelation | Relation,
    different: ShownRelation | Relation,
) -> dict[str, ShownRelation | Relation]:
    """Every accepted sentence about two names; ``contains`` says of each: it has the other."""
    spelt: dict[str, ShownRelation | Relation] = {}
    for one, other in (tuple(contains), tuple(reversed(tuple(contains)))):
        spelt[f"{one} contains {other}"] = contains[one]
        spelt[f"{other} is contained in {one}"] = contains[one]
        spelt[f"{other} is contained by {one}"] = contains[one]
        spelt[f"{other} contained in {one}"] = contains[one]
        spelt[f"{one} equals {other}"] = equal
        spelt[f"{one} is equal to {other}"] = equal
        spelt[f"{one} and {other} are equal"] = equal
        spelt[f"{one} and {other} are different"] = different
        spelt[f"{one} is different from {other}"] = different
    return spelt


_SPELLINGS = _spellings()
