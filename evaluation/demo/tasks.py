"""One case's content files -> its tasks with every annotator's answer, checked. PURE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from annotation.errors import InvalidFile, InvalidInput
from annotation.kinds import comparison, residual, style
from annotation.kinds.extraction import Answer as Checklist
from annotation.kinds.extraction import Content as ExtractionContent
from evaluation.demo import checklists, coverage
from evaluation.demo.sources import AnswersFile, CaseFile, ChecklistsFile, Ratings, Vote
from evaluation.demo.study import REFERENCE, Kind, Payload

EVERYBODY = "all"
"""In the votes on a comparison: the annotators who are not named."""

_Given = TypeVar("_Given")


@dataclass(frozen=True, slots=True)
class CaseSources:
    """The three files of a case, and what the study says about all cases."""

    case: CaseFile
    checklists: ChecklistsFile
    answers: AnswersFile
    annotators: tuple[str, ...]
    models: tuple[str, ...]
    item_keys: tuple[str, ...]
    prepared_by: str


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """A task without times. ``typical_seconds``: what each annotator's answer usually takes."""

    kind: Kind
    case_id: str
    summary_key: str
    item_key: str
    content: Payload
    answers: dict[str, Payload]
    typical_seconds: dict[str, float]

    @property
    def key(self) -> str:
        parts = (self.case_id, self.kind, self.summary_key, self.item_key)
        return "/".join(part for part in parts if part)


@contextmanager
def in_file(path: str, place: str) -> Iterator[None]:
    """Say of an ``InvalidInput`` in which file and where: it becomes an ``InvalidFile``."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidFile(error.message, path=path, place=place) from error


def checklists_by_hand(source: CaseSources) -> dict[str, Checklist]:
    """The checklist by hand of the reference and of each model's summary, by summary key.

    Raises ``InvalidFile``.
    """
    path = f"{source.case.case_id}.checklists.json"
    given = {REFERENCE: source.checklists.reference}
    with in_file(path, "models"):
        given |= _complete(source.checklists.models, source.models)
    built = {}
    for key, checklist in given.items():
        with in_file(path, key):
            text = (source.case.reference if key == REFERENCE else source.case.models[key]).text
            built[key] = checklists.build(checklist, text, source.item_keys, {})
    return built


def extraction_task(source: CaseSources) -> TaskDraft:
    """The checklist of the reference by each annotator, started from nothing."""
    path = f"{source.case.case_id}.checklists.json"
    answers: dict[str, BaseModel] = {}
    seconds: dict[str, float] = {}
    with in_file(path, "edits"):
        edits = _complete(source.checklists.edits, source.annotators)
    for name in source.annotators:
        with in_file(path, f"edits.{name}"):
            checklist, states = checklists.edited(source.checklists.reference, edits[name])
            answer = checklists.build(
                checklist, source.case.reference.text, source.item_keys, states
            )
        answers[name] = answer
        seconds[name] = 90 + 14 * sum(len(item.values) for item in answer.items.values())
    return _draft(source, "extraction", REFERENCE, "", ExtractionContent(), answers, seconds)


def residual_task(source: CaseSources, reference: Checklist) -> TaskDraft:
    """The residual facts of the reference: what no evidence of ``reference`` covers."""
    path, given = f"{source.case.case_id}.answers.json", source.answers.residual
    text = source.case.reference.text
    with in_file(path, "residual.spans"):
        spans = [checklists.span_of(text, quote) for quote in given.spans]
        coverage.check_residual(text, checklists.evidence(reference), spans)
    content = residual.Content(spans=spans)
    answers: dict[str, BaseModel] = {}
    seconds: dict[str, float] = {}
    with in_file(path, "residual.answers"):
        facts = _complete(given.answers, source.annotators)
    for name in source.annotators:
        with in_file(path, f"residual.answers.{name}"):
            answer = residual.Answer(facts=facts[name].facts, no_fact=facts[name].no_fact)
            residual.check_answer(answer, content)
        answers[name] = answer
        seconds[name] = 20 + 16 * len(answer.facts)
    return _draft(source, "residual", REFERENCE, "", content, answers, seconds)


def comparison_tasks(source: CaseSources, by_hand: Mapping[str, Checklist]) -> list[TaskDraft]:
    """A task for every model and every item that has values in both checklists by hand."""
    path, drafts = f"{source.case.case_id}.answers.json", []
    with in_file(path, "comparison"):
        by_model = _complete(source.answers.comparison, source.models)
    for model in source.models:
        contents = _comparison_contents(source, by_hand[model], by_hand[REFERENCE], model)
        with in_file(path, f"comparison.{model}"):
            by_item = _complete(by_model[model], tuple(contents))
        for item, content in contents.items():
            with in_file(path, f"comparison.{model}.{item}"):
                votes = _complete(_spread(by_item[item], source.annotators), source.annotators)
                answers = {name: _matching(vote, content) for name, vote in votes.items()}
            values = len(content.model) + len(content.reference)
            typical = 8.0 if content.form == "single" else 6 + 4.5 * values
            seconds = dict.fromkeys(source.annotators, typical)
            drafts.append(_draft(source, "comparison", model, item, content, answers, seconds))
    return drafts


def style_tasks(source: CaseSources) -> list[TaskDraft]:
    """Each model's summary beside the reference."""
    path, drafts = f"{source.case.case_id}.answers.json", []
    with in_file(path, "style"):
        by_model = _complete(source.answers.style, source.models)
    for model in source.models:
        content = style.Content(
            model_text=source.case.models[model].text,
            reference_text=source.case.reference.text,
            model_source=model,
            reference_source=REFERENCE,
        )
        with in_file(path, f"style.{model}"):
            ratings = _complete(by_model[model], source.annotators)
            answers = {name: _rating(ratings[name]) for name in source.annotators}
        words = len(content.model_text.split()) + len(content.reference_text.split())
        seconds = dict.fromkeys(source.annotators, 30 + words / 8)
        drafts.append(_draft(source, "style", model, "", content, answers, seconds))
    return drafts


