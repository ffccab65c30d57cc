"""Figures of agreement on comparison tasks, from tables of votes and verdicts. PURE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypedDict

from annotation.kinds.comparison import ListAnswer, Pair, Relation, SingleAnswer
from evaluation.agreement.accuracy import accuracy, balanced_accuracy, macro_f1
from evaluation.agreement.alpha import Level, krippendorff_alpha
from evaluation.agreement.fleiss import fleiss_kappa
from evaluation.agreement.gold import majority_pairs, majority_relation
from evaluation.agreement.gwet import gwet_ac
from evaluation.agreement.intervals import Resampling
from evaluation.agreement.kappa import cohen_kappa
from evaluation.agreement.matching import Average, matching_f1, pairwise_f1
from evaluation.agreement.result import Agreement
from evaluation.agreement.two_agree import two_agree
from evaluation.meta_evaluating.figures import Figure

RELATIONS = tuple(Relation)
TOO_FEW = "too_few_answers"
SPLIT = "no_majority"
MIN_ANSWERS = 2


@dataclass(frozen=True)
class VerdictCell:
    """A judge's answer to one task; ``answer`` is None, with a ``reason``, when not scored."""

    question_id: int
    answer: SingleAnswer | ListAnswer | None
    reason: str = ""


@dataclass(frozen=True)
class ComparisonRow:
    """One task and the votes on it, by pseudonym. Indices are 0-based."""

    task_id: int
    position: int
    case: str
    item: str
    form: str
    n_model: int
    n_reference: int
    votes: Mapping[str, SingleAnswer | ListAnswer]

    @property
    def relations(self) -> list[Relation]:
        """The votes on a single-value task."""
        return [vote.relation for vote in self.votes.values() if isinstance(vote, SingleAnswer)]

    @property
    def matchings(self) -> list[frozenset[Pair]]:
        """The votes on a list task."""
        return [
            frozenset(vote.pairs) for vote in self.votes.values() if isinstance(vote, ListAnswer)
        ]

    @property
    def gold_relation(self) -> Relation | None:
        """What most annotators say (at least two); None without a majority."""
        return majority_relation(self.relations, at_least=MIN_ANSWERS)

    @property
    def gold_pairs(self) -> frozenset[Pair] | None:
        """The pairs that at least two annotators made; None with fewer than two answers."""
        return majority_pairs(self.matchings, at_least=MIN_ANSWERS)

    @property
    def why_no_gold(self) -> str:
        """Empty when there is a gold answer, else ``too_few_answers`` or ``no_majority``."""
        if len(self.votes) < MIN_ANSWERS:
            return TOO_FEW
        return SPLIT if self.form == "single" and self.gold_relation is None else ""

    @property
    def is_unanimous(self) -> bool:
        """All of at least two annotators gave the same answer."""
        votes = self.relations or self.matchings
        return len(votes) >= MIN_ANSWERS and len(set(votes)) == 1


