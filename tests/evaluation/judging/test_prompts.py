from __future__ import annotations

import hashlib
import re

import pytest

from annotation.errors import InvalidInput
from evaluation.judging.prompts import (
    LIST,
    NAMES,
    SINGLE,
    builtin_prompts,
    parse_prompt,
    prompt_hash,
)

TEXT = "<!-- system -->\nCompare.\n<!-- user -->\nA: {{value_a}} {{other}} {x}\n"


def test_only_known_names_are_filled_and_values_are_never_filled_again() -> None:
    prompt = parse_prompt("made-up", TEXT)
    assert prompt.names == {"value_a"}
    assert prompt.fill({"value_a": "{{value_b}} {{other}} \\1", "other": "no"}) == (
        "Compare.",
        "A: {{value_b}} {{other}} \\1 {{other}} {x}",
    )


def test_a_missing_value_is_an_error_and_not_a_hole_in_the_prompt() -> None:
    with pytest.raises(KeyError):
        parse_prompt("made-up", TEXT).fill({})


def test_the_hash_is_that_of_the_text() -> None:
    prompt = parse_prompt("made-up", TEXT)
    assert prompt.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert parse_prompt("made-up", TEXT.replace("\n", "\r\n")).sha256 == prompt.sha256
    assert parse_prompt("made-up", TEXT + " ").sha256 != prompt.sha256


@pytest.mark.parametrize(
    "text",
    ["", "Compare.", "<!-- user -->\nA\n<!-- system -->\nB", "<!-- system -->\nA\n<!-- user -->\n"],
)
def test_a_prompt_needs_both_parts(text: str) -> None:
    with pytest.raises(InvalidInput, match="made-up"):
        parse_prompt("made-up", text)


def test_the_builtin_prompts_use_known_names_alone() -> None:
    prompts = builtin_prompts().prompts
    assert set(prompts) == {SINGLE, LIST}
    for prompt in prompts.values():
        written = re.findall(r"\{\{(.*?)\}\}", prompt.system + prompt.user)
        assert set(written) <= NAMES
        assert {"item_label", "item_definition", "case", "summaries"} <= prompt.names
    assert {"value_a", "value_b"} <= prompts[SINGLE].names
    assert {"list_a", "list_b", "n_a", "n_b"} <= prompts[LIST].names


def test_the_builtin_prompts_know_no_domain_and_no_side() -> None:
    words = (
        "legal",
        "law",
        "court",
        "medical",
        "patient",
        "disease",
        "model",
        "reference",
    )
    for prompt in builtin_prompts().prompts.values():
        said = re.findall(r"[a-z]+", (prompt.system + prompt.user).lower())
        assert not set(words) & set(said)


def test_the_hash_of_a_run_changes_with_any_prompt() -> None:
    prompts = builtin_prompts()
    assert prompt_hash() == prompts.sha256
    assert re.fullmatch("[0-9a-f]{64}", prompt_hash())
    changed = {**prompts.prompts, LIST: parse_prompt(LIST, TEXT)}
    assert type(prompts)("other", changed).sha256 != prompts.sha256
