"""One question to one judge: from a task to a verdict or a reason why there is none. No rows.

Each kind of task has an *asker*; comparison is the first. An asker builds the request for a task
in the drawn order and reads the reply back into the stored orientation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from agent.llm.client import ChatReply, ChatRequest
from annotation.checklists.schema import Template
from annotation.errors import InvalidInput
from annotation.kinds import comparison
from annotation.kinds.comparison import Side
from evaluation.judging import replies, requests, rules
from evaluation.judging.prompts import prompt_hash


@dataclass(frozen=True)
class Reading:
    """A verdict: the payload of an answer of the same kind, and what was mended to read it."""

    payload: dict[str, Any]
    repairs: dict[str, int] = field(default_factory=dict)
    explanation: dict[str, Any] = field(default_factory=dict)


class Asker(Protocol):
    """How tasks of one kind are put to a judge."""

    def request(self, content: object, item_key: str, first: Side) -> ChatRequest: ...
    def read(self, reply: ChatReply, content: object, first: Side) -> Reading: ...
    def by_rules(self, content: object) -> Reading: ...
    def prompt_hash(self) -> str: ...


# An imported task may be about an item that the study's template does not know.
UNDEFINED = "(The checklist has no definition of this item; go by its name.)"


class ComparisonAsker:
    """Compares the values of one item: a relation for single values, a matching for lists."""

    def __init__(self, template: Template, params: Mapping[str, Any]) -> None:
        self.template = template
        self.params = params

    def prompt_hash(self) -> str:
        return prompt_hash()

    def request(self, content: object, item_key: str, first: Side) -> ChatRequest:
        item = self.template.item_for(item_key)
        return requests.comparison_request(
            comparison.Content.model_validate(content),
            first,
            item_label=item.label if item else item_key.replace("_", " "),
            item_definition=item.definition if item else UNDEFINED,
            nouns=self.template.nouns,
            params=self.params,
        )

    def read(self, reply: ChatReply, content: object, first: Side) -> Reading:
        """Raises ``replies.ReplyError`` when no verdict can be read."""
        parsed = comparison.Content.model_validate(content)
        sides = {Side.MODEL: len(parsed.model), Side.REFERENCE: len(parsed.reference)}
        found = (
            replies.read_single(reply.text, first)
            if parsed.form == "single"
            else replies.read_list(reply.text, sides[first], sides[first.other], first)
        )
        return Reading(
            found.answer.model_dump(mode="json"),
            {str(kind): count for kind, count in found.repairs.items()},
            {"reasoning": found.reasoning} if found.reasoning else {},
        )

    def by_rules(self, content: object) -> Reading:
        answer, explanation = rules.compare(comparison.Content.model_validate(content))
        return Reading(answer.model_dump(mode="json"), {}, explanation)


_ASKERS: dict[str, Callable[[Template, Mapping[str, Any]], Asker]] = {
    "comparison": ComparisonAsker,
}


def judged_kinds() -> list[str]:
    """The kinds of task that judges can answer."""
    return sorted(_ASKERS)


def asker_for(kind: str, template: Template, params: Mapping[str, Any]) -> Asker:
    """Raises ``InvalidInput`` for a kind of task that no judge can be asked yet."""
    try:
        return _ASKERS[kind](template, params)
    except KeyError:
        raise InvalidInput(
            f"Judges cannot answer {kind} tasks; they can answer: {', '.join(sorted(_ASKERS))}."
        ) from None
