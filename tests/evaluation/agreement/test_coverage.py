"""Agreement on which words are covered."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text.spans import covered_words, words
from evaluation.agreement.coverage import Measure, coverage
from evaluation.agreement.kappa import cohen_kappa
from evaluation.agreement.registry import STATISTICS, BadData
from evaluation.agreement.result import Flag, Reason

HUMAN = [[1, 1, 1, 0], [0, 0]]
JUDGE = [[1, 1, 0, 0], [1, 0]]


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        # both 2, human alone 1, judge alone 1, nobody 2; shares 3/4 and 1/2
        (Measure.MICRO, 4 / 6),
        (Measure.MACRO, 5 / 8),
        (Measure.KAPPA, (4 / 6 - 1 / 2) / (1 - 1 / 2)),
        (Measure.F1_COVERED, 4 / 6),
        (Measure.F1_RESIDUAL, 4 / 6),
    ],
)
def test_worked_by_hand(measure: Measure, value: float) -> None:
    result = coverage(HUMAN, JUDGE, measure=measure)
    assert result.value == pytest.approx(value)
    assert result.extra[measure.value] == result.value
    counts = ("both", "human_only", "judge_only", "neither", "n_summaries")
    assert [result.extra[name] for name in counts] == [2, 1, 1, 2, 2]
    assert (result.n_units, result.unit) == (6, "word")


def test_a_judge_that_covers_everything_scores_what_people_cover() -> None:
    human = [[1] * 9 + [0]]
    result = coverage(human, [[1] * 10])
    assert result.value == pytest.approx(0.9)
    assert result.extra["kappa"] == 0
    assert result.extra["f1_residual"] == 0
    assert Flag.PREVALENCE_ABOVE_90 in result.flags


def test_what_is_undefined_says_why() -> None:
    assert coverage([], []).undefined_reason is Reason.NO_UNITS
    assert coverage([[]], [[]], measure=Measure.MACRO).undefined_reason is Reason.NO_UNITS
    all_covered = coverage([[1, 1]], [[1, 1]], measure=Measure.KAPPA)
    assert (all_covered.value, all_covered.undefined_reason) == (None, Reason.NO_VARIATION)
    no_residual = coverage([[1, 1]], [[1, 1]], measure=Measure.F1_RESIDUAL)
    assert no_residual.undefined_reason is Reason.NO_MATCHES
    assert coverage([[1, 1]], [[1, 1]]).extra["kappa"] is None


@pytest.mark.parametrize(
    ("human", "judge", "says"),
    [
        ([[1]], [], "1 summaries and judge has 0"),
        ([[1, 0]], [[1]], "summary 1 has 2 words for human and 1"),
        ([[1]], [[2]], "neither 0 nor 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    human: list[list[int]], judge: list[list[int]], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        coverage(human, judge)


flags = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=30)


@given(st.lists(flags, max_size=6))
def test_kappa_is_that_of_the_pooled_words(summaries: list[list[tuple[int, int]]]) -> None:
    human = [[h for h, _ in one] for one in summaries]
    judge = [[j for _, j in one] for one in summaries]
    found = coverage(human, judge, measure=Measure.KAPPA)
    pooled = cohen_kappa([*chain(*human)], [*chain(*judge)], levels=[0, 1])
    if pooled.value is None:
        assert found.value is None
    else:
        assert found.value == pytest.approx(pooled.value)
    assert found.value is None or -1 <= found.value <= 1


def test_the_command_takes_words_alone_or_by_summary() -> None:
    entry = STATISTICS["coverage"]
    flat = entry.run({"human": [1, 1, 1, 0, 0, 0], "judge": [1, 1, 0, 0, 1, 0]})
    assert flat.value == pytest.approx(4 / 6)
    assert flat.extra["n_summaries"] == 1
    by_word = entry.run(
        {
            "human": [1, 1, 1, 0, 0, 0],
            "judge": [1, 1, 0, 0, 1, 0],
            "clusters": ["a", "a", "a", "a", "b", "b"],
        }
    )
    assert by_word.extra["macro"] == pytest.approx(5 / 8)
    assert entry.run({"human": HUMAN, "judge": JUDGE}).value == pytest.approx(4 / 6)
    with pytest.raises(BadData):
        entry.run({"human": [True], "judge": [1]})


def test_gpt_5_against_people_on_the_public_release(release_dir: Path) -> None:
    """The figures that go with the data, from the files themselves."""
    folder = release_dir
    people = json.loads((folder / "data/document_checklists/human.json").read_text("utf-8"))
    human, judge = [], []
    for path in sorted((folder / "thresh").glob("*.json")):
        paragraphs = json.loads(path.read_text("utf-8"))
        in_text = words(paragraphs[0]["target"])
        edits = [edit for paragraph in paragraphs for edit in paragraph["edits"]]
        judge.append(covered_words(in_text, [(s, e) for d in edits for s, e in d["output_idx"]]))
        items = people["results"][paragraphs[0]["metadata"]["case_id"]].values()
        spans = [tuple(span) for item in items for v in item for span in v["evidences_indices"]]
        human.append(covered_words(in_text, spans))
    result = coverage(human, judge)
    if len(human) == 20:
        assert result.value == pytest.approx(0.9165, abs=5e-5)
        assert result.extra["macro"] == pytest.approx(0.9406, abs=5e-5)
        assert result.extra["kappa"] == pytest.approx(0.0856, abs=5e-5)
    assert result.value is not None
