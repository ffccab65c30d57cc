"""Extraction tasks in the shape of the paragraph tool: a list of paragraphs a summary. PURE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.kinds.extraction import Answer, Content, Paragraph, Seed
from annotation.kinds.spans import Span
from annotation.records.thresh_file import (
    ANNOTATION_FIELDS,
    METADATA_FIELDS,
    OWN_FIELD,
    TOOL_FIELDS,
    preview,
    touched,
)

Offsets = tuple[int, int]
Edit = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TaskParagraph:
    """A task of the study; ``stored`` is what the import kept of it (``metadata.thresh``)."""

    key: str
    case_id: str
    content: Content
    stored: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What somebody made of a paragraph. ``answer`` is None for a skipped one.

    ``said`` is what the export says of it: who, when, in which round.
    """

    answer: Answer | None
    said: Mapping[str, object]
    comment: str = ""


def paragraph_list(
    tasks: Sequence[TaskParagraph],
    text: str,
    item_names: Mapping[str, str],
    answers: Mapping[str, GivenAnswer],
) -> list[dict[str, object]]:
    """The paragraphs of one summary, as the tool has them, each with the tool's own id.

    ``tasks`` are in the order of the file, ``item_names`` are the names of items where the import
    kept none. ``answers`` are one person's, by task: their values stand in the place of the seeds.
    """
    places = [_place(task, text, len(tasks)) for task in tasks]
    bounds = {place.number: (place.start, place.end) for place in places}
    return [
        _paragraph(task, place, text, number, bounds, item_names, answers.get(task.key))
        for number, (task, place) in enumerate(zip(tasks, places, strict=True), 1)
    ]


def _place(task: TaskParagraph, text: str, count: int) -> Paragraph:
    return task.content.paragraph or Paragraph(number=0, count=count, start=0, end=len(text))


def _paragraph(
    task: TaskParagraph,
    place: Paragraph,
    text: str,
    number: int,
    bounds: Mapping[int, Offsets],
    item_names: Mapping[str, str],
    given: GivenAnswer | None,
) -> dict[str, object]:
    own = text[place.start : place.end]
    others = dict(task.stored.get("fields", {}))
    tool = {"_thresh_id": number, **task.stored.get("tool", {})}
    edits = list(_seeded(task, bounds, item_names))
    if given is not None:
        if given.answer is not None:
            edits = _answered(task.content.seeds, edits, given.answer, bounds)
        if given.comment:
            tool["comment"] = given.comment
    made: dict[str, object] = {
        "case_id": task.case_id,
        "paragraph_num": place.number,
        "total_paragraphs": place.count,
        "model": task.content.seed_source,
        "paragraph_text_preview": preview(own),
    }
    return {
        "id": task.key,
        "metadata": in_order({**made, **task.stored.get("metadata", {})}, METADATA_FIELDS),
        "source": others.pop("source", ""),
        "target": text,
        "target_paragraph": own,
        "target_paragraph_indices": [place.start, place.end],
        "edits": edits,
        **others,
        **in_order(tool, TOOL_FIELDS),
        **({OWN_FIELD: dict(given.said)} if given is not None else {}),
    }


def _seeded(
    task: TaskParagraph, bounds: Mapping[int, Offsets], item_names: Mapping[str, str]
) -> Iterator[Edit]:
    """The edits of a paragraph that nobody touched."""
    kept = task.stored.get("edits", [])
    for number, seed in enumerate(task.content.seeds):
        stored: Mapping[str, Any] = kept[number] if number < len(kept) else {}
        fields = stored.get("fields", {})
        name = stored["item_name"] if stored else item_names.get(seed.item_key, seed.item_key)
        annotation: dict[str, object] = {"explanation": seed.text}
        if name is not None:
            paragraphs = stored["spans_paragraphs"] if stored else _several(seed.evidence, bounds)
            annotation |= {"checklist_item": name, "spans_paragraphs": paragraphs}
        annotation |= fields.get("annotation", {})
        yield {
            "category": stored.get("category", seed.item_key),
            "output_idx": _pairs(seed.evidence),
            "annotation": in_order(annotation, ANNOTATION_FIELDS),
            "id": stored.get("id", number),
            **fields.get("edit", {}),
        }


def _answered(
    seeds: Sequence[Seed],
    edits: Sequence[Edit],
    answer: Answer,
    bounds: Mapping[int, Offsets],
) -> list[Edit]:
    """The edits after a person's work.

    A value that is a seed, or a seed with its text or its evidence changed, keeps the edit of the
    seed; the others are added as the tool adds them: the next id of their item, no further fields.
    """
    left: dict[int, Seed] = dict(enumerate(seeds))
    changed: dict[int, Edit] = {}
    given = [(key, v.text, v.evidence) for key, i in answer.sorted_items for v in i.values]
    for like in (_same, _same_text, _same_evidence):
        rest = []
        for value in given:
            position = next((n for n, seed in left.items() if like(seed, value)), None)
            if position is None:
                rest.append(value)
                continue
            del left[position]
            changed[position] = _edited(edits[position], value, seeds[position], bounds)
        given = rest
    done = [changed[position] for position in sorted(changed)]
    for key, text, evidence in given:
        category = next(
            (str(e["category"]) for s, e in zip(seeds, edits, strict=True) if s.item_key == key),
            key,
        )
        ids = [e["id"] for e in (*edits, *done) if e["category"] == category]
        highest = max((number for number in ids if isinstance(number, int)), default=0)
        done.append(
            {
                "category": category,
                "output_idx": _pairs(evidence),
                "annotation": {"explanation": text},
                "id": highest + 1,
            }
        )
    return done


_Value = tuple[str, str, list[Span]]


def _same(seed: Seed, value: _Value) -> bool:
    return (seed.item_key, seed.text, seed.evidence) == value


def _same_text(seed: Seed, value: _Value) -> bool:
    return (seed.item_key, seed.text) == value[:2]


def _same_evidence(seed: Seed, value: _Value) -> bool:
    return bool(value[2]) and (seed.item_key, seed.evidence) == (value[0], value[2])


def _edited(edit: Edit, value: _Value, seed: Seed, bounds: Mapping[int, Offsets]) -> Edit:
    _, text, evidence = value
    new = {**edit["annotation"], "explanation": text}
    if evidence != seed.evidence and "spans_paragraphs" in new:
        new["spans_paragraphs"] = _several(evidence, bounds)
    return {**edit, "output_idx": _pairs(evidence), "annotation": new}


def _pairs(evidence: Sequence[Span]) -> list[list[int]]:
    return [[span.start, span.end] for span in evidence]


def _several(evidence: Sequence[Span], bounds: Mapping[int, Offsets]) -> list[int] | None:
    """The numbers of the paragraphs that ``evidence`` touches, None unless it is more than one."""
    numbers = list(bounds)
    hit = [numbers[i] for i in touched([(s.start, s.end) for s in evidence], [*bounds.values()])]
    return hit if len(hit) > 1 else None


def in_order(value: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """``value`` with the keys of ``names`` first, in that order: databases may lose the order."""
    first = {name: value[name] for name in names if name in value}
    return {**first, **{name: value[name] for name in value if name not in first}}
