"""How many tokens a text has. PURE; the only file that imports tiktoken, and only when asked.

tiktoken downloads its vocabularies; Gavel must count without a network. The package ``bpe-openai``
carries the o200k_base vocabulary, and tiktoken's encoding is built from that file.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib.util
import re
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from annotation.errors import NotConfigured

if TYPE_CHECKING:
    from agent.llm.client import Message

# tiktoken's pattern needs one stack frame per white-space character of a run and gives up (in a
# way Python cannot catch as an Exception) just below a million. Longer runs are counted in pieces.
LONGEST_RUN = 500_000
TOKENS_AROUND_MESSAGE = 4

# The definition of o200k_base, as published with tiktoken: the hash of its vocabulary, its special
# tokens, and how text is split before merging.
VOCABULARY_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
SPECIAL_TOKENS = {"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018}
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_ENDING = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
SPLIT_PATTERN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_ENDING}",
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_ENDING}",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
)

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
    bpe-openai is missing or damaged.
    """
    with _loading:
        return _o200k_base()


@cache
def _o200k_base() -> EncodingCounter:
    try:
        import tiktoken
    except ImportError as problem:
        raise _not_configured("tiktoken is not installed") from problem
    encoding = tiktoken.Encoding(
        "o200k_base",
        pat_str="|".join(SPLIT_PATTERN),
        mergeable_ranks=_ranks(_vocabulary()),
        special_tokens=SPECIAL_TOKENS,
    )
    return EncodingCounter("o200k_base", encoding.encode_ordinary)


def _vocabulary() -> bytes:
    """The vocabulary file, found without importing its package, which would load three of them."""
    spec = importlib.util.find_spec("bpe_openai")
    if spec is None or not spec.submodule_search_locations:
        raise _not_configured("bpe-openai is not installed")
    path = Path(spec.submodule_search_locations[0]) / "data" / "o200k_base.tiktoken.gz"
    try:
        content = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as problem:
        raise _not_configured(f"bpe-openai's file cannot be read, {problem}") from problem
    if hashlib.sha256(content).hexdigest() != VOCABULARY_SHA256:
        raise _not_configured("bpe-openai's file is not the published one")
    return content


def _ranks(vocabulary: bytes) -> dict[bytes, int]:
    """Token -> rank, from lines of a base64 token and its rank."""
    pairs = (line.split() for line in vocabulary.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def _not_configured(problem: str) -> NotConfigured:
    return NotConfigured(
        f"Tokens cannot be counted: {problem}. Install Gavel's locked requirements, which have"
        " tiktoken and, for the o200k_base vocabulary, bpe-openai."
    )


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
