from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.llm.client import ChatRequest, request_hash
from annotation.checklists.schema import Noun, Nouns
from annotation.errors import InvalidInput
from annotation.kinds.comparison import Content, Side
from evaluation.judging.requests import (
    LIST_SCHEMA,
    SINGLE_SCHEMA,
    comparison_request,
    harmless,
)

NOUNS = Nouns(
    case=Noun(one="voyage", many="voyages"),
    summary=Noun(one="logbook", many="logbooks"),
    reference=Noun(one="captain's log", many="captains' logs"),
)
SINGLE = Content(form="single", model=["May 3, 2021"], reference=["2021-05-03"])
LISTS = Content(form="list", model=["a gale", "calm"], reference=["calm"], model_source="m.json")


def ask(content: Content, first: Side = Side.MODEL, **changes: Any) -> ChatRequest:
    arguments = {
        "item_label": "Weather",
        "item_definition": "What the sky did.\n",
        "nouns": NOUNS,
        **changes,
    }
    return comparison_request(content, first, **arguments)


def user(request: ChatRequest) -> str:
    return request.messages[1].content


def test_a_single_pair_is_shown_in_the_drawn_order() -> None:
    assert "<value_A>\nMay 3, 2021\n</value_A>" in user(ask(SINGLE, Side.MODEL))
    swapped = user(ask(SINGLE, Side.REFERENCE))
    assert "<value_A>\n2021-05-03\n</value_A>" in swapped
    assert "<value_B>\nMay 3, 2021\n</value_B>" in swapped


def test_lists_are_numbered_from_1_in_the_drawn_order() -> None:
    shown = user(ask(LISTS, Side.REFERENCE))
    assert '<list_A>\n<value number="1">calm</value>\n</list_A>' in shown
    assert (
        '<list_B>\n<value number="1">a gale</value>\n<value number="2">calm</value>\n</list_B>'
    ) in shown
    assert "List A holds 1 value, list B 2 values." in shown


def test_item_and_nouns_come_from_the_template() -> None:
    request = ask(LISTS)
    assert [message.role for message in request.messages] == ["system", "user"]
    assert "Two logbooks of one and the same voyage" in request.messages[0].content
    assert "Item: Weather" in user(request)
    assert "\nWhat the sky did.\n\n<list_A>" in user(request)
    assert not re.search(r"\{\{", request.messages[0].content + user(request))


def test_nothing_says_which_side_is_which() -> None:
    said = " ".join(message.content for message in ask(LISTS).messages)
    assert "m.json" not in said
    assert "captain" not in said
    system = [ask(LISTS, side).messages[0].content for side in Side]
    assert system[0] == system[1]


def test_parameters_of_the_judge_become_fields_or_are_passed_on() -> None:
    params = {"temperature": 0, "seed": 7, "max_output_tokens": 500, "top_p": 0.9}
    request = ask(SINGLE, params=params)
    assert (request.temperature, request.seed, request.max_output_tokens) == (0, 7, 500)
    assert request.params == {"top_p": 0.9}
    bare = ask(SINGLE, params={"temperature": None})
    assert (bare.temperature, bare.seed, bare.max_output_tokens, bare.params) == (
        None,
        None,
        None,
        {},
    )


@pytest.mark.parametrize(
    "params", [{"temperature": "hot"}, {"seed": True}, {"max_output_tokens": 1.5}, {"model": "x"}]
)
def test_senseless_parameters_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(params))):
        ask(SINGLE, params=params)


def test_schemas_stay_in_the_subset_of_strict_modes() -> None:
    assert ask(SINGLE).json_schema == SINGLE_SCHEMA
    assert ask(LISTS).json_schema == LIST_SCHEMA
    waiting: list[Any] = [SINGLE_SCHEMA, LIST_SCHEMA]
    while waiting:
        schema = waiting.pop()
        assert set(schema) <= {
            *("type", "properties", "required", "additionalProperties", "items", "enum"),
        }
        if schema["type"] == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
            waiting.extend(schema["properties"].values())
        if schema["type"] == "array":
            waiting.append(schema["items"])
    assert next(iter(SINGLE_SCHEMA["properties"])) == "reasoning"
    assert next(iter(LIST_SCHEMA["properties"])) == "reasoning"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x</value_A>y", "x‹/value_A>y"),
        ('<value number="9">', '‹value number="9">'),
        ("< / LIST_b >", "‹ / LIST_b >"),
        ("<\u200b/list_A>", "‹\u200b/list_A>"),
        ("\uff1c/value>", "‹/value>"),
        ("<<value>/value>", "<‹value>/value>"),
        ("<|im_end|>", "‹|im_end|>"),
        ("a < b, <b>bold</b>, <valued>", "a < b, <b>bold</b>, <valued>"),
        ("nul\0 and \ud800", "nul\ufffd and \ufffd"),
    ],
)
def test_our_marks_are_made_harmless_in_data(text: str, expected: str) -> None:
    assert harmless(text) == expected
    assert harmless(expected) == expected


ATTACKS = st.lists(
    st.sampled_from(
        ["<", "/", "value", "_A", "list", ">", " ", "‹", "<|", "\u200b", "x", "{{list_b}}"]
    ),
    max_size=10,
).map("".join)


@given(ATTACKS)
def test_no_value_can_close_its_own_tag(text: str) -> None:
    shown = user(ask(Content(form="list", model=[text], reference=["y"])))
    tags = re.findall(r"<\s*/?\s*(?:value|list)(?:_[AB])?\b", shown)
    assert tags == [
        "<list_A",
        "<value",
        "</value",
        "</list_A",
        "<list_B",
        "<value",
        "</value",
        "</list_B",
    ]


def test_the_same_question_has_the_same_hash() -> None:
    assert request_hash(ask(LISTS)) == request_hash(ask(LISTS))
    assert request_hash(ask(LISTS)) != request_hash(ask(LISTS, Side.REFERENCE))
