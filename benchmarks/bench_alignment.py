"""Time the search for altered quotes beside rapidfuzz alone, and check every answer.

    python benchmarks/bench_alignment.py [--release FOLDER] [--rounds 5] [--seed 0]

Prints one JSON object: per workload and side the median, minimum and maximum in milliseconds a
quote, the ratio of medians to the peer (``rapidfuzz.fuzz.partial_ratio_alignment`` with the same
least likeness), the share of altered quotes whose spans are exactly the true ones, and the share of
absent quotes that were found. ``rapidfuzz_folded`` has its texts and quotes folded as ours are.
``build_ms`` is what building the index of one text takes, once a text; it is not part of the time a
quote. Each side runs in a process of its own, in rotating order; times are processor time, for the
machine may be shared. Exit 1 when too many answers are wrong: a fast wrong answer is a wrong one.

Without ``--release`` (the folder that holds the public release's ``data/``) the cases are made up
of phrases, and so alike that some absent quotes are nearly there.
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

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from annotation.text.alignment import SCORE, QuoteIndex  # noqa: E402
from annotation.text.folding import search_form  # noqa: E402
from benchmarks import altered_quotes  # noqa: E402

OURS, PEER, FOLDED = "gavel", "rapidfuzz", "rapidfuzz_folded"
LEAST_EXACT = 0.995
MOST_ABSENT_FOUND = {"summaries": 0.0, "document": 0.01}
MOST_ABSENT_FOUND_MADE = 0.02

Spans = tuple[tuple[int, int], ...]
Find = Callable[[str], Spans]


def workloads(options: argparse.Namespace) -> dict[str, altered_quotes.Workload]:
    cases = (
        altered_quotes.cases_of_release(options.release)
        if options.release
        else altered_quotes.made_cases(options.seed)
    )
    return {
        "summaries": altered_quotes.summaries(cases, options.seed, options.number),
        "document": altered_quotes.document(cases, options.seed, options.number),
    }


def of_gavel(text: str) -> Find:
    index = QuoteIndex(text)
    index.find("Nothing of this text is like it, but it makes the index complete.")
    return lambda quote: index.find(quote).spans


def of_rapidfuzz(text: str) -> Find:
    from rapidfuzz.fuzz import partial_ratio_alignment

    def find(quote: str) -> Spans:
        found = partial_ratio_alignment(quote, text, score_cutoff=SCORE)
        return ((found.dest_start, found.dest_end),) if found else ()

    return find


def of_rapidfuzz_folded(text: str) -> Find:
    from rapidfuzz.fuzz import partial_ratio_alignment

    from annotation.text.folding import fold_for_search

    folded = fold_for_search(text)

    def find(quote: str) -> Spans:
        found = partial_ratio_alignment(search_form(quote).strip(), folded.text, score_cutoff=SCORE)
        return (folded.span(found.dest_start, found.dest_end),) if found else ()

    return find


SIDES = {OURS: of_gavel, PEER: of_rapidfuzz, FOLDED: of_rapidfuzz_folded}


def measure(side: str, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Times and the quality of the answers of each workload, in this process."""
    measured = {}
    for name, workload in workloads(options).items():
        start = time.process_time()
        finds = [SIDES[side](text) for text in workload.texts]
        built = time.process_time() - start
        start = time.process_time()
        answers = [finds[quote.text](quote.quote) for quote in workload.quotes]
        spent = time.process_time() - start
        pairs = list(zip(workload.quotes, answers, strict=True))
        altered = [(quote, spans) for quote, spans in pairs if quote.spans]
        absent = [spans for quote, spans in pairs if not quote.spans]
        measured[name] = {
            "ms": 1_000 * spent / len(answers),
            "build_ms": 1_000 * built / len(workload.texts),
            "altered": len(altered),
            "absent": len(absent),
            "exact_ends": sum(quote.spans == spans for quote, spans in altered) / len(altered),
            "absent_found": sum(map(bool, absent)) / len(absent),
        }
    return measured


def in_own_process(side: str) -> dict[str, dict[str, float]]:
    process = subprocess.run(
        [sys.executable, __file__, *sys.argv[1:], "--side", side],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(process.stdout)


def report(rounds: list[dict[str, dict[str, dict[str, float]]]], made: bool) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, limit in MOST_ABSENT_FOUND.items():
        ms = {side: [one[side][name]["ms"] for one in rounds] for side in SIDES}
        median = {side: statistics.median(ms[side]) for side in SIDES}
        first = rounds[0]
        ours = first[OURS][name]
        limit = MOST_ABSENT_FOUND_MADE if made else limit
        found[name] = {
            "ms_per_quote": {
                side: {"median": median[side], "min": min(ms[side]), "max": max(ms[side])}
                for side in SIDES
            },
            "ratio_to_peer": {side: median[side] / median[PEER] for side in SIDES},
            "build_ms": statistics.median(one[OURS][name]["build_ms"] for one in rounds),
            "quotes": {"altered": ours["altered"], "absent": ours["absent"]},
            "exact_ends": {side: first[side][name]["exact_ends"] for side in SIDES},
            "absent_found": {side: first[side][name]["absent_found"] for side in SIDES},
            "correct": ours["exact_ends"] >= LEAST_EXACT and ours["absent_found"] <= limit,
        }
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--release", type=Path, help="the folder that holds the release's data/")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--number", type=int, default=2_000, help="quotes of each workload")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        print(json.dumps(measure(options.side, options)))
        return 0
    rounds = []
    for turn in range(options.rounds):
        order = list(SIDES)[turn % len(SIDES) :] + list(SIDES)[: turn % len(SIDES)]
        rounds.append({side: in_own_process(side) for side in order})
    found = report(rounds, made=options.release is None)
    correct = all(workload["correct"] for workload in found.values())
    print(json.dumps({"rounds": options.rounds, "correct": correct, "workloads": found}, indent=1))
    return 0 if correct else 1


if __name__ == "__main__":
    sys.exit(main())
