"""An entry of the ledger of a run in a few words. PURE.

Entries come from files of others: every part may be missing or of another type.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LONGEST = 240
# What stands beside an entry anyway: its number, its time, its tool.
_BOOKKEEPING = frozenset({"timestamp", "step", "tool_name", "success"})
# In entries that do not tell arguments from results, what came of a tool.
_RESULTS = frozenset(
    {
        "matches_found",
        "document_matches",
        "tokens_read",
        "keys_updated",
        "documents_found",
        "result",
    }
)


@dataclass(frozen=True)
class StepWords:
    """What a tool was given and what came of it, shortened; empty where an entry does not say."""

    arguments: str = ""
    result: str = ""
    failed: bool = False


def step_words(content: object) -> StepWords:
    """The words for an entry of the ledger, or for what was read from an answer of the model.

    >>> step_words({"event": {"pattern": "v[.]", "matches_found": 2, "step": 4}})
    StepWords(arguments='pattern: v[.]', result='matches found: 2', failed=False)
    >>> step_words({"parsed_action": {"tool": "stop", "args": None, "reason": "All done."}})
    StepWords(arguments='reason: All done.', result='', failed=False)
    """
    whole = _mapping(content)
    action = whole.get("parsed_action")
    if isinstance(action, Mapping):
        given = _mapping(action.get("args")) or {
            name: action[name] for name in ("decision", "reason") if action.get(name)
        }
        failed = action.get("parse_failed") is True or whole.get("parse_success") is False
        return StepWords(_words(given), "", failed)
    event = _mapping(whole.get("event"))
    failed = event.get("success") is False
    if "args" in event:
        return StepWords(_of(event["args"]), _of(event.get("result")), failed)
    rest = {name: value for name, value in event.items() if name not in _BOOKKEEPING}
    results = {name: value for name, value in rest.items() if name in _RESULTS}
    given = {name: value for name, value in rest.items() if name not in _RESULTS}
    return StepWords(_words(given), _words(results), failed)


def _shortened(text: str) -> str:
    """At most ``LONGEST`` characters, an ellipsis for the rest."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _of(value: object) -> str:
    return _words(value) if isinstance(value, Mapping) else _shortened(_plain(value))


def _words(parts: Mapping[str, Any]) -> str:
    said = [
        f"{name.replace('_', ' ')}: {_plain(value)}"
        for name, value in parts.items()
        if value is not None
    ]
    return _shortened("; ".join(said))


def _plain(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
