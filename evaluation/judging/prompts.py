"""The prompts of the judges: read from ``prompts/*.md``, filled, identified by their hash. PURE.

A prompt file has two parts, each under a line of its own: ``<!-- system -->`` and
``<!-- user -->``. ``{{name}}`` is filled where the name is one of :data:`NAMES`; whatever else
stands in double braces is text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from annotation.errors import InvalidInput

SINGLE = "compare_single"
LIST = "compare_list"

NAMES = frozenset(
    {"item_label", "item_definition", "case", "summaries"}
    | {"value_a", "value_b", "list_a", "list_b", "n_a", "n_b"}
)

_FOLDER = Path(__file__).parent / "prompts"
_PARTS = re.compile(r"\s*<!-- system -->\n(?P<system>.+)\n<!-- user -->\n(?P<user>.+)", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True)
class Prompt:
    """One prompt: what the system message and the user message say, with placeholders."""

    name: str
    system: str
    user: str
    sha256: str

    @property
    def names(self) -> frozenset[str]:
        """The placeholders that this prompt fills."""
        return frozenset(_PLACEHOLDER.findall(self.system + self.user)) & NAMES

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """System and user message with ``values`` in place. What a value holds is never filled.

        Raises ``KeyError`` when a name of this prompt has no value.
        """

        def value_of(match: re.Match[str]) -> str:
            return values[match[1]] if match[1] in NAMES else match[0]

        return _PLACEHOLDER.sub(value_of, self.system), _PLACEHOLDER.sub(value_of, self.user)


@dataclass(frozen=True)
class PromptSet:
    """The prompts of one judge by name. ``sha256`` identifies the texts of all of them."""

    name: str
    prompts: Mapping[str, Prompt]

    @property
    def sha256(self) -> str:
        lines = (f"{name} {prompt.sha256}\n" for name, prompt in sorted(self.prompts.items()))
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def parse_prompt(name: str, text: str) -> Prompt:
    """Read the text of a prompt file; its hash is the SHA-256 (64 hex digits) of that text.

    Raises ``InvalidInput`` when it does not have a system part followed by a user part.
    """
    text = text.replace("\r\n", "\n")
    parts = _PARTS.fullmatch(text)
    if parts is None:
        raise InvalidInput(
            f"The prompt {name} needs the lines <!-- system --> and <!-- user -->, in this order "
            "and with text under each."
        )
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Prompt(name, parts["system"].strip(), parts["user"].strip(), digest)


@cache
def builtin_prompts() -> PromptSet:
    """The prompts that come with Gavel, for comparing values."""
    texts = {name: (_FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in (SINGLE, LIST)}
    return PromptSet("builtin", {name: parse_prompt(name, text) for name, text in texts.items()})


def prompt_hash() -> str:
    """The hash of :func:`builtin_prompts`, as it is stored with a run."""
    return builtin_prompts().sha256
