"""Seeded draws that can be repeated anywhere: no generator, no state, no order of calls. PURE."""

from __future__ import annotations

import hashlib

from annotation.kinds.comparison import Side


def draw_number(seed: int, *names: object) -> int:
    """A whole number in [0, 2**64) fixed by ``seed`` and ``names``.

    Names are joined by a character that cannot occur in a key, so that ("ab", "c") and
    ("a", "bc") differ.
    """
    text = "\x1f".join([str(seed), *(str(name) for name in names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def draw_first_side(seed: int, *names: object) -> Side:
    """Which side is shown as A: each with probability one half over the names."""
    return Side.MODEL if draw_number(seed, *names) % 2 == 0 else Side.REFERENCE
