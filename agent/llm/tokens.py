"""How many tokens a text has. PURE; the only file that imports tiktoken, and only when asked.

tiktoken downloads its vocabularies; Gavel must count without a network. The package ``bpe-openai``
carries the o200k_base vocabulary, and tiktoken's encoding is built from that file.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Protocol

from annotation.errors import NotConfigured

if TYPE_CHECKING:
    from agent.llm.client import Message

# tiktoken's pattern needs one stack frame per white-space character of a run and gives up (in a
# way Python cannot catch as an Exception) just below a million. Longer runs are counted in pieces.
LONGEST_RUN = 500_000
TOKENS_AROUND_MESSAGE = 4

_loading = threading.Lock()


class TokenCounter(Protocol):
    """Counts tokens under one vocabulary."""

    @property
    def name(self) -> str:
        """The vocabulary, as stored beside counts."""
        ...

    def count(self, text: str) -> int:
        """Tokens of ``text``; special tokens written in it count as ordinary text."""
        ...


class EncodingCounter:
    """Counts with a tokenizer's ``encode_ordinary``. Safe to share between threads."""

    def __init__(self, name: str, encode_ordinary: Callable[[str], list[int]]) -> None:
        self.name = name
        self._encode_ordinary = encode_ordinary

    def count(self, text: str) -> int:
        """Tokens of ``text``, exact unless it has a run of half a million white-space characters.

        Such runs are cut, which can add a token for each cut. Lone surrogates count as U+FFFD.
        """
        return sum(len(self._encode_ordinary(piece)) for piece in _pieces(text))


class WordCounter:
    """One token per run of non-white-space characters, for tests."""

    name = "words"

    def count(self, text: str) -> int:
        """Number of words in ``text``."""
        return len(text.split())


class RoughCounter:
    """An estimate for when no vocabulary is wanted: one token per four UTF-8 bytes, rounded up."""

    name = "bytes/4"

    def count(self, text: str) -> int:
        """A quarter of the UTF-8 length of ``text``."""
        return -(-len(text.encode("utf-8", errors="replace")) // 4)


def o200k_base() -> TokenCounter:
    """The vocabulary of GPT-4o, from the installed packages, without any network.

    Built once (a third of a second) and shared. Raises ``NotConfigured`` when tiktoken or
    bpe-openai is missing.
    """
    with _loading:
        return _o200k_base()


@cache
def _o200k_base() -> EncodingCounter:
    try:
        import tiktoken
        from bpe_openai import registry

        encoding = tiktoken.Encoding(**registry.o200k_base())
    except (ImportError, OSError, AttributeError) as problem:
        raise NotConfigured(
            "The o200k_base vocabulary cannot be loaded: it needs the packages tiktoken and"
            f" bpe-openai ({problem}). Install Gavel's locked requirements."
        ) from problem
    return EncodingCounter("o200k_base", encoding.encode_ordinary)


def count_prompt(counter: TokenCounter, messages: Iterable[Message]) -> int:
    """Tokens of a whole prompt: the contents and about four tokens around each message."""
    return sum(counter.count(message.content) + TOKENS_AROUND_MESSAGE for message in messages)


def _pieces(text: str) -> Iterator[str]:
    start = 0
    if len(text) > LONGEST_RUN:
        for run in re.finditer(r"\s+", text):
            for cut in range(run.start() + LONGEST_RUN, run.end(), LONGEST_RUN):
                yield text[start:cut]
                start = cut
    yield text[start:]
