"""From rows of the database to tables with named axes: who said what of which task."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import F, QuerySet

from annotation.errors import NotFound
from annotation.kinds import comparison, style
from annotation.models import (
    Answer,
    Assignment,
    Checklist,
    Evidence,
    Study,
    Summary,
    Task,
    TaskSet,
)
from annotation.text.spans import Span, covered_words, words
from evaluation.meta_evaluating.comparing import ComparisonRow, VerdictCell
from evaluation.meta_evaluating.covering import CoveredSummary
from evaluation.meta_evaluating.rating import StyleRow
from evaluation.models import JudgeRun, JudgeTask


@dataclass(frozen=True)
class AnswerCounts:
    """What was left out of the votes of a task set, and how many came in."""

    submitted: int
    skipped: int


def annotators_of(task_set: TaskSet) -> list[str]:
    """Pseudonyms of everybody with a submitted answer in the set, in order."""
    return sorted(set(_votes(task_set).values_list("pseudonym", flat=True)))


def _votes(task_set: TaskSet):  # type: ignore[no-untyped-def]  # an annotated queryset has no name
    """The current submitted answers of the first round, with ``task_id`` and ``pseudonym``."""
    return Answer.objects.filter(
        assignment__task__task_set=task_set,
        assignment__round=1,
        assignment__current=F("pk"),
        outcome=Answer.Outcome.SUBMITTED,
        assignment__annotator__memberships__study=task_set.study_id,
    ).annotate(
        task_id=F("assignment__task_id"),
        pseudonym=F("assignment__annotator__memberships__pseudonym"),
    )


def count_answers(task_set: TaskSet) -> AnswerCounts:
    """Submitted and skipped answers of the first round."""
    given = Assignment.objects.filter(task__task_set=task_set, round=1)
    return AnswerCounts(
        submitted=given.filter(current__outcome=Answer.Outcome.SUBMITTED).count(),
        skipped=given.filter(current__outcome=Answer.Outcome.SKIPPED).count(),
    )


def _tasks(task_set: TaskSet) -> Iterable[Task]:
    return task_set.tasks.select_related("case").order_by("position")


def comparison_rows(task_set: TaskSet) -> list[ComparisonRow]:
    """Every task of a comparison set with the votes on it, in task order."""
    votes: dict[int, dict[str, comparison.SingleAnswer | comparison.ListAnswer]] = {}
    for task_id, pseudonym, payload in _votes(task_set).values_list(
        "task_id", "pseudonym", "payload"
    ):
        votes.setdefault(task_id, {})[pseudonym] = comparison.parse_answer(payload)
    return [
        ComparisonRow(
            task_id=task.pk,
            position=task.position,
            case=task.case.external_id,
            item=task.item_key,
            form=task.form,
            n_model=len(task.content["model"]),
            n_reference=len(task.content["reference"]),
            votes=dict(sorted(votes.get(task.pk, {}).items())),
        )
        for task in _tasks(task_set)
    ]


def style_rows(task_set: TaskSet) -> list[StyleRow]:
    """Every pair of a style set with the ratings of it, in task order."""
    votes: dict[int, dict[str, dict[str, int]]] = {}
    for task_id, pseudonym, payload in _votes(task_set).values_list(
        "task_id", "pseudonym", "payload"
    ):
        votes.setdefault(task_id, {})[pseudonym] = style.parse_answer(payload).ratings
    return [
        StyleRow(
            task_id=task.pk,
            position=task.position,
            case=task.case.external_id,
            votes=dict(sorted(votes.get(task.pk, {}).items())),
        )
        for task in _tasks(task_set)
    ]


def verdict_cells(run: JudgeRun) -> dict[int, VerdictCell]:
    """Task key -> the verdict in the drawn order, first repeat; questions still open are absent.

    A question that was not scored is a cell without an answer, with its reason.
    """
    questions = (
        run.judge_tasks.filter(repeat=1, swapped=False)
        .exclude(status__in=(JudgeTask.Status.PENDING, JudgeTask.Status.RUNNING))
        .values_list("pk", "task_id", "verdict__payload", "error_kind")
    )
    return {
        task_id: VerdictCell(
            question_id=pk,
            answer=comparison.parse_answer(payload) if payload is not None else None,
            reason=error_kind if payload is None else "",
        )
        for pk, task_id, payload, error_kind in questions
    }


def latest_runs(task_set: TaskSet) -> list[JudgeRun]:
    """For each judge, its newest finished run on the whole set, else its newest finished run."""
    found: dict[int, JudgeRun] = {}
    runs = task_set.judge_runs.filter(status=JudgeRun.Status.DONE).select_related("judge")
    for run in runs.order_by("-pk"):
        best = found.get(run.judge_id)
        if best is None or (best.limit is not None and run.limit is None):
            found[run.judge_id] = run
    return sorted(found.values(), key=lambda run: run.judge.name)


def covered_summaries(study: Study) -> dict[str, list[CoveredSummary]]:
    """For each judge that filled checklists on summaries with a gold one: those summaries, by case.

    Keys name the judge, with its method where it has one. Only evidence that was located covers
    words. Of several gold checklists on one summary the newest counts.
    """
    golden = Checklist.objects.filter(
        case__study=study, summary__isnull=False, producer_kind=Checklist.Producer.GOLD
    )
    gold: dict[int | None, int] = {c.summary_id: c.pk for c in golden.order_by("pk")}
    texts: dict[int | None, str] = dict(golden.values_list("summary_id", "summary__text"))
    on_them = Checklist.objects.filter(case__study=study, summary__in=golden.values("summary"))
    spans, unlocated = _evidence(on_them)
    judged = on_them.filter(producer_kind=Checklist.Producer.JUDGE).select_related("case")
    started_from = set(
        Task.objects.filter(task_set__study=study, summary__in=golden.values("summary"))
        .exclude(content__seed_source="")
        .values_list("summary_id", "content__seed_source")
    )
    found: dict[str, list[CoveredSummary]] = {}
    for checklist in judged:
        in_text = words(texts[checklist.summary_id])
        found.setdefault(judge_of(checklist), []).append(
            CoveredSummary(
                case=checklist.case.external_id,
                checklist_id=checklist.pk,
                human=covered_words(in_text, spans[gold[checklist.summary_id]]),
                judge=covered_words(in_text, spans[checklist.pk]),
                unlocated=unlocated[checklist.pk],
                anchored=(checklist.summary_id, checklist.producer) in started_from,
            )
        )
    return {name: sorted(rows, key=lambda row: row.case) for name, rows in sorted(found.items())}


def judge_of(checklist: Checklist) -> str:
    """How figures name who filled ``checklist``."""
    method = f" ({checklist.method})" if checklist.method else ""
    return f"{checklist.producer}{method}"


def _evidence(
    checklists: QuerySet[Checklist],
) -> tuple[dict[int, list[Span]], Counter[int]]:
    """By checklist: the spans of its located evidence, and how many quotes were not located."""
    spans: dict[int, list[Span]] = defaultdict(list)
    unlocated: Counter[int] = Counter()
    rows = Evidence.objects.filter(value__item__checklist__in=checklists.values("pk"))
    places = rows.values_list("value__item__checklist_id", "start", "end")
    for pk, start, end in places.iterator(chunk_size=5000):
        if start is None or end is None:
            unlocated[pk] += 1
        else:
            spans[pk].append((start, end))
    return spans, unlocated


@dataclass(frozen=True)
class CoveredText:
    """A summary with the evidence of people and of a judge, spans in no order."""

    summary: Summary
    judge: str
    by_people: list[Span]
    by_judge: list[Span]


def covered_text(study: Study, pk: int) -> CoveredText:
    """The summary of a judge's checklist, with its evidence and that of the gold one.

    Raises ``NotFound`` where one of the two checklists is missing.
    """
    judged = Checklist.objects.filter(
        case__study=study, pk=pk, producer_kind=Checklist.Producer.JUDGE
    ).first()
    gold = Checklist.objects.filter(
        case__study=study,
        summary__isnull=False,
        summary=judged.summary_id if judged else None,
        producer_kind=Checklist.Producer.GOLD,
    ).last()
    if judged is None or gold is None:
        raise NotFound(f"{study.slug} has no such checklist beside one that people made.")
    summary = Summary.objects.select_related("case").get(checklists=gold)
    return CoveredText(summary, judge_of(judged), _spans_of(gold), _spans_of(judged))


def _spans_of(checklist: Checklist) -> list[Span]:
    places = Evidence.objects.filter(value__item__checklist=checklist)
    return [
        (start, end)
        for start, end in places.values_list("start", "end")
        if start is not None and end is not None
    ]
