"""Cues: patterns that signal an item in a text, safe to run on any text. PURE.

A cue is a regular expression of Python's ``re``, searched without regard to case. Texts are
hostile and cues come from uploaded files, so a cue must be cheap by construction: before it is
accepted, an upper bound of the steps that a backtracking matcher can take from one starting
place is computed from its parse tree (``_Cost``), and a cue over ``MAX_STEPS`` is refused. So an
open-ended repeat (``*``, ``+``, ``{3,}``) is always refused, and nested or adjacent repeats are as
soon as they multiply. Searching a text of n characters then takes at most ``n * MAX_STEPS`` steps,
whatever the text.

The tree comes from the parser of ``re`` itself, although its modules have no public name: a cue is
then judged by what will run, and not by a second reading of the same syntax.
"""

from __future__ import annotations

import re
import re._constants as sre_constants  # type: ignore[import-not-found]
import re._parser as sre_parser  # type: ignore[import-not-found]
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

MAX_LENGTH = 300
MAX_STEPS = 5000
_ENDLESS = 10**9
# Python warns that these may become set operations one day; a warning is no answer to a person.
_SET_OPERATIONS = re.compile(r"\[\^?\[|--|\|\||&&|~~")

# One code point for one, so that the places found hold for the text as it is stored.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\t\n\r\v\f\u0085\u00a0\u202f\u205f\u3000", " "),
        **dict.fromkeys(map(chr, range(0x2000, 0x200B)), " "),
        **dict.fromkeys("\u2028\u2029", " "),
        **dict.fromkeys("\u2010\u2011\u2012\u2013", "-"),
        **dict.fromkeys("\u2018\u2019", "'"),
        **dict.fromkeys("\u201c\u201d", '"'),
    }
)


@lru_cache(maxsize=2048)
def fault(pattern: str) -> str | None:
    """Say why ``pattern`` cannot be a cue and what to do, or None when it can."""
    if len(pattern) > MAX_LENGTH:
        return f"the pattern is too long: use at most {MAX_LENGTH} characters"
    if _SET_OPERATIONS.search(pattern):
        return "'[[', '--', '||', '&&' and '~~' are not allowed in a pattern: escape them with '\\'"
    try:
        re.compile(pattern, re.IGNORECASE)
        tree = sre_parser.parse(pattern, re.IGNORECASE)
    except (re.error, ValueError, OverflowError, RecursionError, Warning) as error:
        return f"this is not a regular expression Python can read: {error}"
    if tree.getwidth()[0] == 0:
        return "the pattern matches empty text, that is, everywhere: make a part of it required"
    try:
        steps = _sequence(tree).steps
    except _Unsupported as error:
        return str(error)
    if steps >= _ENDLESS:
        return (
            "the pattern has an open-ended or huge repeat, which can take for ever on some texts: "
            "write an upper bound, such as {0,40} instead of *"
        )
    if steps > MAX_STEPS:
        return (
            f"the pattern can take {steps:,} steps at each character of a text, and "
            f"{MAX_STEPS:,} are allowed: use shorter repeats or split it into several cues"
        )
    return None


def find(cues: Iterable[str], text: str) -> list[tuple[int, int]]:
    """Places ``[start, end)`` in code points of ``text`` where a cue matches, in order, each once.

    White space, hyphens and quotation marks of any kind count as their plain ASCII forms. The
    cues must have been accepted by ``fault``.
    """
    plain = text.translate(_PLAIN)
    return sorted({match.span() for cue in cues for match in _compiled(cue).finditer(plain)})


@lru_cache(maxsize=2048)
def _compiled(cue: str) -> re.Pattern[str]:
    return re.compile(cue, re.IGNORECASE)


class _Unsupported(Exception):
    pass


class _Cost(NamedTuple):
    """Upper bounds for one part of a pattern, tried at one place of a text.

    ``ways``: in how many ways it can match there. ``steps``: how many nodes of the pattern are
    tried to find them all. Both stop counting at ``_ENDLESS``. ``first``: the ASCII characters (in
    lower case) with which a match must start, None when that is not known or it may be empty.
    ``miss``: how many nodes are tried where none of these stands.
    """

    ways: int
    steps: int
    first: frozenset[str] | None = None
    miss: int = 1


_ONE = _Cost(1, 1)


def _sequence(tree: Any) -> _Cost:
    """Each way through one part leads to all steps of the next."""
    ways, steps, miss = 1, 0, 0
    first: frozenset[str] | None = None
    started = False
    for op, argument in tree:
        cost = _node(str(op), argument)
        steps = min(steps + ways * cost.steps, _ENDLESS)
        ways = min(ways * cost.ways, _ENDLESS)
        if not started:
            miss += cost.miss
        if not started and str(op) != "AT":
            first, started = cost.first, True
    return _Cost(ways, steps, first, miss)


def _node(op: str, argument: Any) -> _Cost:
    match op:
        case "LITERAL":
            known = chr(argument).isascii()
            return _Cost(1, 1, frozenset(chr(argument).lower()) if known else None)
        case "NOT_LITERAL" | "ANY" | "IN" | "AT" | "FAILURE":
            return _ONE
        case "BRANCH":
            return _branches([_sequence(branch) for branch in argument[1]])
        case "SUBPATTERN":
            return _sequence(argument[3])
        case "ATOMIC_GROUP":
            return _sequence(argument)
        case "ASSERT" | "ASSERT_NOT":
            return _Cost(1, _sequence(argument[1]).steps)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeat(*argument)
        case _:
            raise _Unsupported("back-references are not allowed in a cue: spell the text out")


def _branches(branches: list[_Cost]) -> _Cost:
    """Every branch is tried, but only those that can start with the character there go on."""
    any_start = [cost for cost in branches if cost.first is None]
    starts = frozenset().union(*(cost.first for cost in branches if cost.first is not None))
    alike = [
        [*any_start, *(cost for cost in branches if cost.first and character in cost.first)]
        for character in starts
    ] or [any_start]
    miss = sum(cost.miss for cost in branches)
    ways = max(sum(cost.ways for cost in group) for group in alike)
    steps = miss + max(sum(cost.steps for cost in group) for group in alike)
    first = None if any_start else starts
    return _Cost(min(ways, _ENDLESS), min(steps, _ENDLESS), first, miss)


def _repeat(least: int, most: int, body: Any) -> _Cost:
    """The body is tried again after each of its ways, up to ``most`` times."""
    if most == sre_constants.MAXREPEAT or most > MAX_STEPS:
        return _Cost(_ENDLESS, _ENDLESS)
    cost = _sequence(body)
    ways = steps = 0
    reached = 1
    for times in range(most + 1):
        if times >= least:
            ways = min(ways + reached, _ENDLESS)
        if times < most:
            steps = min(steps + reached * cost.steps, _ENDLESS)
        reached = min(reached * cost.ways, _ENDLESS)
    return _Cost(ways, steps, cost.first if least else None, cost.miss)