def _comparison_contents(
    source: CaseSources, model: Checklist, reference: Checklist, model_key: str
) -> dict[str, comparison.Content]:
    contents = {}
    for item in source.item_keys:
        model_values = [value.text for value in model.items[item].values]
        reference_values = [value.text for value in reference.items[item].values]
        if model_values and reference_values:
            is_single = len(model_values) == len(reference_values) == 1
            contents[item] = comparison.Content(
                form="single" if is_single else "list",
                model=model_values,
                reference=reference_values,
                model_source=f"{model_key}, checklist {source.prepared_by}",
                reference_source=f"{REFERENCE}, checklist {source.prepared_by}",
            )
    return contents


def _matching(vote: Vote, content: comparison.Content) -> BaseModel:
    answer: comparison.SingleAnswer | comparison.ListAnswer
    if isinstance(vote, comparison.Relation):
        answer = comparison.SingleAnswer(relation=vote)
    else:
        answer = comparison.settle(vote, content)
    comparison.check_answer(answer, content)
    return answer


def _rating(given: Ratings) -> BaseModel:
    if len(given.ratings) != len(style.ASPECTS):
        raise InvalidInput(f"{len(style.ASPECTS)} ratings are needed, not {len(given.ratings)}.")
    ratings = dict(zip(style.ASPECTS, given.ratings, strict=True))
    answer = style.Answer(ratings=ratings, reasons=given.reasons)
    style.check_answer(answer)
    return answer


def _spread(votes: Mapping[str, Vote], names: Sequence[str]) -> dict[str, Vote]:
    spread = dict.fromkeys(names, votes[EVERYBODY]) if EVERYBODY in votes else {}
    return spread | {name: vote for name, vote in votes.items() if name != EVERYBODY}


def _complete(given: Mapping[str, _Given], expected: Sequence[str]) -> dict[str, _Given]:
    missing = sorted(set(expected) - set(given))
    beyond = sorted(set(given) - set(expected))
    if missing:
        raise InvalidInput(f"Nothing is given for: {', '.join(missing)}.")
    if beyond:
        raise InvalidInput(f"Nobody asked about: {', '.join(beyond)}.")
    return dict(given)


def _draft(
    source: CaseSources,
    kind: Kind,
    summary_key: str,
    item_key: str,
    content: BaseModel,
    answers: Mapping[str, BaseModel],
    typical_seconds: dict[str, float],
) -> TaskDraft:
    return TaskDraft(
        kind=kind,
        case_id=source.case.case_id,
        summary_key=summary_key,
        item_key=item_key,
        content=content.model_dump(mode="json"),
        answers={name: answers[name].model_dump(mode="json") for name in source.annotators},
        typical_seconds=typical_seconds,
    )
