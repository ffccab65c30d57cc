"""Cues: what is refused, what is found, and that no accepted cue can hang on a text."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotation.checklists import cues


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a+)+b", "open-ended"),
        ("a*b", "open-ended"),
        ("moved to .*dismiss", "open-ended"),
        ("a{3,}b", "open-ended"),
        ("(?:a{1,30}){1,30}b", "open-ended or huge|steps"),
        (r"\w{0,60}\w{0,60}\w{0,60}x", "steps at each character"),
        ("(?:a|ab|abc){1,12}d", "steps|huge"),
        ("a{6000}", "open-ended or huge"),
        (r"(a)b\1", "back-references"),
        ("(?P<x>a)(?P=x)", "back-references"),
        ("(a)?(?(1)b|c)", "back-references"),
        ("[a", "not a regular expression"),
        ("a)", "not a regular expression"),
        ("*a", "not a regular expression"),
        ("a{99999999999999999999}", "not a regular expression"),
        ("x(?i)y", "not a regular expression"),
        ("(?L)x", "not a regular expression"),
        ("(?a)(?u)x", "not a regular expression"),
        ("[[a]", "are not allowed"),
        ("a?", "matches empty text"),
        ("^", "matches empty text"),
        ("a|", "matches empty text"),
        ("x" * 301, "too long"),
    ],
)
def test_a_bad_cue_is_refused_with_the_reason(pattern: str, reason: str) -> None:
    found = cues.fault(pattern)
    assert found is not None
    assert re.search(reason, found), found


@pytest.mark.parametrize(
    "pattern",
    [
        "motion to dismiss",
        r"\bmoved (?:to|for|that)\b",
        r"\bcourt\b.{0,40}\b(?:granted|denied|dismissed|held|ruled)\b",
        r"\d{1,4} F\. ?(?:2d|3d|4th)",
        r"(?-i:[A-Z])\w{2,20}",
        r"settle(?!d down)\w{0,4}",
    ],
)
def test_a_usual_cue_is_accepted(pattern: str) -> None:
    assert cues.fault(pattern) is None


def test_steps_are_counted_as_worked_by_hand() -> None:
    def steps(pattern: str) -> int:
        return cues._sequence(cues.sre_parser.parse(pattern)).steps

    assert steps("abc") == 3
    # a, then b tried twice; after each of the three ways (no b, one, two) c is tried.
    assert steps("ab{0,2}c") == 1 + 2 + 3
    # Two misses are noticed at the first letter, and one word of three letters is read.
    assert steps("(?:abc|def)") == 2 + 3
    # Both words may start with a: both are read (Python factors out the a).
    assert steps("(?:abc|ade)") == 1 + 2 + 2


def test_places_are_code_points_of_the_text_as_it_is() -> None:
    text = "\U0001f600 The\u00a0court granted the re\u2011hearing."
    assert cues.find(["the court", "re-hearing"], text) == [(2, 11), (24, 34)]
    assert text[24:34] == "re\u2011hearing"


def test_line_breaks_and_curly_quotes_count_as_plain_ones() -> None:
    assert cues.find(["plaintiff's motion"], "The Plaintiff\u2019s\nmotion") == [(4, 22)]


def test_two_cues_at_one_place_are_one() -> None:
    assert cues.find(["trial", "tri[a]l"], "at trial") == [(3, 8)]


def test_no_cue_finds_nothing() -> None:
    assert cues.find([], "anything") == []


PIECES = st.sampled_from(
    ["a", "b", "ab", "aab", ".", "a{0,3}", "b{1,2}", "(?:a|b)", "(?:a|ab)", "(?:aa|b|ab){0,2}"]
)


class Counter:
    """A plain backtracking matcher that counts the nodes it tries, to hold the bound against."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0

    def ends(self, tree: object, start: int) -> list[int]:
        places = [start]
        for op, argument in tree:  # type: ignore[attr-defined]
            places = [end for place in places for end in self.node(str(op), argument, place)]
        return places

    def node(self, op: str, argument: object, place: int) -> list[int]:
        if op == "BRANCH":
            return [end for branch in argument[1] for end in self.ends(branch, place)]  # type: ignore[index]
        if op == "SUBPATTERN":
            return self.ends(argument[3], place)  # type: ignore[index]
        if op == "MAX_REPEAT":
            least, most, body = argument  # type: ignore[misc]
            ends, reached = [], [place]
            for times in range(most + 1):
                if times >= least:
                    ends += reached
                if times < most:
                    reached = [end for start in reached for end in self.ends(body, start)]
            return ends
        self.steps += 1
        if place >= len(self.text):
            return []
        here = self.text[place]
        if op == "LITERAL":
            return [place + 1] if here == chr(argument) else []  # type: ignore[arg-type]
        if op == "IN":
            return [place + 1] if any(here == chr(code) for _, code in argument) else []  # type: ignore[attr-defined]
        assert op == "ANY"
        return [place + 1]


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=5).map("".join), st.integers(0, 2**32))
@example("(?:aa|b|ab){0,2}(?:a|ab)a{0,3}", 1)
def test_no_text_takes_more_steps_than_the_bound(pattern: str, seed: int) -> None:
    tree = cues.sre_parser.parse(pattern)
    text = "".join(random.Random(seed).choices("ab", weights=[3, 1], k=40))
    counter = Counter(text)
    counter.ends(tree, 0)
    assert counter.steps <= cues._sequence(tree).steps


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab.*+?{}0123,()[]|\\^$-&~#x:=!<>PiIwd ", max_size=30))
def test_any_text_is_accepted_or_refused(pattern: str) -> None:
    reason = cues.fault(pattern)
    if reason is None:
        assert all(start < end for start, end in cues.find([pattern], "aab ab12 x-ab" * 3))
    else:
        assert reason.strip()
