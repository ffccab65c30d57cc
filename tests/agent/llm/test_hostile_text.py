"""What an endpoint may send and a database may not get."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.llm.hostile_text import NotJson, clean_text, decode, parse


def test_bad_utf8_is_replaced_and_counted() -> None:
    repairs: Counter[str] = Counter()
    # One genuine U+FFFD is no repair; 0xff and the cut-off 0xe2 0x82 are one each.
    assert decode(b"\xef\xbb\xbfa\xff\xef\xbf\xbd\xe2\x82", repairs) == "a\ufffd\ufffd\ufffd"
    assert repairs == {"characters_replaced": 2}


def test_nul_and_lone_surrogates_are_replaced_everywhere() -> None:
    repairs: Counter[str] = Counter()
    value = parse(r'{"k\u0000": ["\ud800", "\ud83d\ude00", {"x": "a\u0000b"}], "n": 1}', repairs)
    assert value == {"k\ufffd": ["\ufffd", "😀", {"x": "a\ufffdb"}], "n": 1}
    assert repairs == {"characters_replaced": 3}


def test_numbers_that_are_none_become_null() -> None:
    repairs: Counter[str] = Counter()
    assert parse("[NaN, Infinity, -Infinity, 1e999, 1.5]", repairs) == [None] * 4 + [1.5]
    assert repairs == {"numbers_replaced": 4}


def test_the_key_is_removed_however_it_is_escaped() -> None:
    repairs: Counter[str] = Counter()
    text = r'{"error": "Incorrect key sk-12345678", "also": "\u0073k-12345678"}'
    value = parse(text, repairs, "sk-12345678")
    assert value == {"error": "Incorrect key [key removed]", "also": "[key removed]"}
    assert repairs == {"key_removed": 2}


def test_a_placeholder_key_is_an_ordinary_word() -> None:
    assert clean_text("none of these", Counter(), "none") == "none of these"


@pytest.mark.parametrize(
    "text", ["", "{", "<html>", "{} {}", "[" * 100_000, "9" * 5000], ids=lambda text: text[:6]
)
def test_what_is_no_json_says_so(text: str) -> None:
    with pytest.raises(NotJson):
        parse(text, Counter())


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=60, deadline=None)
@given(JSON_VALUES)
def test_whatever_was_parsed_can_be_stored(value: object) -> None:
    parsed = parse(json.dumps(value), Counter())
    stored = json.dumps(parsed, allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert b"\\u0000" not in stored
    assert json.loads(stored) == parsed


@settings(max_examples=60, deadline=None)
@given(st.binary())
def test_any_bytes_decode_to_text_that_can_be_stored(raw: bytes) -> None:
    repairs: Counter[str] = Counter()
    text = clean_text(decode(raw, repairs), repairs)
    assert "\x00" not in text
    assert text.encode("utf-8").decode("utf-8") == text
