"""The names that a project of ours has in Label Studio. PURE.

Label Studio keeps these apart: a task has ``data`` (what is shown), ``meta`` (kept, not shown on
the labelling page), ``annotations`` and ``predictions``; these hold results, each of a control
(``from_name``) on an object (``to_name``).
"""

from __future__ import annotations

from collections.abc import Mapping

from annotation.kinds.comparison import ShownRelation

OURS = "gavel"
"""The key in ``meta`` of a task, and of a result, under which our own facts stand."""

# Objects: the texts.
TEXT, A, B = "text", "a", "b"

# Controls.
ITEM, VALUE, UNQUOTED = "item", "value", "unquoted"
ABSENT, NOT_APPLICABLE = "absent", "not_applicable"
RELATION, PAIRS, ONLY_A, ONLY_B = "relation", "pairs", "only_a", "only_b"
REASON = "reason_"

RELATION_LABELS: Mapping[ShownRelation, str] = {
    ShownRelation.EQUAL: "A and B say the same",
    ShownRelation.A_CONTAINS_B: "A says all of B and more",
    ShownRelation.B_CONTAINS_A: "B says all of A and more",
    ShownRelation.DIFFERENT: "A and B differ",
}


def pair_label(a: int, b: int) -> str:
    """The choice that matches two values, from their positions (from 0): ``A1 = B3``."""
    return f"A{a + 1} = B{b + 1}"


def region_text(quote: str) -> str:
    """A quote as Label Studio writes it: a line end is a backslash and an n."""
    return quote.replace("\n", "\\n")
