from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.judging.json_answer import (
    MAX_CHARACTERS,
    FoundAnswers,
    find_answers,
    fold_key,
)
from evaluation.judging.repairs import Repair, ReplyError, ReplyFault


def has_x(value: dict[str, Any]) -> bool:
    return "x" in value


def find(text: str) -> FoundAnswers:
    return find_answers(text, has_x)


def last(text: str) -> Any:
    return find(text).objects[-1].value


def all_repairs(text: str) -> dict[Repair, int]:
    found = find(text)
    return dict(found.repairs + found.objects[-1].repairs)


def fault(text: str) -> ReplyFault:
    with pytest.raises(ReplyError) as caught:
        find(text)
    assert caught.value.text == text
    assert caught.value.message
    return caught.value.reason


@pytest.mark.parametrize(
    ("text", "value", "repairs"),
    [
        ('{"x": 1}', {"x": 1}, {}),
        (' \n{"x": 1}\n', {"x": 1}, {}),
        ('```json\n{"x": 1}\n```', {"x": 1}, {Repair.CODE_FENCE: 1}),
        ('So: {"x": 1}', {"x": 1}, {Repair.SURROUNDING_PROSE: 1}),
        (
            'So:\n```json\n{"x": 1}\n```\nDone.',
            {"x": 1},
            {Repair.SURROUNDING_PROSE: 1, Repair.CODE_FENCE: 1},
        ),
        ('{"out": {"x": 1}}', {"x": 1}, {Repair.WRAPPED_ANSWER: 1}),
        ('[{"x": 1}]', {"x": 1}, {Repair.WRAPPED_ANSWER: 1}),
        ('{"x": 1, "x": 2}', {"x": 2}, {Repair.DUPLICATE_KEY: 1}),
        ('{"x": 1, "x": 1}', {"x": 1}, {}),
        ("{'x': 1,}", {"x": 1}, {Repair.MALFORMED_JSON: 1}),
        ("{x: 1}", {"x": 1}, {Repair.MALFORMED_JSON: 1}),
        ('{"x": 1 // one\n}', {"x": 1}, {Repair.MALFORMED_JSON: 1}),
        ('{"x": "a\nb"}', {"x": "a\nb"}, {Repair.MALFORMED_JSON: 1}),
        # a brace inside a text is no structure
        ('{"x": "}{", "y": "\\"}"}', {"x": "}{", "y": '"}'}, {}),
        # quotes that do not pair: malformed, not cut
        (
            '{"why": "a 5" pipe", "x": 1}',
            {"why": 'a 5" pipe', "x": 1},
            {Repair.MALFORMED_JSON: 1},
        ),
        # braces in prose open nothing
        (
            'The set {A, B} and \\boxed{A} {"x": 1}',
            {"x": 1},
            {Repair.SURROUNDING_PROSE: 1},
        ),
        ('<think>{"x": 0}</think>{"x": 1}', {"x": 1}, {Repair.THINKING_REMOVED: 1}),
        ('maybe {"x": 0}</think>\n{"x": 1}', {"x": 1}, {Repair.THINKING_REMOVED: 1}),
    ],
)
def test_each_rung(text: str, value: object, repairs: dict[Repair, int]) -> None:
    assert last(text) == value
    assert all_repairs(text) == repairs


def test_objects_without_the_wanted_keys_are_passed_over() -> None:
    found = find('{"note": 1} then {"x": 1} and {"x": 2} {"y": {"z": 3}}')
    assert [each.value for each in found.objects] == [{"x": 1}, {"x": 2}]


def test_no_answer_object_is_no_error_here() -> None:
    assert find("I cannot say.").objects == []
    assert find('"x"').objects == []
    assert find("x {} y").objects == []


@pytest.mark.parametrize(
    "text",
    [
        '{"x": 1',
        '{"x": "unfinished',
        'Well: {"y": [{"x": 1}, {"x": 2',
        '{"x": 1} no: {"x": 2, "why": "beca',
        '```json\n{"x": 1,\n',
        '<think>{"x": 1}',
        '{"why": "it has } in it", "x":',
    ],
)
def test_a_cut_answer_is_never_completed(text: str) -> None:
    assert fault(text) is ReplyFault.TRUNCATED


def test_empty_and_endless_replies_are_refused() -> None:
    assert fault("") is ReplyFault.EMPTY
    assert fault(" \n\t") is ReplyFault.EMPTY
    assert fault("x" * (MAX_CHARACTERS + 1)) is ReplyFault.TOO_LONG


@pytest.mark.parametrize("deep", ['{"a":' * 5000 + "1" + "}" * 5000, "[" * 5000 + "]" * 5000])
def test_deep_nesting_holds_no_answer_and_breaks_nothing(deep: str) -> None:
    assert find(deep).objects == []
    assert find(deep + ' {"x": 1}').objects[-1].value == {"x": 1}


def test_numbers_that_python_refuses_break_nothing() -> None:
    assert find('{"x": ' + "9" * 5000 + "}").objects != object()
    assert last('{"x": NaN}')["x"] != last('{"x": NaN}')["x"]


@pytest.mark.parametrize(
    ("key", "folded"), [("A_index", "a_index"), ("Only In-A ", "only_in_a"), ("", "")]
)
def test_keys_fold_to_one_spelling(key: str, folded: str) -> None:
    assert fold_key(key) == folded


PIECES = st.sampled_from(
    [
        *('{"x":', "1", "}", "{", '"', "\\", "[", "]", ",", "```json", "</think>", "<think>", "x:"),
        *("//", "null", "NaN", "1e999", "\ud800", "\0", "'", "\n", '{"x": 1}', "/*", "9" * 400),
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=14).map("".join)))
@settings(max_examples=300, deadline=None)
def test_no_text_crashes_it(text: str) -> None:
    try:
        found = find(text)
    except ReplyError:
        return
    assert all(has_x(each.value) for each in found.objects)
    assert all(0 < each.end <= len(found.text) for each in found.objects)
