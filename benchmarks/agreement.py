"""Time alpha, kappa and their intervals beside krippendorff and beside bare numpy.

    python benchmarks/agreement.py [--rounds 5]

Prints one JSON object: per workload and side the median, minimum and maximum in milliseconds, the
ratio of medians to the peer (``krippendorff``) and to the floor (the few numpy calls that the sum
needs, without reading labels, checks or a result object), and whether all sides gave the same
answer. Each side runs in a process of its own, one thread, in rotating order; times are processor
time, for the machine may be shared. ``gavel`` returns the whole result (companion figures, counts,
flags), ``gavel_value_alone`` what the peer returns. Exit 1 when an answer differs: a fast wrong
answer is a wrong answer.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
LEVELS = [1, 2, 3, 4, 5]
DRAWS = 2_000
SEED = 0
OURS, ALONE, PEER, FLOOR = "gavel", "gavel_value_alone", "krippendorff", "floor"


def small() -> list[np.ndarray]:
    """Five aspects, 3 raters x 25 units."""
    rng = np.random.default_rng(1)
    true = rng.integers(1, 6, (5, 25))
    return [np.clip(one + rng.integers(-1, 2, (3, 25)), 1, 5).astype(float) for one in true]


def large() -> np.ndarray:
    """5 raters x 100,000 units, a tenth missing."""
    rng = np.random.default_rng(2)
    ratings = np.clip(rng.integers(1, 6, 100_000) + rng.integers(-1, 2, (5, 100_000)), 1, 5).astype(
        float
    )
    ratings[rng.random(ratings.shape) < 0.1] = np.nan
    return ratings


CASES = np.arange(100_000) // 1_000


def of_gavel() -> dict[str, Callable[[], object]]:
    from evaluation.agreement.alpha import Level, krippendorff_alpha, mean_alpha
    from evaluation.agreement.intervals import Resampling
    from evaluation.agreement.kappa import cohen_kappa
    from evaluation.agreement.result import Method

    aspects, units = small(), large()
    how = Resampling(method=Method.PERCENTILE, draws=DRAWS, seed=SEED)
    ordinal = {"level": Level.ORDINAL, "levels": LEVELS}

    def interval_small() -> list[float | None]:
        named = {str(place): ratings for place, ratings in enumerate(aspects)}
        result = mean_alpha(named, clusters=np.arange(25), how=how, **ordinal)
        return [result.low, result.high]

    def interval_large() -> list[float | None]:
        result = krippendorff_alpha(units, clusters=CASES, how=how, **ordinal)
        return [result.low, result.high]

    return {
        "alpha_5_aspects_of_25x3": lambda: [
            krippendorff_alpha(ratings, **ordinal).value for ratings in aspects
        ],
        "alpha_100000x5": lambda: krippendorff_alpha(units, **ordinal).value,
        "kappa_100000": lambda: cohen_kappa(units[0], units[1], levels=LEVELS).value,
        "resamples_small": interval_small,
        "resamples_100000": interval_large,
    }


def of_gavel_value_alone() -> dict[str, Callable[[], object]]:
    from evaluation.agreement.alpha import Level, alpha_value

    aspects, units = small(), large()
    ordinal = {"level": Level.ORDINAL, "levels": LEVELS}
    return {
        "alpha_5_aspects_of_25x3": lambda: [alpha_value(one, **ordinal) for one in aspects],
        "alpha_100000x5": lambda: alpha_value(units, **ordinal),
    }


def of_krippendorff() -> dict[str, Callable[[], object]]:
    import krippendorff

    aspects, units = small(), large()

    def alpha(ratings: np.ndarray) -> float:
        return float(
            krippendorff.alpha(ratings, level_of_measurement="ordinal", value_domain=LEVELS)
        )

    def interval_small() -> list[float]:
        picks = np.random.default_rng(SEED).integers(0, 25, (DRAWS, 25))
        means = [np.mean([alpha(one[:, pick]) for one in aspects]) for pick in picks]
        return np.quantile(means, [0.025, 0.975]).tolist()

    return {
        "alpha_5_aspects_of_25x3": lambda: [alpha(ratings) for ratings in aspects],
        "alpha_100000x5": lambda: alpha(units),
        "resamples_small": interval_small,
    }


def of_floor() -> dict[str, Callable[[], object]]:
    aspects, units = small(), large()
    ready_small, ready_large = [counts(one) for one in aspects], counts(units)
    cells = np.nan_to_num(units[:2], nan=0).astype(np.int64)
    small_tables = [tables(one, np.arange(25)) for one in ready_small]
    large_tables = tables(ready_large, CASES)

    def kappa() -> float:
        table = np.bincount(cells[0] * 6 + cells[1], minlength=36).reshape(6, 6)[1:, 1:]
        share = table / table.sum()
        expected = share.sum(axis=0) @ share.sum(axis=1)
        return float((np.trace(share) - expected) / (1 - expected))

    def interval(by_aspect: list[np.ndarray], n_cases: int) -> list[float]:
        picks = np.random.default_rng(SEED).integers(0, n_cases, (DRAWS, n_cases))
        picks += np.arange(DRAWS)[:, None] * n_cases
        times = np.bincount(picks.ravel(), minlength=DRAWS * n_cases).reshape(DRAWS, n_cases)
        times = times.astype(float)
        means = np.mean([ordinal_alpha(times @ one) for one in by_aspect], axis=0)
        return np.quantile(means, [0.025, 0.975]).tolist()

    return {
        "alpha_5_aspects_of_25x3": lambda: [
            float(ordinal_alpha(coincidences(one))) for one in ready_small
        ],
        "alpha_100000x5": lambda: float(ordinal_alpha(coincidences(ready_large))),
        "kappa_100000": kappa,
        "resamples_small": lambda: interval(small_tables, 25),
        "resamples_100000": lambda: interval([large_tables], 100),
    }


def counts(ratings: np.ndarray) -> np.ndarray:
    return np.stack([(ratings == level).sum(axis=0) for level in LEVELS]).astype(float)


def weights(by_unit: np.ndarray) -> np.ndarray:
    n = by_unit.sum(axis=0)
    return np.where(n >= 2, 1 / np.maximum(n - 1, 1), 0)


def coincidences(by_unit: np.ndarray) -> np.ndarray:
    weighted = by_unit * weights(by_unit)
    return (weighted @ by_unit.T - np.diag(weighted.sum(axis=1))).ravel()


def tables(by_unit: np.ndarray, cases: np.ndarray) -> np.ndarray:
    return np.stack([coincidences(by_unit[:, cases == case]) for case in np.unique(cases)])


def ordinal_alpha(flat: np.ndarray) -> np.ndarray:
    """Written out from Krippendorff 2011: sums over all pairs of levels."""
    pairs = flat.reshape(*flat.shape[:-1], 5, 5)
    n = pairs.sum(axis=-1)
    middle = np.cumsum(n, axis=-1) - n / 2
    distance = (middle[..., :, None] - middle[..., None, :]) ** 2
    expected = (distance * n[..., :, None] * n[..., None, :]).sum(axis=(-2, -1))
    observed = (distance * pairs).sum(axis=(-2, -1))
    return 1 - observed * (n.sum(axis=-1) - 1) / expected


SIDES = {OURS: of_gavel, ALONE: of_gavel_value_alone, PEER: of_krippendorff, FLOOR: of_floor}
SLOW = 2_000.0
REPEATS = {"alpha_5_aspects_of_25x3": 300, "alpha_100000x5": 9, "kappa_100000": 15}


def measure(side: str) -> dict[str, object]:
    """Milliseconds and the answer of each workload, in this process."""
    found: dict[str, object] = {}
    for name, work in SIDES[side]().items():
        times: list[float] = []
        # the first run warms up and is not counted, unless it is slow enough to stand alone
        for _ in range(1 + REPEATS.get(name, 3)):
            start = time.process_time()
            answer = work()
            times.append(1_000 * (time.process_time() - start))
            if times[0] > SLOW:
                break
        times = times[1:] or times
        found[name] = {"ms": statistics.median(times), "answer": answer}
    return found


def in_own_process(side: str) -> dict[str, dict[str, object]]:
    one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    process = subprocess.run(
        [sys.executable, __file__, "--side", side],
        env=os.environ | one_thread,
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(process.stdout)


def report(rounds: list[dict[str, dict[str, dict[str, object]]]]) -> dict[str, object]:
    workloads: dict[str, object] = {}
    for name in rounds[0][OURS]:
        sides = [side for side in SIDES if name in rounds[0][side]]
        ms = {side: [one[side][name]["ms"] for one in rounds] for side in sides}
        median = {side: statistics.median(ms[side]) for side in sides}
        answers = [one[side][name]["answer"] for one in rounds for side in sides]
        workloads[name] = {
            "ms": {
                side: {"median": median[side], "min": min(ms[side]), "max": max(ms[side])}
                for side in sides
            },
            "ratio_to_peer": {s: median[s] / median[PEER] for s in sides if PEER in sides},
            "ratio_to_floor": {s: median[s] / median[FLOOR] for s in sides},
            "answer": answers[0],
            "same_answers": all(np.allclose(answers[0], other, atol=1e-9) for other in answers),
        }
    return workloads


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        print(json.dumps(measure(options.side)))
        return 0
    rounds = []
    for turn in range(options.rounds):
        order = list(SIDES)[turn % len(SIDES) :] + list(SIDES)[: turn % len(SIDES)]
        rounds.append({side: in_own_process(side) for side in order})
    workloads = report(rounds)
    correct = all(workload["same_answers"] for workload in workloads.values())
    found = {"rounds": options.rounds, "correct": correct, "workloads": workloads}
    print(json.dumps(found, indent=1))
    return 0 if correct else 1


if __name__ == "__main__":
    sys.exit(main())
