"""Intervals by case: the counts of eight cases, and brute force for every statistic."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from evaluation.agreement import pooled, resampling, tables
from evaluation.agreement.accuracy import accuracy, balanced_accuracy, macro_f1
from evaluation.agreement.alpha import krippendorff_alpha
from evaluation.agreement.fleiss import fleiss_kappa
from evaluation.agreement.gwet import brennan_prediger, gwet_ac
from evaluation.agreement.intervals import (
    Resampling,
    interval_by_index,
    interval_over_cases,
)
from evaluation.agreement.kappa import cohen_kappa
from evaluation.agreement.matching import matching_f1, pairwise_f1
from evaluation.agreement.pooled_f1 import pooled_f1
from evaluation.agreement.result import Flag, Method, Reason
from evaluation.agreement.two_agree import two_agree
from evaluation.agreement.values import value_f1
from evaluation.agreement.weights import Weights

HITS = [5, 2, 9, 0, 7, 3, 12, 4]
JUDGE = [8, 6, 10, 3, 9, 4, 20, 5]
HUMAN = [6, 9, 12, 5, 8, 6, 15, 4]
TOTALS = np.array([HITS, JUDGE, HUMAN], dtype=float).T


def f1(sums):
    return 2 * sums[..., 0] / (sums[..., 1] + sums[..., 2])


def share(sums):
    with np.errstate(invalid="ignore"):
        return sums[..., 0] / sums[..., 1]


def test_the_value_is_pooled_and_not_the_mean_of_cases():
    result = pooled_f1(HITS, JUDGE, HUMAN)
    assert result.value == pytest.approx(0.646154, abs=1e-6)
    assert result.extra["mean_of_cases"] == pytest.approx(0.599658, abs=1e-6)


def test_jackknife_t():
    result = pooled_f1(HITS, JUDGE, HUMAN)
    assert result.method == Method.JACKKNIFE_T
    assert result.interval.se == pytest.approx(0.077138, abs=1e-6)
    assert (result.low, result.high) == pytest.approx((0.463751, 0.828557), abs=1e-6)
    assert result.interval.flags == (Flag.FEW_CASES,)


@pytest.mark.parametrize(
    ("method", "low", "high"),
    # Reference: scipy.stats.bootstrap(paired=True), 9,999 draws, default_rng(0).
    [(Method.PERCENTILE, 0.465918, 0.771667), (Method.BCA, 0.439560, 0.761062)],
)
def test_bootstrap_draws_are_those_of_scipy(method, low, high):
    result = pooled_f1(HITS, JUDGE, HUMAN, how=Resampling(method=method, draws=9999, seed=0))
    assert (result.low, result.high) == pytest.approx((low, high), abs=1e-6)
    assert (result.interval.draws, result.interval.seed) == (9999, 0)


@pytest.mark.parametrize("method", [Method.PERCENTILE, Method.BCA])
@pytest.mark.parametrize("seed", [1, 2])
def test_equal_to_scipy_on_other_data(method, seed):
    rng = np.random.default_rng(100 + seed)
    totals = np.sort(rng.integers(0, 30, (17, 3)), axis=1).astype(float)[:, [0, 1, 2]]
    how = Resampling(method=method, draws=999, seed=seed, confidence=0.9)
    ours = interval_over_cases(totals, f1, how)
    theirs = stats.bootstrap(
        tuple(totals.T),
        lambda h, j, m, axis: 2 * h.sum(axis) / (j.sum(axis) + m.sum(axis)),
        paired=True,
        n_resamples=999,
        confidence_level=0.9,
        method="BCa" if method is Method.BCA else "percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_the_exact_law_of_all_6435_resamples():
    values, probabilities = resampling.bootstrap_law(TOTALS, f1)
    assert len(values) == 6435
    assert probabilities.sum() == pytest.approx(1.0)
    extra = pooled_f1(HITS, JUDGE, HUMAN).extra
    exact = extra["exact"]
    assert (exact["low"], exact["high"]) == pytest.approx((0.462810, 0.770053), abs=1e-6)
    assert exact["sd"] == pytest.approx(0.078577, abs=1e-6)
    assert extra["z0"] == pytest.approx(-0.047105, abs=1e-6)
    assert extra["acceleration"] == pytest.approx(-0.042601, abs=1e-6)
    assert extra["z0_draws"] == pytest.approx(extra["z0"], abs=0.02)
    assert extra["bootstrap_sd"] == pytest.approx(exact["sd"], abs=0.002)


def test_the_exact_law_is_the_law_of_ordered_draws():
    # 3 cases: every one of the 27 ordered draws, one by one
    totals = TOTALS[:3]
    values, probabilities = resampling.bootstrap_law(totals, f1)
    ordered = [
        f1(totals[[i, j, k]].sum(axis=0)) for i in range(3) for j in range(3) for k in range(3)
    ]
    for value, probability in zip(values, probabilities, strict=True):
        assert probability >= np.isclose(ordered, value).mean() / len(values)
    assert probabilities @ values == pytest.approx(np.mean(ordered))
    assert probabilities @ values**2 == pytest.approx(np.mean(np.square(ordered)))
    with pytest.raises(ValueError, match="9 cases"):
        resampling.bootstrap_law(np.ones((9, 2)), f1)


@pytest.mark.parametrize("n_cases", [0, 1, 4])
def test_fewer_than_five_cases_have_no_interval(n_cases):
    interval = interval_over_cases(TOTALS[:n_cases], f1)
    assert (interval.low, interval.reason) == (None, Reason.TOO_FEW_CASES)
    assert interval.n_cases == n_cases


def test_ten_cases_are_not_flagged_and_nine_are():
    totals = np.vstack([TOTALS, TOTALS[:2]])
    assert interval_over_cases(totals, f1).flags == ()
    assert interval_over_cases(totals[:9], f1).flags == (Flag.FEW_CASES,)


@pytest.mark.parametrize(
    ("method", "reason"),
    [
        (Method.JACKKNIFE_T, Reason.DEGENERATE_JACKKNIFE),
        (Method.PERCENTILE, Reason.DEGENERATE_BOOTSTRAP),
        (Method.BCA, Reason.DEGENERATE_BOOTSTRAP),
    ],
)
def test_cases_that_are_all_alike_have_no_interval(method, reason):
    interval = interval_over_cases(
        np.tile([[3.0, 4.0]], (12, 1)), share, Resampling(method=method, draws=200)
    )
    assert (interval.low, interval.high, interval.reason) == (None, None, reason)


@pytest.mark.parametrize("method", [Method.JACKKNIFE_T, Method.PERCENTILE, Method.BCA])
def test_an_undefined_value_has_no_interval(method):
    interval = interval_over_cases(np.zeros((12, 2)), share, Resampling(method=method, draws=200))
    assert (interval.low, interval.reason) == (None, Reason.UNDEFINED_VALUE)


def mostly_empty(n_full, n_cases=12):
    totals = np.zeros((n_cases, 2))
    totals[:n_full] = [[k % 3, 4.0] for k in range(1, n_full + 1)]
    return totals


def test_undefined_replicates_are_counted_flagged_and_too_many_refused():
    how = Resampling(method=Method.PERCENTILE, draws=2000, seed=4)
    # a resample of 12 misses all n full cases with probability (1 - n / 12) ** 12
    none = interval_over_cases(mostly_empty(2), share, how)  # 11 %
    assert (none.low, none.reason) == (None, Reason.DEGENERATE_BOOTSTRAP)
    assert none.n_undefined == pytest.approx(2000 * (10 / 12) ** 12, rel=0.15)
    some = interval_over_cases(mostly_empty(3), share, how)  # 3 %
    assert some.low is not None
    assert some.flags == (Flag.UNDEFINED_REPLICATES,)
    few = interval_over_cases(mostly_empty(6), share, how)  # 0.02 %
    assert few.flags == ()


def test_a_value_that_rests_on_one_case_has_no_jackknife():
    interval = interval_over_cases(mostly_empty(1), share)
    assert (interval.low, interval.reason) == (None, Reason.DEGENERATE_JACKKNIFE)
    assert interval.n_undefined == 1


def test_an_interval_is_cut_at_the_range_and_says_so():
    result = pooled_f1([4, 4, 4, 4, 0], [4] * 5, [4] * 5)
    assert result.high == 1.0
    assert Flag.CUT_TO_RANGE in result.all_flags


def test_settings_that_make_no_sense_are_refused():
    for wrong in ({"confidence": 0}, {"confidence": 1.0}, {"draws": 0}, {"seed": -1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Resampling(**wrong)
    with pytest.raises(ValueError, match="wilson"):
        interval_over_cases(TOTALS, f1, Resampling(method=Method.WILSON))


def test_drawing_in_pieces_draws_the_same(monkeypatch):
    whole = np.vstack(list(resampling.drawn_counts(7, 100, 3)))
    monkeypatch.setattr(resampling, "CELLS_AT_ONCE", 50)
    pieces = list(resampling.drawn_counts(7, 100, 3))
    assert len(pieces) == 15
    assert np.array_equal(np.vstack(pieces), whole)
    assert (whole.sum(axis=1) == 7).all()


def test_the_same_seed_draws_the_same_cases_for_every_judge():
    how = Resampling(method=Method.PERCENTILE, draws=300, seed=9)
    one = resampling.bootstrap(TOTALS, f1, draws=300, seed=9)
    twice = resampling.bootstrap(TOTALS * [1, 2, 2], f1, draws=300, seed=9)
    assert twice == pytest.approx(one / 2)
    assert interval_over_cases(TOTALS, f1, how) == interval_over_cases(TOTALS, f1, how)
    assert interval_over_cases(TOTALS, f1, replace(how, seed=10)) != interval_over_cases(
        TOTALS, f1, how
    )


@pytest.mark.parametrize("method", [Method.JACKKNIFE_T, Method.PERCENTILE, Method.BCA])
def test_a_statistic_of_case_indices_gets_the_interval_of_its_sums(method):
    how = Resampling(method=method, draws=300, seed=2)
    by_index = interval_by_index(8, lambda cases: float(f1(TOTALS[cases].sum(axis=0))), how)
    by_sums = interval_over_cases(TOTALS, f1, how)
    assert (by_index.low, by_index.high) == pytest.approx((by_sums.low, by_sums.high))
    assert by_index.se == pytest.approx(by_sums.se)


def test_a_rank_correlation_gets_an_interval_by_index():
    x, y = np.array(HITS), np.array(HUMAN)
    result = interval_by_index(8, lambda cases: stats.kendalltau(x[cases], y[cases])[0])
    left_out = [stats.kendalltau(np.delete(x, k), np.delete(y, k))[0] for k in range(8)]
    assert result.se == pytest.approx(
        math.sqrt(7 / 8 * np.sum((left_out - np.mean(left_out)) ** 2))
    )


# Every statistic against brute force: units are taken out or drawn one by one, case by case.

FIVE = [1, 2, 3, 4, 5]


def columns(units, n):
    return list(zip(*units, strict=True)) if units else [[] for _ in range(n)]


def of_ratings(statistic, n=3, **options):
    return lambda units, **k: statistic(columns(units, n), levels=FIVE, **options, **k)


def of_two(statistic, **options):
    return lambda units, **k: statistic(*columns(units, 2), levels=FIVE, **options, **k)


def labels(rng, n, missing):
    units = []
    for place, value in enumerate(rng.integers(1, 6, 60)):
        noisy = [value if rng.random() < 0.6 else rng.integers(1, 6) for _ in range(n)]
        gaps = missing if place >= 12 else 0  # the first unit of every case is complete
        units.append(tuple(None if rng.random() < gaps else int(x) for x in noisy))
    return units


def complete(rng):
    return labels(rng, 3, 0)


def with_gaps(rng):
    return labels(rng, 3, 0.15)


def two(rng):
    return labels(rng, 2, 0.1)


def pair_sets(rng, n):
    def answer(place):
        if place >= 12 and rng.random() < 0.08:
            return None
        return [tuple(map(int, pair)) for pair in rng.integers(1, 4, (rng.integers(0, 5), 2))]

    return [tuple(answer(place) for _ in range(n)) for place in range(60)]


def matched(rng):
    sizes = rng.integers(0, 4, (60, 2))
    sizes[:12] += 1
    return [
        (int(n), int(m), [(int(a), int(b)) for a, b in rng.integers(1, 4, (3, 2))])
        for n, m in sizes
    ]


BRUTE = {
    "accuracy": (two, of_two(accuracy)),
    "balanced_accuracy": (two, of_two(balanced_accuracy)),
    "macro_f1": (two, of_two(macro_f1)),
    "kappa": (two, of_two(cohen_kappa)),
    "kappa_quadratic": (two, of_two(cohen_kappa, weights="quadratic")),
    "gwet": (with_gaps, of_ratings(gwet_ac)),
    "gwet_linear": (with_gaps, of_ratings(gwet_ac, weights="linear")),
    "brennan_prediger": (with_gaps, of_ratings(brennan_prediger)),
    "fleiss": (complete, of_ratings(fleiss_kappa)),
    "alpha_nominal": (with_gaps, of_ratings(krippendorff_alpha, level="nominal")),
    "alpha_ordinal": (with_gaps, of_ratings(krippendorff_alpha, level="ordinal")),
    "alpha_interval": (with_gaps, of_ratings(krippendorff_alpha, level="interval")),
    "alpha_ratio": (with_gaps, of_ratings(krippendorff_alpha, level="ratio")),
    "two_agree": (with_gaps, of_ratings(two_agree)),
    "matching_micro": (
        lambda rng: pair_sets(rng, 2),
        lambda units, **k: matching_f1(*columns(units, 2), **k),
    ),
    "matching_macro": (
        lambda rng: pair_sets(rng, 2),
        lambda units, **k: matching_f1(*columns(units, 2), average="macro_nonempty", **k),
    ),
    "pairwise_micro": (
        lambda rng: pair_sets(rng, 3),
        lambda units, **k: pairwise_f1(columns(units, 3), **k),
    ),
    "pairwise_macro": (
        lambda rng: pair_sets(rng, 3),
        lambda units, **k: pairwise_f1(columns(units, 3), average="macro", **k),
    ),
    "value_f1": (matched, lambda units, **k: value_f1(*columns(units, 3), **k)),
}


@pytest.fixture(params=BRUTE)
def sample(request):
    """Sixty units in twelve cases of unequal size, and the statistic."""
    make, statistic = BRUTE[request.param]
    rng = np.random.default_rng(list(BRUTE).index(request.param))
    units = make(rng)
    cases = [f"case {int(c)}" for c in np.r_[np.arange(12), rng.integers(0, 12, 48)]]
    return units, cases, statistic


def by_case(units, cases):
    return [
        [unit for unit, of in zip(units, cases, strict=True) if of == case]
        for case in sorted(set(cases))
    ]


def test_the_jackknife_is_brute_force(sample):
    units, cases, statistic = sample
    groups = by_case(units, cases)
    left_out = np.array(
        [
            statistic([unit for h in range(12) if h != g for unit in groups[h]]).value
            for g in range(12)
        ]
    )
    se = math.sqrt(11 / 12 * np.sum((left_out - left_out.mean()) ** 2))
    how = Resampling(method=Method.JACKKNIFE_T)
    result = statistic(units, clusters=cases, how=how)
    assert result.n_cases == 12
    assert result.interval.se == pytest.approx(se, rel=1e-9)
    reach = stats.t.ppf(0.975, 11) * se
    assert result.low == pytest.approx(result.value - reach)
    assert result.high == pytest.approx(min(1.0, result.value + reach))


def test_the_bootstrap_is_a_loop_with_the_same_draws(sample):
    units, cases, statistic = sample
    groups = by_case(units, cases)
    rng = np.random.default_rng(5)
    looped = []
    for _ in range(40):
        drawn = [unit for g in rng.integers(0, 12, 12) for unit in groups[g]]
        looped.append(statistic(drawn).value)
    how = Resampling(method=Method.PERCENTILE, draws=40, seed=5)
    result = statistic(units, clusters=cases, how=how)
    assert result.interval.n_undefined == 0
    assert (result.low, result.high) == pytest.approx(np.quantile(looped, [0.025, 0.975]))


def test_the_design_effect_compares_with_leaving_out_units(sample):
    units, cases, statistic = sample
    how = Resampling(method=Method.JACKKNIFE_T)
    result = statistic(units, clusters=cases, how=how)
    alone = statistic(units, clusters=range(60), how=how)
    assert alone.interval.design_effect == 1.0
    expected = (result.interval.se / alone.interval.se) ** 2
    assert result.interval.design_effect == pytest.approx(expected)


def test_the_order_of_units_does_not_matter(sample):
    units, cases, statistic = sample
    how = Resampling(method=Method.PERCENTILE, draws=50, seed=1)
    order = np.random.default_rng(0).permutation(60)
    moved = statistic([units[k] for k in order], clusters=[cases[k] for k in order], how=how)
    result = statistic(units, clusters=cases, how=how)
    assert (moved.low, moved.high) == pytest.approx((result.low, result.high))


@pytest.mark.parametrize("name", BRUTE)
def test_no_unit_at_all_is_undefined_and_has_no_interval(name):
    result = BRUTE[name][1]([], clusters=[])
    assert (result.value, result.low, result.n_units) == (None, None, 0)
    assert result.undefined_reason


@pytest.mark.parametrize(
    "statistic",
    [
        lambda rows, **k: accuracy(*rows[:2], **k),
        lambda rows, **k: macro_f1(*rows[:2], **k),
        lambda rows, **k: cohen_kappa(*rows[:2], **k),
        fleiss_kappa,
        two_agree,
        lambda rows, **k: krippendorff_alpha(rows, level="ordinal", **k),
        lambda rows, **k: krippendorff_alpha(rows, level="nominal", **k),
        lambda rows, **k: matching_f1(*rows[:2], **k),
        pairwise_f1,
    ],
)
def test_nothing_but_missing_ratings_is_undefined(statistic):
    result = statistic([[None] * 6] * 3, clusters=range(6))
    assert (result.value, result.low, result.n_units) == (None, None, 0)
    assert result.undefined_reason


def test_words_are_as_good_as_members():
    units = columns(BRUTE["kappa"][0](np.random.default_rng(1)), 2)
    for word in ("none", "linear", "quadratic"):
        assert cohen_kappa(*units, levels=FIVE, weights=word) == cohen_kappa(
            *units, levels=FIVE, weights=Weights(word)
        )
        assert gwet_ac(units, levels=FIVE, weights=word) == gwet_ac(
            units, levels=FIVE, weights=Weights(word)
        )
    linear, quadratic = (
        cohen_kappa(*units, levels=FIVE, weights=word).value for word in ("linear", "quadratic")
    )
    assert linear != quadratic
    assert Resampling(method="wilson").method is Method.WILSON
    with pytest.raises(ValueError, match="square"):
        cohen_kappa(*units, levels=FIVE, weights="square")


def test_cases_without_a_usable_unit_are_no_cases():
    ratings = [[1, 2, 3, 4, 5, 1, None], [1, 2, 3, 5, 4, 2, 3], [1, 3, 3, 4, 5, 1, None]]
    result = krippendorff_alpha(ratings, level="nominal", levels=FIVE, clusters=range(7))
    assert result.n_cases == 6
    judged = matching_f1([[[1, 1]]] * 5 + [None], [[[1, 1]]] * 4 + [[], []], clusters=range(6))
    assert judged.n_cases == 5


def test_many_cases_are_drawn_by_kind_with_the_same_law():
    rng = np.random.default_rng(8)
    judge = np.where(rng.random(20_000) < 0.7, 1, 2)
    human = np.ones(20_000)
    how = Resampling(method=Method.PERCENTILE, draws=2000, seed=1)
    result = accuracy(human, judge, levels=[1, 2], clusters=np.arange(20_000), how=how)
    # the bootstrap of a share is binomial
    low, high = stats.binom.ppf([0.025, 0.975], 20_000, result.value) / 20_000
    assert (result.low, result.high) == pytest.approx((low, high), abs=6e-4)


def test_taking_equal_units_and_cases_together_changes_no_interval(monkeypatch):
    rng = np.random.default_rng(8)
    ratings = rng.integers(1, 4, (3, 400)).astype(float)
    ratings[rng.random(ratings.shape) < 0.1] = np.nan
    cases = {"alone": np.arange(400), "grouped": np.arange(400) // 2}
    for level in ("nominal", "ordinal"):
        plain = {
            name: krippendorff_alpha(ratings, level=level, levels=[1, 2, 3], clusters=clusters)
            for name, clusters in cases.items()
        }
        with monkeypatch.context() as patched:
            patched.setattr(tables, "MANY_UNITS", 100)
            patched.setattr(pooled, "MANY_CASES", 50)
            for name, clusters in cases.items():
                together = krippendorff_alpha(
                    ratings, level=level, levels=[1, 2, 3], clusters=clusters
                )
                assert together.value == pytest.approx(plain[name].value)
                assert together.n_cases == plain[name].n_cases
                assert together.interval.se == pytest.approx(plain[name].interval.se)
                assert together.interval.design_effect == pytest.approx(
                    plain[name].interval.design_effect
                )
