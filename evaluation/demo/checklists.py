"""Checklists by hand and the annotators' edits -> whole checklists with located evidence. PURE."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotation.errors import InvalidInput
from annotation.kinds import extraction
from annotation.kinds.extraction import Answer, ItemState, ItemValues
from annotation.kinds.spans import Span
from evaluation.demo.quotes import locate
from evaluation.demo.sources import Checklist, Edit, Quote, Value

States = dict[str, ItemState]


def build(source: Checklist, text: str, item_keys: Sequence[str], states: States) -> Answer:
    """The checklist of ``text`` with every item of ``item_keys``, in their order.

    An item without values is ``absent``, or what ``states`` says. Raises ``InvalidInput`` when a
    quote cannot be located, an item is unknown, or a state contradicts its values.
    """
    unknown = sorted((set(source.items) | set(states)) - set(item_keys))
    if unknown:
        raise InvalidInput(f"Unknown checklist items: {', '.join(unknown)}.")
    items = {
        key: ItemValues(
            state=states.get(key, ItemState.VALUES if source.items.get(key) else ItemState.ABSENT),
            values=[_value(value, text) for value in source.items.get(key, [])],
        )
        for key in item_keys
    }
    answer = Answer(items=items)
    extraction.check_answer(answer, item_keys=frozenset(item_keys), text=text)
    return answer


def edited(base: Checklist, edits: Iterable[Edit]) -> tuple[Checklist, States]:
    """``base`` with an annotator's ``edits``, and the states that they set.

    ``Edit.value`` counts in ``base``, whatever the other edits do. Raises ``InvalidInput`` when
    it points to no value, or the same value is edited twice.
    """
    items: dict[str, list[Value | None]] = {key: list(v) for key, v in base.items.items()}
    states: States = {}
    touched: set[tuple[str, int]] = set()
    for edit in edits:
        values = items.setdefault(edit.item, [])
        if edit.state is not None:
            states[edit.item] = edit.state
        elif edit.add is not None:
            values.append(edit.add)
        elif edit.value is not None:
            if edit.value >= len(base.items.get(edit.item, [])):
                raise InvalidInput(f"{edit.item}: there is no value {edit.value} to edit.")
            if (edit.item, edit.value) in touched:
                raise InvalidInput(f"{edit.item}: value {edit.value} is edited twice.")
            touched.add((edit.item, edit.value))
            values[edit.value] = _changed(base.items[edit.item][edit.value], edit)
    kept = {key: [v for v in values if v is not None] for key, values in items.items()}
    return Checklist(items=kept), states


def evidence(answer: Answer) -> list[Span]:
    """All evidence spans of a checklist."""
    return [
        span for item in answer.items.values() for value in item.values for span in value.evidence
    ]


def span_of(text: str, quote: Quote) -> Span:
    """Where ``text`` holds a quote of a content file. Raises ``InvalidInput``."""
    if isinstance(quote, str):
        return locate(text, quote)
    return locate(text, quote.quote, quote.occurrence)


def _changed(value: Value, edit: Edit) -> Value | None:
    if edit.drop:
        return None
    return Value(
        text=value.text if edit.text is None else edit.text,
        evidence=value.evidence if edit.evidence is None else edit.evidence,
    )


def _value(value: Value, text: str) -> extraction.Value:
    spans = [span_of(text, quote) for quote in value.evidence]
    return extraction.Value(
        text=value.text, evidence=sorted(spans, key=lambda span: (span.start, span.end))
    )
