"""How far long work is, told to whoever asked for it. PURE."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""``progress(done, total)``, in any unit. What it raises (``Cancelled``) goes through."""


def no_progress(done: int, total: int) -> None:
    """Nobody wants to know."""
