"""Agreement about evidence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.text.spans import united
from evaluation.agreement.spans import span_overlap

SPANS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 20)).map(lambda s: (s[0], s[0] + s[1])), max_size=6
)


def test_half_shifted_and_equal():
    overlap = span_overlap([(0, 10), (20, 30)], [(5, 15), (20, 30)])
    assert (overlap.f1, overlap.iou) == (0.75, 0.60)


def test_nothing_marked_is_undefined_and_one_sided_marks_are_disagreement():
    assert (span_overlap([], []).f1, span_overlap([], []).iou) == (None, None)
    assert (span_overlap([(0, 5)], []).f1, span_overlap([], [(0, 5)]).iou) == (0.0, 0.0)


def test_a_reversed_span_is_refused():
    with pytest.raises(ValueError, match="before it starts"):
        span_overlap([(5, 2)], [])


def test_overlapping_and_touching_spans_unite():
    assert united([(4, 6), (0, 2), (2, 3), (5, 9), (11, 11)]) == [(0, 3), (4, 9)]


@settings(max_examples=60)
@given(SPANS, SPANS)
def test_lengths_are_those_of_sets_of_characters(first, second):
    one = {i for start, end in first for i in range(start, end)}
    other = {i for start, end in second for i in range(start, end)}
    overlap = span_overlap(first, second)
    assert (overlap.shared, overlap.first, overlap.second) == (
        len(one & other),
        len(one),
        len(other),
    )


@settings(max_examples=60)
@given(st.integers(0, 50), st.integers(1, 20), st.integers(0, 50), st.integers(1, 20))
def test_shifting_a_span_away_never_raises_the_score(start, length, other_start, other_length):
    other = [(other_start, other_start + other_length)]
    away = 1 if start + length / 2 >= other_start + other_length / 2 else -1
    scores = [
        span_overlap([(start + away * step, start + away * step + length)], other).f1
        for step in range(40)
    ]
    assert scores == sorted(scores, reverse=True)


@settings(max_examples=60)
@given(SPANS.filter(bool), SPANS)
def test_an_exact_match_scores_at_least_as_high_as_any_other(spans, others):
    assert span_overlap(spans, spans).f1 == 1.0
    assert span_overlap(spans, others).f1 <= 1.0
