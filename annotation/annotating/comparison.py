"""The comparison task on the work page: what is shown as A and B, and what is said of them.

PURE. This is the boundary: pages speak of A, B and numbers from 1; drafts of model, reference
and positions from 0. Nothing that leaves here for a page names a side or a source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.annotating.lists import lists_context, shown_pairs, values_of
from annotation.annotating.work import Act, Shown
from annotation.errors import InvalidInput
from annotation.kinds import comparison_draft as logic
from annotation.kinds.comparison import Content, Relation, ShownRelation, Side, as_shown, orient
from annotation.kinds.drafts import Draft
from annotation.text.word_difference import word_difference

LONG_TEXT = 280  # characters; a longer single value is set smaller

CHOICES = (
    (ShownRelation.EQUAL, "Equal", "They say the same thing, whatever the wording."),
    (ShownRelation.A_CONTAINS_B, "A contains B", "A says all that B says, and more."),
    (ShownRelation.B_CONTAINS_A, "B contains A", "B says all that A says, and more."),
    (
        ShownRelation.DIFFERENT,
        "Different",
        "Each says something the other does not, or they conflict.",
    ),
)


@dataclass(frozen=True, slots=True)
class _Bound:
    """An act of the comparison logic, with the task it is done to."""

    act: logic.ComparisonAct
    content: Content
    many_to_many: bool

    @property
    def name(self) -> str:
        return self.act.name

    def apply(self, draft: Draft) -> Draft:
        return self.act.apply(draft, self.content, many_to_many=self.many_to_many)


class ComparisonWork:
    """Comparison in the shape that ``annotation.annotating.work.WorkKind`` asks for."""

    def read_acts(self, shown: Shown, fields: Mapping[str, str]) -> list[Act]:
        content, first = _content(shown), Side(shown.first_side)
        acts: list[logic.ComparisonAct] = []
        if relation := fields.get("relation", ""):
            acts.append(logic.Choose(orient(_relation(relation), first)))
        if act := fields.get("act", ""):
            acts.append(_read_act(act, first))
        return [_Bound(act, content, shown.options.many_to_many) for act in acts]

    def payload(self, shown: Shown, draft: Draft) -> dict[str, Any]:
        answer = logic.answer_of(draft, _content(shown), many_to_many=shown.options.many_to_many)
        return answer.model_dump(mode="json")

    def template_name(self, shown: Shown) -> str:
        return f"annotation/annotating/_{_content(shown).form}.html"

    def context(self, shown: Shown, draft: Draft, view: Mapping[str, str]) -> dict[str, Any]:
        if _content(shown).form == "single":
            return _single(shown, draft)
        return lists_context(
            _content(shown),
            Side(shown.first_side),
            draft,
            wanted=view.get("row", ""),
            many_to_many=shown.options.many_to_many,
            suggest=shown.options.suggestions,
        )

    def sentence(self, shown: Shown, draft: Draft) -> str:
        content, first = _content(shown), Side(shown.first_side)
        if content.form == "single":
            if "relation" not in draft:
                return "Nothing chosen yet"
            relation = as_shown(Relation(draft["relation"]), first)
            return next(label for value, label, _ in CHOICES if value is relation)
        matching = logic.Matching.of(draft)
        said = [f"A{a + 1}–B{b + 1}" for a, b in shown_pairs(matching, first)]
        said += [f"A{i + 1} none" for i in sorted(matching.none(first))]
        said += [f"B{i + 1} none" for i in sorted(matching.none(first.other))]
        return ", ".join(said) or "Nothing matched yet"


def _content(shown: Shown) -> Content:
    return Content.model_validate(shown.content)


def _relation(text: str) -> ShownRelation:
    try:
        return ShownRelation(text)
    except ValueError:
        raise InvalidInput("That is none of the four answers. Reload the page.") from None


def _read_act(text: str, first: Side) -> logic.ComparisonAct:
    """``match 3 2``: A3 with B2; ``none b 4``; ``rest``; ``likeness on``."""
    match text.split():
        case ["match", a, b]:
            indices = {first: _index(a), first.other: _index(b)}
            return logic.Match(indices[Side.MODEL], indices[Side.REFERENCE])
        case ["none", "a" | "b" as letter, number]:
            return logic.NoCounterpart(first if letter == "a" else first.other, _index(number))
        case ["rest"]:
            return logic.RestHasNoCounterpart()
        case ["likeness", "on" | "off" as state]:
            return logic.OrderByLikeness(state == "on")
        case _:
            raise InvalidInput("This page asked for something unknown. Reload it and try again.")


def _index(number: str) -> int:
    if not (number.isascii() and number.isdigit() and len(number) <= 4):
        raise InvalidInput(f"“{number[:20]}” is no number of a value.")
    return int(number) - 1


def _single(shown: Shown, draft: Draft) -> dict[str, Any]:
    content, first = _content(shown), Side(shown.first_side)
    a, b = values_of(content, first)[0], values_of(content, first.other)[0]
    pieces_a, pieces_b = word_difference(a, b)
    chosen = as_shown(Relation(draft["relation"]), first) if "relation" in draft else None
    return {
        "sides": [
            {"letter": "A", "pieces": pieces_a, "long": len(a) > LONG_TEXT},
            {"letter": "B", "pieces": pieces_b, "long": len(b) > LONG_TEXT},
        ],
        "choices": [
            {
                "digit": digit,
                "value": value.value,
                "label": label,
                "text": text,
                "checked": value is chosen,
            }
            for digit, (value, label, text) in enumerate(CHOICES, start=1)
        ],
        "chosen": chosen is not None,
        "open_count": int(chosen is None),
    }
