"""Counting, without a network."""

from __future__ import annotations

import gzip
import importlib
import inspect
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.llm import tokens
from agent.llm.client import Message
from agent.llm.tokens import LONGEST_RUN, RoughCounter, WordCounter, count_prompt, o200k_base
from annotation.errors import NotConfigured


@pytest.fixture(scope="module")
def reference() -> object:
    """bpe-openai's own tokenizer, another implementation of the same vocabulary."""
    with warnings.catch_warnings():
        # bpe-openai opens its files by a deprecated function when it is imported.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

    return bpe_openai.get_encoding("o200k_base")


def test_the_encoding_is_the_published_one() -> None:
    # Definition shipped with tiktoken, read from its source: calling it would download.
    import tiktoken_ext.openai_public

    source = inspect.getsource(tiktoken_ext.openai_public.o200k_base)
    assert tokens.VOCABULARY_SHA256 in source
    for part in tokens.SPLIT_PATTERN:
        assert f'r"""{part}"""' in source


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("hello world", 2),
        # OpenAI's cookbook, "How to count tokens with tiktoken": o200k_base of three samples.
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 8),
    ],
)
def test_published_counts(text: str, count: int) -> None:
    assert o200k_base().count(text) == count


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=200)
    | st.text("ab \n\t'sZé中<|>", max_size=300)
    | st.lists(
        st.sampled_from(["Plaintiff's", " ", "  ", "\r\n", "1,234", "§", "🙂", "\u200b"])
    ).map("".join)
)
def test_two_implementations_count_alike(reference: object, text: str) -> None:
    assert o200k_base().count(text) == len(reference.encode_ordinary(text))  # type: ignore[attr-defined]


def test_special_tokens_in_a_document_are_ordinary_text() -> None:
    # <|endoftext|> as ordinary text is < | end of text | > in seven pieces, not one.
    assert o200k_base().count("<|endoftext|>") == 7
    assert o200k_base().count("<|endofprompt|>") > 1


def test_text_that_utf8_cannot_hold_is_counted_as_its_replacement() -> None:
    assert o200k_base().count("\ud800 a\x00") == o200k_base().count("\ufffd a\x00")


def test_an_endless_run_of_spaces_is_counted_in_pieces() -> None:
    # tiktoken alone panics at a million. o200k_base has a token for 128 spaces:
    # 2 * 500,000 = 2 * (3906 * 128 + 32) makes 2 * 3907 tokens, plus "end".
    assert o200k_base().count(" " * 2 * LONGEST_RUN + "end") == 2 * 3907 + 1


def test_a_long_document_without_such_runs_is_exact() -> None:
    # One token for each "word", with the space before it if any, and one for the last space.
    assert o200k_base().count("word " * 200_000) == 200_001


def test_the_encoding_is_built_once_for_all_threads() -> None:
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(o200k_base())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({id(counter) for counter in found}) == 1
    assert o200k_base().name == "o200k_base"


@pytest.fixture
def unbuilt() -> Iterator[None]:
    tokens._o200k_base.cache_clear()
    yield
    tokens._o200k_base.cache_clear()


@pytest.mark.usefixtures("unbuilt")
@pytest.mark.parametrize("package", ["tiktoken", "bpe_openai"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(NotConfigured, match=f"{package.replace('_', '-')} is not installed"):
        o200k_base()


@pytest.mark.usefixtures("unbuilt")
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot be read"),
        (b"no gzip", "cannot be read"),
        (gzip.compress(b"IQ== 0\n", mtime=0)[:-9], "cannot be read"),
        (gzip.compress(b"IQ== 0\n", mtime=0), "not the published one"),
    ],
)
def test_a_damaged_vocabulary_is_never_counted_with(
    content: bytes | None, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bpe_openai" / "data").mkdir(parents=True)
    (tmp_path / "bpe_openai" / "__init__.py").touch()
    if content is not None:
        (tmp_path / "bpe_openai" / "data" / "o200k_base.tiktoken.gz").write_bytes(content)
    monkeypatch.delitem(sys.modules, "bpe_openai", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    with pytest.raises(NotConfigured, match=problem):
        o200k_base()


def test_the_simple_counters() -> None:
    assert WordCounter().count(" two  words\n") == 2
    assert RoughCounter().count("") == 0
    assert RoughCounter().count("abcde") == 2  # 5 bytes
    assert RoughCounter().count("éé\ud800") == 2  # 2 + 2 + 1 bytes


def test_a_prompt_counts_its_messages_and_what_stands_around_them() -> None:
    messages = [Message("system", "be brief"), Message("user", "one two three")]
    assert count_prompt(WordCounter(), messages) == 2 + 4 + 3 + 4