def singles(rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """The single-value tasks."""
    return [row for row in rows if row.form == "single"]


def lists(rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """The list tasks."""
    return [row for row in rows if row.form == "list"]


def annotators(rows: Sequence[ComparisonRow]) -> list[str]:
    """Everybody who voted, in order."""
    return sorted({name for row in rows for name in row.votes})


def _gold_values(rows: Sequence[ComparisonRow]) -> list[str | None]:
    return [row.gold_relation.value if row.gold_relation else None for row in rows]


def _judge_values(
    rows: Sequence[ComparisonRow], verdicts: Mapping[int, VerdictCell]
) -> list[str | None]:
    answers = [verdicts[row.task_id].answer for row in rows]
    return [a.relation.value if isinstance(a, SingleAnswer) else None for a in answers]


class _Labels(TypedDict):
    """What every statistic on relations takes besides the ratings."""

    levels: list[str]
    clusters: list[str]
    how: Resampling


def _labels(rows: Sequence[ComparisonRow], how: Resampling) -> _Labels:
    return {
        "levels": [relation.value for relation in RELATIONS],
        "clusters": [row.case for row in rows],
        "how": how,
    }


class _Lists(TypedDict):
    """What every statistic on matchings takes besides the pairs."""

    first_index: int
    sizes: list[tuple[int, int]]
    clusters: list[str]
    how: Resampling


def _lists(rows: Sequence[ComparisonRow], how: Resampling) -> _Lists:
    return {
        "first_index": 0,
        "sizes": [(row.n_model, row.n_reference) for row in rows],
        "clusters": [row.case for row in rows],
        "how": how,
    }


def _figures(
    subject: str, rows_of: str, named: Sequence[tuple[str, str, Agreement]]
) -> list[Figure]:
    """Figures on comparison tasks from (metric, label for people, result)."""
    return [
        Figure(
            subject=subject,
            task="comparison",
            metric=metric,
            result=result,
            label=label,
            rows_of=rows_of,
        )
        for metric, label, result in named
    ]


def judge_figures(
    subject: str,
    rows: Sequence[ComparisonRow],
    verdicts: Mapping[int, VerdictCell],
    how: Resampling,
) -> list[Figure]:
    """A judge against the majority of people.

    Tasks that the judge was not asked do not enter (:func:`coverage` counts them); an answer that
    could not be read counts as disagreement for accuracy and F1, as missing for kappa. Intervals
    are by case.
    """
    asked = [row for row in rows if row.task_id in verdicts]
    one, many = singles(asked), lists(asked)
    human, judge = _gold_values(one), _judge_values(one, verdicts)
    labels = _labels(one, how)
    gold = [_plain_pairs(row.gold_pairs) for row in many]
    found = [_plain_pairs(_pairs_of(verdicts[row.task_id].answer)) for row in many]
    of_lists = _lists(many, how)
    return [
        *_figures(
            subject,
            "single",
            [
                ("accuracy", "Accuracy, single values", accuracy(human, judge, **labels)),
                (
                    "balanced_accuracy",
                    "Balanced accuracy",
                    balanced_accuracy(human, judge, **labels),
                ),
                ("macro_f1", "Macro F1", macro_f1(human, judge, **labels)),
                ("kappa", "Cohen’s kappa", cohen_kappa(human, judge, **labels)),
                ("ac1", "Gwet’s AC1", gwet_ac([human, judge], **labels)),
            ],
        ),
        *_figures(
            subject,
            "list",
            [
                ("matching_f1", "Matching F1, pooled", matching_f1(gold, found, **of_lists)),
                (
                    "matching_f1_macro",
                    "Matching F1, mean over lists",
                    matching_f1(gold, found, average=Average.MACRO, **of_lists),
                ),
            ],
        ),
    ]


def _pairs_of(answer: SingleAnswer | ListAnswer | None) -> frozenset[Pair] | None:
    return frozenset(answer.pairs) if isinstance(answer, ListAnswer) else None


def _plain_pairs(pairs: frozenset[Pair] | None) -> list[list[int]] | None:
    return None if pairs is None else [list(pair) for pair in sorted(pairs)]


def human_figures(rows: Sequence[ComparisonRow], how: Resampling) -> list[Figure]:
    """The annotators among themselves, from their raw votes, never from adjudicated labels."""
    one, many = singles(rows), lists(rows)
    labels = _labels(one, how)
    ratings = [[_vote_relation(row, name) for row in one] for name in annotators(one)]
    ratings = ratings or [[None for _ in one]]
    matchings = [[_vote_pairs(row, name) for row in many] for name in annotators(many)]
    matchings = matchings or [[None for _ in many]]
    nominal = krippendorff_alpha(ratings, level=Level.NOMINAL, **labels)
    of_lists = _lists(many, how)
    return [
        *_figures(
            "humans",
            "single",
            [
                ("fleiss_kappa", "Fleiss’ kappa", fleiss_kappa(ratings, **labels)),
                ("alpha_nominal", "Krippendorff’s alpha, nominal", nominal),
                ("two_agree", "Two of three agree", two_agree(ratings, **labels)),
            ],
        ),
        *_figures(
            "humans",
            "list",
            [
                ("pairwise_f1", "Pairwise F1, pooled", pairwise_f1(matchings, **of_lists)),
                (
                    "pairwise_f1_macro",
                    "Pairwise F1, mean over lists",
                    pairwise_f1(matchings, average=Average.MACRO, **of_lists),
                ),
            ],
        ),
    ]


def _vote_relation(row: ComparisonRow, name: str) -> str | None:
    vote = row.votes.get(name)
    return vote.relation.value if isinstance(vote, SingleAnswer) else None


def _vote_pairs(row: ComparisonRow, name: str) -> list[list[int]] | None:
    vote = row.votes.get(name)
    return _plain_pairs(_pairs_of(vote))


@dataclass(frozen=True)
class ConfusionCell:
    """How often people say ``human`` and the judge says ``judge`` (None: not scored)."""

    human: Relation
    judge: Relation | None
    count: int


def confusion(
    rows: Sequence[ComparisonRow], verdicts: Mapping[int, VerdictCell]
) -> list[list[ConfusionCell]]:
    """One line a human relation, one column a judge relation and a last one for "not scored"."""
    asked = [row for row in singles(rows) if row.task_id in verdicts and row.gold_relation]
    counts = Counter(
        (row.gold_relation, a.relation if isinstance(a, SingleAnswer) else None)
        for row in asked
        for a in [verdicts[row.task_id].answer]
    )
    columns: tuple[Relation | None, ...] = (*RELATIONS, None)
    return [
        [ConfusionCell(human, judge, counts[human, judge]) for judge in columns]
        for human in RELATIONS
    ]


@dataclass(frozen=True)
class ItemLine:
    """One checklist item: single values answered as people do, and pairs found of its lists."""

    item: str
    n_single: int
    n_equal: int
    n_lists: int
    hits: int
    judge_pairs: int
    human_pairs: int

    @property
    def share(self) -> float | None:
        """Accuracy 0..1 on single values, None without any."""
        return self.n_equal / self.n_single if self.n_single else None

    @property
    def f1(self) -> float | None:
        """Pooled matching F1 0..1, None when nobody matched anything."""
        marked = self.judge_pairs + self.human_pairs
        return 2 * self.hits / marked if marked else None


def by_item(rows: Sequence[ComparisonRow], verdicts: Mapping[int, VerdictCell]) -> list[ItemLine]:
    """A line for each item with at least one gold answer that the judge was asked for."""
    sums: dict[str, list[int]] = {}
    for row in rows:
        if row.task_id not in verdicts or row.why_no_gold:
            continue
        line = sums.setdefault(row.item, [0] * 6)
        answer = verdicts[row.task_id].answer
        if row.form == "single":
            line[0] += 1
            line[1] += isinstance(answer, SingleAnswer) and answer.relation is row.gold_relation
        else:
            gold, found = row.gold_pairs or frozenset(), _pairs_of(answer) or frozenset()
            line[2] += 1
            line[3] += len(gold & found)
            line[4] += len(found)
            line[5] += len(gold)
    return [ItemLine(item, *line) for item, line in sorted(sums.items())]


@dataclass(frozen=True)
class Coverage:
    """How many tasks entered a comparison with people, and why the others did not."""

    tasks: int
    not_asked: int
    too_few_answers: int
    no_majority: int
    not_scored: int


def coverage(rows: Sequence[ComparisonRow], verdicts: Mapping[int, VerdictCell]) -> Coverage:
    """Count the tasks of a set by what became of them."""
    asked = [row for row in rows if row.task_id in verdicts]
    reasons = Counter(row.why_no_gold for row in asked)
    return Coverage(
        tasks=len(rows),
        not_asked=len(rows) - len(asked),
        too_few_answers=reasons[TOO_FEW],
        no_majority=reasons[SPLIT],
        not_scored=sum(verdicts[row.task_id].answer is None for row in asked),
    )


def agrees(row: ComparisonRow, cell: VerdictCell) -> bool | None:
    """Whether the judge answers as the majority does; None without a gold answer."""
    if row.why_no_gold:
        return None
    if row.form == "single":
        return isinstance(cell.answer, SingleAnswer) and cell.answer.relation is row.gold_relation
    return _pairs_of(cell.answer) == row.gold_pairs


@dataclass(frozen=True)
class AnnotatorPair:
    """Two annotators on what both answered; shares and F1 in 0..1, None without anything shared."""

    one: str
    other: str
    n_single: int
    same: float | None
    n_lists: int
    f1: float | None


def annotator_pairs(rows: Sequence[ComparisonRow]) -> list[AnnotatorPair]:
    """Raw agreement of every two annotators, in the order of their pseudonyms."""
    found = []
    for one, other in combinations(annotators(rows), 2):
        both = [row for row in rows if one in row.votes and other in row.votes]
        single = singles(both)
        same = sum(row.votes[one] == row.votes[other] for row in single)
        many = [
            (_pairs_of(row.votes[one]) or frozenset(), _pairs_of(row.votes[other]) or frozenset())
            for row in lists(both)
        ]
        marked = sum(len(a) + len(b) for a, b in many)
        found.append(
            AnnotatorPair(
                one,
                other,
                len(single),
                same / len(single) if single else None,
                len(many),
                2 * sum(len(a & b) for a, b in many) / marked if marked else None,
            )
        )
    return found
