from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.kinds.comparison import ListAnswer, Relation, ShownRelation, Side
from evaluation.judging.repairs import LABELS, Repair, ReplyError, ReplyFault
from evaluation.judging.replies import read_list, read_single

MODEL, REFERENCE = Side.MODEL, Side.REFERENCE
M, R = Relation.MODEL_CONTAINS, Relation.REFERENCE_CONTAINS


def single(text: str, first: Side = MODEL) -> tuple[Relation, dict[Repair, int]]:
    reading = read_single(text, first)
    return reading.answer.relation, dict(reading.repairs)


def single_fault(text: str) -> ReplyFault:
    with pytest.raises(ReplyError) as caught:
        read_single(text, MODEL)
    assert caught.value.text == text
    return caught.value.reason


def list_fault(text: str) -> ReplyFault:
    with pytest.raises(ReplyError) as caught:
        read_list(text, 2, 2, MODEL)
    assert caught.value.text == text
    return caught.value.reason


def test_the_answer_our_prompt_asks_for() -> None:
    reading = read_single('{"reasoning": "A adds a date.", "relation": "a_contains_b"}', REFERENCE)
    assert reading.answer.relation is R
    assert reading.repairs == {}
    assert reading.reasoning == "A adds a date."


@pytest.mark.parametrize("key", ["relation", "relationship", "verdict", "answer", "Relation"])
def test_the_keys_of_a_relation(key: str) -> None:
    assert single(json.dumps({key: "A contains B"})) == (M, {})


@pytest.mark.parametrize(
    ("text", "relation", "repairs"),
    [
        # the dialect of the public release: prose, then the verdict behind a mark
        (
            "**Reasoning:**\n\nBoth name one person.\n\n**Final Answer:** B contains A",
            R,
            {"bare_verdict": 1},
        ),
        ("Final answer: A equals B.\nThat is all.", Relation.EQUAL, {"bare_verdict": 1}),
        ("different", Relation.DIFFERENT, {"bare_verdict": 1}),
        ('"A contains B"', M, {"bare_verdict": 1}),
        # the last mark counts
        ("Final answer: equal? No.\nFinal answer: A contains B", M, {"bare_verdict": 1}),
        # the last object counts
        (
            '{"relation": "equal"} On reflection: {"relation": "different"}',
            Relation.DIFFERENT,
            {"surrounding_prose": 1, "contradicting_answers": 1},
        ),
        (
            '{"relation": "equal"}\n{"relation": "equal"}',
            Relation.EQUAL,
            {"repeated_answer": 1},
        ),
        (
            '{"relation": "<one of four>"} {"relation": "equal"}',
            Relation.EQUAL,
            {"contradicting_answers": 1},
        ),
        (
            '{"relation": "equal", "verdict": "different"}',
            Relation.DIFFERENT,
            {"contradicting_answers": 1},
        ),
        (
            '{"relation": "equal"} Final answer: A contains B',
            M,
            {"surrounding_prose": 1, "bare_verdict": 1, "contradicting_answers": 1},
        ),
        # words behind the object that are no verdict change nothing
        ('{"relation": "equal"} Final answer: see above', Relation.EQUAL, {"surrounding_prose": 1}),
        ('{"answer": {"relation": "equal"}}', Relation.EQUAL, {"wrapped_answer": 1}),
        ('{"relation": "A is contained in B"}', R, {"relation_spelling": 1}),
        (
            '```json\n{"relation": "equal",}\n```',
            Relation.EQUAL,
            {"code_fence": 1, "malformed_json": 1},
        ),
    ],
)
def test_single_replies_as_judges_give_them(
    text: str, relation: Relation, repairs: dict[str, int]
) -> None:
    assert single(text) == (relation, repairs)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", ReplyFault.EMPTY),
        ("I think they are equal.", ReplyFault.NO_ANSWER),
        ("A contains B\nbut B contains A", ReplyFault.NO_ANSWER),
        ('{"note": "equal"}', ReplyFault.NO_ANSWER),
        ("[1, 2]", ReplyFault.NO_ANSWER),
        ('{"relation": "similar"}', ReplyFault.NOT_OFFERED),
        ('{"relation": null}', ReplyFault.NOT_OFFERED),
        ('{"relation": "equal"} {"relation": "similar"}', ReplyFault.NOT_OFFERED),
        ("Final answer: it depends", ReplyFault.NOT_OFFERED),
        ("Final answer:", ReplyFault.NOT_OFFERED),
        ('{"relation": "equal"', ReplyFault.TRUNCATED),
        ('{"reasoning": "A and B', ReplyFault.TRUNCATED),
    ],
)
def test_single_replies_that_cannot_be_read(text: str, fault: ReplyFault) -> None:
    assert single_fault(text) is fault


CLEAN_LIST = {
    "reasoning": "One is shared.",
    "common": [{"A_index": 1, "B_index": 2}],
    "only_in_A": [2, 3],
    "only_in_B": [1],
}


