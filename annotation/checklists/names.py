"""Names of items, as data spell them. PURE."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

OUTSIDE = "not_covered"
"""The name under which public data marks text that belongs to no item."""


@lru_cache(maxsize=4096)
def normalise_name(name: str) -> str:
    """Reduce a name to what counts when two are compared: words of letters and digits.

    Case, underscores, hyphens, punctuation and outer or doubled blanks do not count, and
    compatibility forms are one (NFKC).

    >>> normalise_name("Class_Action_or_Individual_Plaintiffs_")
    'class action or individual plaintiffs'
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    kept = (c if unicodedata.category(c)[0] in "LMN" else " " for c in folded)
    return " ".join("".join(kept).split())


def is_outside(name: str) -> bool:
    """True if ``name`` marks text as outside the checklist (residual), in any spelling."""
    return normalise_name(name) == normalise_name(OUTSIDE)
