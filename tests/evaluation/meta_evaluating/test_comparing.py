"""Published and hand-worked figures, through the tables that the pages use."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from annotation.kinds.comparison import ListAnswer, Relation, SingleAnswer
from evaluation.agreement.intervals import DEFAULT
from evaluation.meta_evaluating import comparing
from evaluation.meta_evaluating.comparing import ComparisonRow, VerdictCell
from evaluation.meta_evaluating.figures import Figure, with_chance
from evaluation.meta_evaluating.showing import show

RELATION = {
    "eq": Relation.EQUAL,
    "A": Relation.MODEL_CONTAINS,
    "B": Relation.REFERENCE_CONTAINS,
    "d": Relation.DIFFERENT,
}


def single(number: int, votes: Sequence[str], case: str = "") -> ComparisonRow:
    """One single-value task with a vote of each of r1, r2, ..."""
    return ComparisonRow(
        task_id=number,
        position=number,
        case=case or f"c{number}",
        item="filing_date",
        form="single",
        n_model=1,
        n_reference=1,
        votes={f"r{i}": SingleAnswer(relation=RELATION[v]) for i, v in enumerate(votes, 1)},
    )


def matching(pairs: str) -> ListAnswer:
    """``"11 22"``: value 1 with value 1, value 2 with value 2, counted from 1 as in the source."""
    return ListAnswer(
        pairs=[(int(p[0]) - 1, int(p[1]) - 1) for p in pairs.split()],
        only_model=[],
        only_reference=[],
    )


def many(number: int, votes: Sequence[str], case: str = "") -> ComparisonRow:
    return ComparisonRow(
        task_id=number,
        position=number,
        case=case or f"c{number}",
        item="parties",
        form="list",
        n_model=4,
        n_reference=4,
        votes={f"r{i}": matching(v) for i, v in enumerate(votes, 1)},
    )


def verdicts(answers: Sequence[SingleAnswer | ListAnswer | None]) -> dict[int, VerdictCell]:
    return {
        number: VerdictCell(number, answer, "" if answer else "truncated")
        for number, answer in enumerate(answers, 1)
    }


def found(figures: list[Figure], metric: str) -> Figure:
    return next(figure for figure in figures if figure.metric == metric)


def test_single_values_the_accuracy_fixture() -> None:
    """meta-evaluation fixture S1: ten pairs, one answer that cannot be used."""
    human = ["eq", "A", "B", "d", "eq", "d", "A", "eq", "d", "B"]
    judge = ["eq", "A", "A", "d", "eq", "d", "eq", "eq", "-", "B"]
    rows = [single(i, [label] * 3) for i, label in enumerate(human, 1)]
    cells = verdicts([SingleAnswer(relation=RELATION[j]) if j != "-" else None for j in judge])
    figures = comparing.judge_figures("j", rows, cells, DEFAULT)
    accuracy = found(figures, "accuracy").result
    assert accuracy.value == pytest.approx(0.70)
    assert accuracy.extra["valid_only"] == pytest.approx(0.777778, abs=1e-6)
    assert found(figures, "balanced_accuracy").result.value == pytest.approx(0.666667, abs=1e-6)
    assert found(figures, "macro_f1").result.value == pytest.approx(0.705952, abs=1e-6)
    assert found(figures, "kappa").result.value == pytest.approx(0.694915, abs=1e-6)
    assert accuracy.n_invalid == 1


def test_lists_the_matching_fixture() -> None:
    """Fixture S2: micro F1 6/11, macro with both-empty counted as agreement."""
    human = ["11 22 33", "12", "", "11 21", "11"]
    judge = ["11 23", "12", "", "11", ""]
    rows = [many(i, [pairs] * 2) for i, pairs in enumerate(human, 1)]
    figures = comparing.judge_figures("j", rows, verdicts([matching(p) for p in judge]), DEFAULT)
    micro = found(figures, "matching_f1").result
    assert micro.value == pytest.approx(0.545455, abs=1e-6)
    assert micro.extra["precision"] == pytest.approx(0.75)
    assert micro.extra["recall"] == pytest.approx(0.428571, abs=1e-6)
    assert found(figures, "matching_f1_macro").result.value == pytest.approx(0.613333, abs=1e-6)


def test_people_the_fleiss_fixture() -> None:
    """Fixture S6: eight units, three raters."""
    units = ["eq eq eq", "eq A eq", "A A A", "B d B", "d d d", "d d eq", "A A eq", "B B B"]
    rows = [single(i, unit.split()) for i, unit in enumerate(units, 1)]
    figures = comparing.human_figures(rows, DEFAULT)
    assert found(figures, "fleiss_kappa").result.value == pytest.approx(0.553488, abs=1e-6)
    assert found(figures, "alpha_nominal").result.value == pytest.approx(0.57209, abs=1e-5)
    assert found(figures, "two_agree").result.value == 1.0


def test_people_the_pairwise_fixture() -> None:
    """Fixture S8: 0.8, 0.666667, 0.4, mean 0.622222; majority {11, 22, 33}."""
    row = many(1, ["11 22 33", "11 22", "11 33 24"])
    figure = found(comparing.human_figures([row], DEFAULT), "pairwise_f1")
    assert figure.result.value == pytest.approx(0.622222, abs=1e-6)
    assert row.gold_pairs == {(0, 0), (1, 1), (2, 2)}


def test_three_way_splits_and_lone_answers_are_left_out_and_counted() -> None:
    rows = [single(1, ["eq", "eq", "d"]), single(2, ["eq", "A", "d"]), single(3, ["eq"])]
    cells = verdicts([SingleAnswer(relation=Relation.EQUAL)] * 3)
    result = found(comparing.judge_figures("j", rows, cells, DEFAULT), "accuracy").result
    assert (result.value, result.n_units, result.n_excluded) == (1.0, 1, 2)
    counted = comparing.coverage(rows, cells)
    assert (counted.no_majority, counted.too_few_answers, counted.not_asked) == (1, 1, 0)


def test_tasks_that_were_not_asked_do_not_count_against_the_judge() -> None:
    rows = [single(1, ["eq", "eq"]), single(2, ["d", "d"])]
    cells = verdicts([SingleAnswer(relation=Relation.EQUAL)])
    result = found(comparing.judge_figures("j", rows, cells, DEFAULT), "accuracy").result
    assert (result.value, result.n_units) == (1.0, 1)
    assert comparing.coverage(rows, cells).not_asked == 1


def test_nobody_shares_a_task_is_undefined_not_a_number() -> None:
    """Two annotators without a common item: no agreement, not perfect agreement."""
    rows = [
        ComparisonRow(
            1, 1, "a", "x", "single", 1, 1, {"r1": SingleAnswer(relation=Relation.EQUAL)}
        ),
        ComparisonRow(
            2, 2, "b", "x", "single", 1, 1, {"r2": SingleAnswer(relation=Relation.EQUAL)}
        ),
    ]
    for metric in ("fleiss_kappa", "alpha_nominal", "two_agree"):
        result = found(comparing.human_figures(rows, DEFAULT), metric).result
        assert result.value is None
        assert result.undefined_reason


def test_no_answers_at_all_give_undefined_figures() -> None:
    rows = [single(1, []), many(2, [])]
    figures = comparing.human_figures(rows, DEFAULT)
    figures += comparing.judge_figures("j", rows, {}, DEFAULT)
    figures += comparing.human_figures([], DEFAULT) + comparing.judge_figures("j", [], {}, DEFAULT)
    assert all(figure.result.value is None for figure in figures)
    assert all(show(figure).why for figure in figures)


def test_swapped_orders_are_one_class_after_undoing() -> None:
    """Faults B13: B saw the swapped order; stored answers are un-swapped, so kappa is 1."""
    seen = ["eq", "A", "A", "d", "eq", "B"]
    rows = [single(i, [label] * 2) for i, label in enumerate(seen, 1)]
    cells = verdicts([SingleAnswer(relation=RELATION[v]) for v in seen])
    kappa = found(comparing.judge_figures("j", rows, cells, DEFAULT), "kappa").result
    assert kappa.value == pytest.approx(1.0)


def test_the_confusion_table_adds_up_and_has_a_column_for_not_scored() -> None:
    rows = [single(1, ["eq"] * 2), single(2, ["A"] * 2), single(3, ["d"] * 2)]
    cells = verdicts(
        [SingleAnswer(relation=Relation.EQUAL), SingleAnswer(relation=Relation.EQUAL), None]
    )
    table = comparing.confusion(rows, cells)
    counts = {
        (c.human.value, c.judge.value if c.judge else None): c.count for r in table for c in r
    }
    assert counts["equal", "equal"] == 1
    assert counts["model_contains_reference", "equal"] == 1
    assert counts["different", None] == 1
    assert sum(counts.values()) == 3


def test_intervals_are_by_case_and_need_five() -> None:
    votes = ["eq", "A", "B", "d", "eq", "d"]
    rows = [single(i, [v] * 2, case=f"c{i}") for i, v in enumerate(votes, 1)]
    rows += [single(10 + i, [v] * 2, case=f"c{i}") for i, v in enumerate(votes, 1)]
    answers = {row.task_id: VerdictCell(1, SingleAnswer(relation=Relation.EQUAL)) for row in rows}
    result = found(comparing.judge_figures("j", rows, answers, DEFAULT), "accuracy").result
    assert (result.value, result.n_units, result.n_cases) == (pytest.approx(1 / 3), 12, 6)
    assert result.low is not None
    few = [row for row in rows if row.case in {"c1", "c2"}]
    fewer = found(comparing.judge_figures("j", few, answers, DEFAULT), "accuracy").result
    assert (fewer.low, fewer.interval.reason) == (None, "too_few_cases")


def test_the_chance_level_stands_behind_each_two_agree_rate() -> None:
    rows = [single(i, v.split()) for i, v in enumerate(["eq eq d", "A A A", "d eq A"], 1)]
    figures = comparing.human_figures(rows, DEFAULT)
    table = with_chance(figures)
    names = [row["metric"] for row in table]
    chance = table[names.index("two_agree") + 1]
    # Shares: eq 3/9, d 2/9, A 4/9, B 0. Chance = 1 - 6 * (3/9 * 2/9 * 4/9).
    assert chance["metric"] == "two_agree_chance"
    assert chance["value"] == pytest.approx(1 - 6 * (3 * 2 * 4) / 9**3)


def test_every_row_has_the_keys_of_the_contract() -> None:
    rows = [single(1, ["eq", "eq", "d"]), many(2, ["11", "11", "12"])]
    contract = {
        "subject", "task", "metric", "comparer", "stratum", "value", "low", "high", "level",
        "method", "n_units", "n_cases", "n_invalid", "undefined_reason",
    }  # fmt: skip
    for row in with_chance(comparing.human_figures(rows, DEFAULT)):
        assert contract <= set(row)


@pytest.mark.parametrize("metric", ["kappa", "accuracy"])
def test_a_shown_figure_has_its_place_on_the_axis(metric: str) -> None:
    rows = [single(i, ["eq", "eq"]) for i in range(1, 5)] + [
        single(i, ["d", "d"]) for i in range(5, 9)
    ]
    answers = [SingleAnswer(relation=Relation.EQUAL)] * 3 + [
        SingleAnswer(relation=Relation.DIFFERENT)
    ] * 5
    figures = comparing.judge_figures("j", rows, verdicts(answers), DEFAULT)
    shown = show(found(figures, metric))
    value = 0.75 if metric == "kappa" else 0.875
    place = 50 + 50 * value if metric == "kappa" else 100 * value
    assert shown.value == f"{value:.3f}"
    assert shown.axis is not None
    assert shown.axis.x == pytest.approx(place, abs=0.01)