def test_a_list_reply_in_both_orders() -> None:
    text = json.dumps(CLEAN_LIST)
    assert read_list(text, 3, 2, MODEL).answer == ListAnswer(
        pairs=[(0, 1)], only_model=[1, 2], only_reference=[0]
    )
    assert read_list(text, 3, 2, REFERENCE).answer == ListAnswer(
        pairs=[(1, 0)], only_model=[0], only_reference=[1, 2]
    )
    assert read_list(text, 3, 2, MODEL).reasoning == "One is shared."
    assert read_list(text, 3, 2, MODEL).repairs == {}


def test_a_list_reply_wrapped_in_everything() -> None:
    text = (
        "**Reasoning:** the set {1, 2} is shared.\n\n**Final Answer:**\n\n```json\n"
        '{"type": "list", "matches": {"common": [{"A_index": [1, 2], "B_index": 1},],'
        ' "only_in_A": [3, 0], "only_in_B": [2]}}\n```'
    )
    reading = read_list(text, 3, 2, MODEL)
    assert reading.answer == ListAnswer(pairs=[(0, 0), (1, 0)], only_model=[2], only_reference=[1])
    assert reading.repairs == {
        Repair.CODE_FENCE: 1,
        Repair.SURROUNDING_PROSE: 1,
        Repair.MALFORMED_JSON: 1,
        Repair.WRAPPED_ANSWER: 1,
        Repair.INDEX_LIST_EXPANDED: 1,
        Repair.STRAY_ZERO: 1,
    }


def test_the_last_of_two_matchings_counts() -> None:
    other = {**CLEAN_LIST, "common": [], "only_in_A": [1, 2, 3], "only_in_B": [1, 2]}
    reading = read_list(f"{json.dumps(CLEAN_LIST)} Rather: {json.dumps(other)}", 3, 2, MODEL)
    assert reading.answer.pairs == []
    assert reading.repairs[Repair.CONTRADICTING_ANSWERS] == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (" ", ReplyFault.EMPTY),
        ("Nothing matches.", ReplyFault.NO_ANSWER),
        ("Final Answer: A equals B", ReplyFault.NO_ANSWER),
        ('{"only_in_A": [1], "only_in_B": [1]}', ReplyFault.NO_ANSWER),
        ('{"common": ["all of them"]}', ReplyFault.NO_ANSWER),
        ('{"common": [{"A_index": 1, "B_index": 1}], "only_in_A": [2', ReplyFault.TRUNCATED),
        ('```json\n{"common": [{"A_index": 1, "B_index": 1},', ReplyFault.TRUNCATED),
    ],
)
def test_list_replies_that_cannot_be_read(text: str, fault: ReplyFault) -> None:
    assert list_fault(text) is fault


@given(st.integers(0, len(json.dumps(CLEAN_LIST)) - 1))
@settings(max_examples=60, deadline=None)
def test_no_prefix_of_an_answer_is_read(length: int) -> None:
    prefix = json.dumps(CLEAN_LIST)[:length]
    assert list_fault(prefix) in (ReplyFault.TRUNCATED, ReplyFault.EMPTY, ReplyFault.NO_ANSWER)


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), max_size=6),
    st.sampled_from(["{}", "Well.\n{}", "```json\n{}\n```", "<think>{{</think>{}"]),
)
@settings(max_examples=100, deadline=None)
def test_wrapping_changes_no_answer(pairs: list[tuple[int, int]], wrapping: str) -> None:
    value: dict[str, Any] = {"common": [{"A_index": a, "B_index": b} for a, b in pairs]}
    text = wrapping.replace("{}", json.dumps(value)).replace("{{", "{")
    expected = sorted({(a - 1, b - 1) for a, b in pairs})
    assert read_list(text, 4, 3, MODEL).answer.pairs == expected


PIECES = st.sampled_from(
    [
        *(
            '{"relation":',
            '"equal"',
            "}",
            "{",
            '"',
            "Final answer:",
            "A contains B",
            "```",
            "[",
            "]",
        ),
        *("</think>", '{"common":', '{"A_index":', "1", ',"B_index":', "NaN", "null", ",", "\n"),
        "\ud800",
    ]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=14).map("".join)))
@settings(max_examples=300, deadline=None)
def test_no_text_crashes_the_readers(text: str) -> None:
    for read in (
        lambda: read_single(text, REFERENCE),
        lambda: read_list(text, 2, 3, REFERENCE),
    ):
        try:
            repairs = read().repairs
        except ReplyError:
            continue
        assert set(repairs) <= set(Repair)


def test_what_is_offered_is_read_back_for_both_orders() -> None:
    for first in Side:
        relations = {
            read_single(json.dumps({"relation": shown}), first).answer.relation
            for shown in ShownRelation
        }
        assert relations == set(Relation)


def test_every_repair_has_words_for_people() -> None:
    assert set(LABELS) == set(Repair)
    assert len(set(LABELS.values())) == len(Repair)
