"""Krippendorff's alpha, against the published tables and the krippendorff package."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement.alpha import Level, alpha_value, krippendorff_alpha, mean_alpha
from evaluation.agreement.result import Flag, Reason

FIVE = [1, 2, 3, 4, 5]


def rows(text):
    return [[None if x in ".-" else int(x) for x in row.split()] for row in text.split("/")]


# Krippendorff 2011: 4 observers x 12 units, with gaps.
PUBLISHED = rows(
    "1 2 3 3 2 1 4 1 2 . . . / 1 2 3 3 2 2 4 1 2 5 . 3 / "
    ". 3 3 3 2 3 4 2 2 5 1 . / 1 2 3 3 2 4 4 1 2 5 1 ."
)
STYLE = rows("4 3 5 2 4 3 / 3 3 4 2 5 2 / 4 2 4 3 4 -")
LIKERT = [[1, 2, 3, 3, 2, 1, 4, 1, 2, 5], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5]]


@pytest.mark.parametrize(
    ("ratings", "level", "value", "places"),
    [
        (PUBLISHED, Level.NOMINAL, 0.743421, 6),
        (PUBLISHED, Level.ORDINAL, 0.815388, 6),
        (PUBLISHED, Level.INTERVAL, 0.849107, 6),
        (PUBLISHED, Level.RATIO, 0.797403, 6),
        (STYLE, Level.NOMINAL, 0.076923, 6),
        (STYLE, Level.ORDINAL, 0.691294, 6),
        (STYLE, Level.INTERVAL, 0.644444, 6),
        (LIKERT, Level.NOMINAL, 0.8742, 4),
        (LIKERT, Level.ORDINAL, 0.9449, 4),
        (LIKERT, Level.INTERVAL, 0.9693, 4),
    ],
)
def test_known_tables(ratings, level, value, places):
    result = krippendorff_alpha(ratings, level=level, levels=FIVE)
    assert round(result.value, places) == value
    assert result.level == level
    assert alpha_value(ratings, level=level, levels=FIVE) == result.value


def test_the_report_says_what_was_counted_and_what_was_left_out():
    report = krippendorff_alpha(PUBLISHED, level=Level.NOMINAL, levels=FIVE).to_json()
    # 12 units, one of them with a single rating: 11 units, 40 of 41 given ratings are pairable
    assert (report["n_units"], report["n_excluded"], report["n_raters"]) == (11, 1, 4)
    assert report["extra"]["n_pairable"] == 40
    assert report["n_missing"] == 7
    assert report["unit"] == "unit"
    assert "left out" in report["missing_rule"]
    assert report["level"] == "nominal"


def test_skewed_labels_give_alpha_below_zero_with_its_companions():
    ratings = [["eq"] * 18 + ["diff", "eq"], ["eq"] * 18 + ["eq", "diff"]]
    result = krippendorff_alpha(ratings, level=Level.NOMINAL, levels=["eq", "diff"])
    assert result.value == pytest.approx(-0.0263, abs=5e-5)
    assert result.extra["observed"] == pytest.approx(0.9)
    assert result.extra["ac1"] == pytest.approx(0.8895, abs=5e-5)
    assert result.flags == (Flag.PREVALENCE_ABOVE_90,)


def test_ninety_equal_on_the_common_label():
    ratings = [[0] * 95 + [1] * 5, [0] * 90 + [1] * 5 + [0] * 5]
    # Reference: irrCAC 0.4.4 (5 places)
    assert alpha_value(ratings, level=Level.NOMINAL, levels=[0, 1]) == pytest.approx(
        -0.04737, abs=1e-5
    )


def test_one_dissent_among_many_gives_zero_and_shows_agreement_beside_it():
    # two raters, 50 units, one dissent: observed 2 / 100, expected 2 * 99 / (100 * 99)
    ratings = [[1] * 50, [1] * 49 + [2]]
    result = krippendorff_alpha(ratings, level=Level.NOMINAL, levels=[1, 2])
    assert result.value == pytest.approx(0.0, abs=1e-12)
    assert result.extra["observed"] == pytest.approx(0.98)
    assert result.extra["ac1"] > 0.97
    assert Flag.PREVALENCE_ABOVE_90 in result.flags


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([[3, 3, 3], [3, 3, None]], Reason.NO_VARIATION),
        ([[3, 3, None], [3, 3, 5]], Reason.NO_VARIATION),  # the 5 is paired with nothing
        ([[1, None], [None, 2]], Reason.NO_PAIRS),
        ([[None, None], [None, None]], Reason.NO_PAIRS),
        ([[], []], Reason.NO_PAIRS),
        ([[1, 2, 3]], Reason.NO_PAIRS),
    ],
)
def test_undefined(level, ratings, reason):
    result = krippendorff_alpha(ratings, level=level, levels=FIVE)
    assert (result.value, result.undefined_reason) == (None, reason)
    assert alpha_value(ratings, level=level, levels=FIVE) is None


def test_one_annotator_marks_and_two_do_not_is_disagreement():
    # presence of each of four possible spans; only the first annotator marks any
    ratings = [["yes", "no", "yes", "no"], ["no"] * 4, ["no"] * 4]
    value = alpha_value(ratings, level=Level.NOMINAL, levels=["no", "yes"])
    # observed (4 + 4) / 2 * ... : 2 units with 4 of 6 ordered pairs unequal, expected 2*10*2/11
    assert value == pytest.approx(1 - (2 * 4 / 2) * 11 / (2 * 10 * 2))
    assert value < 0


def test_strings_need_an_order_for_ordinal_and_numbers_for_interval():
    words = [["low", "high", "mid"], ["low", "high", "high"]]
    with pytest.raises(ValueError, match="needs levels"):
        krippendorff_alpha(words, level=Level.ORDINAL)
    with pytest.raises(ValueError, match="numbers"):
        krippendorff_alpha(words, level=Level.INTERVAL, levels=["low", "mid", "high"])
    as_numbers = [[1, 3, 2], [1, 3, 3]]
    assert alpha_value(words, level=Level.ORDINAL, levels=["low", "mid", "high"]) == alpha_value(
        as_numbers, level=Level.ORDINAL
    )
    with pytest.raises(ValueError, match="'ordinl' is not a valid Level"):
        krippendorff_alpha(as_numbers, level="ordinl")


def test_a_label_off_the_scale_is_refused_in_lists_and_in_arrays():
    for ratings in ([[1, 2], [7, 2]], np.array([[1.0, 2.0], [7.0, 2.0]])):
        with pytest.raises(ValueError, match="The label 7"):
            krippendorff_alpha(ratings, level=Level.NOMINAL, levels=FIVE)
    with pytest.raises(ValueError, match="null"):
        krippendorff_alpha([[1, float("nan")], [1, 2]], level=Level.NOMINAL, levels=FIVE)


RATINGS = st.integers(1, 10).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([*FIVE, None]), min_size=n, max_size=n), min_size=2, max_size=5
    )
)
LEVELS = st.sampled_from(list(Level))


def by_package(ratings, level):
    """The value of the krippendorff package, None where it has none."""
    data = np.array([[np.nan if x is None else x for x in row] for row in ratings], dtype=float)
    paired = (~np.isnan(data)).sum(axis=0) >= 2
    if len(np.unique(data[:, paired][~np.isnan(data[:, paired])])) < 2:
        return None
    return krippendorff.alpha(data, level_of_measurement=level.value, value_domain=FIVE)


@settings(max_examples=150)
@given(RATINGS, LEVELS)
def test_equal_to_the_krippendorff_package(ratings, level):
    value = by_package(ratings, level)
    expected = None if value is None else pytest.approx(value, abs=1e-12)
    assert krippendorff_alpha(ratings, level=level, levels=FIVE).value == expected
    array = np.array([[np.nan if x is None else x for x in row] for row in ratings], dtype=float)
    assert alpha_value(array, level=level, levels=FIVE) == expected


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize(("n_raters", "n_levels"), [(3, 5), (12, 9)])
def test_equal_to_the_krippendorff_package_where_units_are_taken_together(
    level, n_raters, n_levels
):
    rng = np.random.default_rng(5)
    ratings = rng.integers(1, n_levels + 1, (n_raters, 4000)).astype(float)
    ratings[1:] = np.where(rng.random(ratings[1:].shape) < 0.6, ratings[0], ratings[1:])
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    domain = list(range(1, n_levels + 1))
    value = krippendorff.alpha(ratings, level_of_measurement=level.value, value_domain=domain)
    assert alpha_value(ratings, level=level, levels=domain) == pytest.approx(value, abs=1e-10)


@settings(max_examples=40)
@given(RATINGS, LEVELS)
def test_levels_nobody_used_and_their_absence_change_nothing(ratings, level):
    value = alpha_value(ratings, level=level, levels=FIVE)
    expected = None if value is None else pytest.approx(value, abs=1e-12)
    assert alpha_value(ratings, level=level) == expected
    assert alpha_value(ratings, level=level, levels=[0, *FIVE, 6, 7]) == expected


@settings(max_examples=40)
@given(RATINGS, LEVELS, st.randoms(use_true_random=False))
def test_who_rated_and_in_which_order_does_not_matter(ratings, level, random):
    units = [list(unit) for unit in zip(*ratings, strict=True)]
    for unit in units:
        random.shuffle(unit)
    random.shuffle(units)
    value = alpha_value(ratings, level=level, levels=FIVE)
    shuffled = alpha_value(list(zip(*units, strict=True)), level=level, levels=FIVE)
    assert shuffled == (None if value is None else pytest.approx(value, abs=1e-12))


@settings(max_examples=40)
@given(RATINGS, LEVELS, st.sampled_from(FIVE))
def test_a_unit_with_one_rating_changes_nothing(ratings, level, label):
    longer = [[*row, label if rater == 0 else None] for rater, row in enumerate(ratings)]
    before = krippendorff_alpha(ratings, level=level, levels=FIVE)
    after = krippendorff_alpha(longer, level=level, levels=FIVE)
    expected = None if before.value is None else pytest.approx(before.value, abs=1e-12)
    assert after.value == expected
    assert (after.n_units, after.n_excluded) == (before.n_units, before.n_excluded + 1)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(FIVE), min_size=1, max_size=10), LEVELS)
def test_perfect_agreement_is_one(labels, level):
    value = alpha_value([labels] * 3, level=level, levels=FIVE)
    assert value == (pytest.approx(1.0) if len(set(labels)) > 1 else None)


@settings(max_examples=40)
@given(RATINGS)
def test_renaming_labels_does_not_change_nominal_alpha(ratings):
    names = {1: "b", 2: "a", 3: 7.5, 4: "z", 5: 0, None: None}
    renamed = [[names[x] for x in row] for row in ratings]
    value = alpha_value(ratings, level=Level.NOMINAL)
    expected = None if value is None else pytest.approx(value, abs=1e-12)
    assert alpha_value(renamed, level=Level.NOMINAL) == expected


def test_the_mean_over_aspects_is_the_mean_of_their_alphas():
    aspects = {"plain": STYLE, "order": [row[::-1] for row in STYLE[::-1]], "flat": [[3] * 6] * 3}
    mean = mean_alpha(aspects, level=Level.ORDINAL, levels=FIVE)
    each = [alpha_value(aspects[name], level=Level.ORDINAL) for name in ("plain", "order")]
    assert mean.value == pytest.approx(sum(each) / 2)
    assert mean.flags == (Flag.SOME_UNDEFINED,)
    assert mean.extra["aspects"]["flat"] is None
    assert mean.level == "ordinal"


def test_the_mean_over_aspects_has_an_interval_by_case_for_all_aspects_together():
    aspects = {"plain": STYLE, "order": [row[::-1] for row in STYLE]}
    cases = list("uvwxyz")
    mean = mean_alpha(aspects, level=Level.ORDINAL, levels=FIVE, clusters=cases)
    left_out = []
    for case in range(6):
        rest = {
            name: [row[:case] + row[case + 1 :] for row in ratings]
            for name, ratings in aspects.items()
        }
        left_out.append(mean_alpha(rest, level=Level.ORDINAL, levels=FIVE).value)
    se = (5 / 6 * sum((x - sum(left_out) / 6) ** 2 for x in left_out)) ** 0.5
    assert mean.interval.se == pytest.approx(se)
    assert mean.n_cases == 6
