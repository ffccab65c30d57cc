"""``python -m evaluation.agreement``: each statistic, and what is refused."""

import doctest
import importlib
import io
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import agreement
from evaluation.agreement.__main__ import main
from evaluation.agreement.inputs import BadData
from evaluation.agreement.registry import STATISTICS

ROOT = Path(__file__).resolve().parents[3]
FIVE = [1, 2, 3, 4, 5]
H = [1, 2, 3, 4, 5, 3, 3, 2, 4, 4]
J = [2, 2, 3, 4, 4, 3, 4, 1, 4, 5]
TRIPLES = [[4, 2, 5, 1, 3, 2, 1, 4], [4, 3, 5, 1, 4, 2, 3, 4], [3, 5, 5, 2, 4, 2, 4, 4]]
HUMAN = ["eq", "A", "B", "d", "eq", "d", "A", "eq", "d", "B"]
JUDGE = ["eq", "A", "A", "d", "eq", "d", "eq", "eq", None, "B"]
COUNTS = {
    "hits": [5, 2, 9, 0, 7, 3, 12, 4],
    "judge": [8, 6, 10, 3, 9, 4, 20, 5],
    "human": [6, 9, 12, 5, 8, 6, 15, 4],
}
JUDGED = {"human": HUMAN, "judge": JUDGE, "levels": ["eq", "A", "B", "d"]}
TWO = {"a": H, "b": J, "levels": FIVE}
SKEWED = {"a": [0] * 95 + [1] * 5, "b": [0] * 90 + [1] * 5 + [0] * 5, "levels": [0, 1]}
PAIRS = {
    "human": [[[1, 1], [2, 2], [3, 3]], [[1, 2]], [], [[1, 1], [2, 1]], [[1, 1]]],
    "judge": [[[1, 1], [2, 3]], [[1, 2]], [], [[1, 1]], []],
}

# name, input, value, extra: the figures of the tests of each statistic, through the command
EXAMPLES = [
    ("accuracy", JUDGED, 0.70, {"valid_only": 0.777778}),
    ("balanced_accuracy", JUDGED, 0.666667, {"valid_only": 0.75}),
    ("macro_f1", JUDGED, 0.705952, {"valid_only": 0.755952}),
    ("cohen_kappa", TWO, 0.342105, {"observed": 0.5, "expected": 0.24, "ac1": 0.383667}),
    ("cohen_kappa", TWO | {"weights": "quadratic"}, 0.812030, {}),
    ("gwet_ac1", SKEWED, 0.889503, {}),
    ("gwet_ac1", TWO | {"weights": "quadratic"}, 0.893048, {}),
    ("brennan_prediger", SKEWED, 0.80, {}),
    (
        "fleiss_kappa",
        {
            "ratings": [
                ["eq", "eq", "A", "B", "d", "d", "A", "B"],
                ["eq", "A", "A", "d", "d", "d", "A", "B"],
                ["eq", "eq", "A", "B", "d", "eq", "eq", "B"],
            ],
            "levels": ["eq", "A", "B", "d"],
        },
        0.553488,
        {"randolph": 0.555556},
    ),
    (
        "krippendorff_alpha",
        {
            "ratings": [[4, 3, 5, 2, 4, 3], [3, 3, 4, 2, 5, 2], [4, 2, 4, 3, 4, None]],
            "level": "ordinal",
            "levels": FIVE,
        },
        0.691294,
        {},
    ),
    ("two_agree", {"ratings": TRIPLES, "levels": FIVE}, 0.75, {"chance": 0.5625}),
    (
        "matching_f1",
        PAIRS,
        0.545455,
        {"precision": 0.75, "recall": 0.428571, "macro": 0.613333, "macro_nonempty": 0.516667},
    ),
    (
        "pairwise_f1",
        {
            "annotators": [
                [[[1, 1], [2, 2], [3, 3]]],
                [[[1, 1], [2, 2]]],
                [[[1, 1], [3, 3], [2, 4]]],
            ]
        },
        0.622222,
        {"pairs": [0.8, 0.666667, 0.4], "macro": 0.622222},
    ),
    (
        "value_f1",
        {"n_model": 1, "n_reference": 3, "pairs": [[1, 1], [1, 2]], "credit": "two_sided"},
        0.8,
        {"precision": 1.0, "recall": 0.666667},
    ),
    (
        "value_f1",
        {"n_model": [1], "n_reference": [3], "pairs": [[[1, 1], [1, 2]]], "credit": "one_to_one"},
        0.5,
        {},
    ),
    (
        "coverage",  # both 5, people alone 2, the judge alone 1, nobody 2
        {"human": [1, 1, 1, 1, 1, 1, 1, 0, 0, 0], "judge": [1, 1, 1, 1, 1, 0, 0, 0, 0, 1]},
        0.7,
        {"kappa": 0.16 / 0.46, "f1_covered": 10 / 13, "f1_residual": 4 / 7, "macro": 0.7},
    ),
    (
        "cluster_interval",
        COUNTS | {"method": "jackknife_t"},
        0.646154,
        {"se": 0.077138, "z0": -0.047105, "acceleration": -0.042601},
    ),
]


def run(name, data, *options):
    """The command in a process of its own, as a person runs it."""
    return subprocess.run(
        [sys.executable, "-m", "evaluation.agreement", name, *options],
        input=data if isinstance(data, bytes) else json.dumps(data).encode(),
        capture_output=True,
        cwd=ROOT,
        check=False,
    )


@pytest.fixture
def command(monkeypatch, capsys):
    """The same within this process: exit code, standard output, standard error."""

    def call(data, *arguments):
        raw = data if isinstance(data, bytes) else json.dumps(data).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.mark.parametrize(("name", "data", "value", "extra"), EXAMPLES)
def test_each_statistic(command, name, data, value, extra):
    code, out, err = command(data, name)
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["value"] == pytest.approx(value, abs=1e-6)
    assert {"low", "high", "n_units", "n_raters", "n_missing", "undefined_reason"} <= set(result)
    for key, expected in extra.items():
        assert result["extra"][key] == pytest.approx(expected, abs=1e-6)


def test_every_statistic_has_an_example():
    assert {name for name, *_ in EXAMPLES} == set(STATISTICS)


@pytest.mark.parametrize("name", list(STATISTICS))
def test_each_statistic_from_a_shell(name):
    data, value = next((data, value) for n, data, value, _ in EXAMPLES if n == name)
    process = run(name, data)
    assert (process.returncode, process.stderr) == (0, b"")
    assert json.loads(process.stdout)["value"] == pytest.approx(value, abs=1e-6)
    assert process.stdout.count(b"\n") == 1


@pytest.mark.parametrize("name", [name for name in STATISTICS if name != "cluster_interval"])
@pytest.mark.parametrize("method", ["jackknife_t", "percentile", "bca"])
def test_clusters_ask_for_an_interval(command, name, method):
    data = next(data for n, data, *_ in EXAMPLES if n == name)
    if name in ("pairwise_f1", "value_f1"):
        data = {
            "pairwise_f1": {"annotators": [PAIRS["human"], PAIRS["judge"]]},
            "value_f1": {
                "n_model": [3, 1, 0, 2, 1, 4],
                "n_reference": [3, 2, 1, 1, 1, 2],
                "pairs": [[[1, 1], [2, 3]], [[1, 2]], [], [[1, 1]], [], [[1, 1], [2, 2]]],
            },
        }[name]
    rows = data.get("human") or data.get("a") or data.get("n_model")
    n_units = len(rows or data.get("ratings", data.get("annotators"))[0])
    clusters = [f"c{unit % 20}" for unit in range(n_units)]
    code, out, err = command(
        data | {"clusters": clusters, "method": method, "seed": 1, "draws": 300}, name
    )
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["method"] == method
    assert result["n_cases"] == min(n_units, 20)
    assert result["low"] <= result["value"] <= result["high"]
    assert (result["draws"], result["seed"]) == (
        (None, None) if method == "jackknife_t" else (300, 1)
    )


def test_without_clusters_there_is_no_interval(command):
    _, out, _ = command(JUDGED, "accuracy")
    result = json.loads(out)
    assert (result["low"], result["high"], result["method"], result["interval_reason"]) == (
        None,
        None,
        "",
        "",
    )


def test_the_interval_of_counts(command):
    for method, low, high in [
        ("jackknife_t", 0.463751, 0.828557),
        ("percentile", 0.465918, 0.771667),
        ("bca", 0.439560, 0.761062),
    ]:
        result = json.loads(command(COUNTS | {"method": method}, "cluster_interval")[1])
        assert (result["low"], result["high"]) == pytest.approx((low, high), abs=1e-6)


def test_an_undefined_value_is_null_with_its_reason_and_success(command):
    code, out, _ = command({"a": [1, 1], "b": [1, 1], "levels": [1, 2]}, "cohen_kappa")
    result = json.loads(out)
    assert (code, result["value"], result["undefined_reason"]) == (0, None, "no_variation")
    assert result["extra"]["ac1"] == 1.0


REFUSED = [
    ("accuracy", b"", "no data"),
    ("accuracy", b"  \n", "no data"),
    ("accuracy", b"\xff\xfe", "not UTF-8"),
    ("accuracy", b"{'human': 1}", "not JSON"),
    ("accuracy", b"[1, 2]", "one JSON object"),
    ("accuracy", b"null", "one JSON object"),
    ("accuracy", b'{"human": [NaN], "judge": [1]}', "NaN is no JSON number"),
    ("accuracy", b'{"human": [-Infinity], "judge": [1]}', "-Infinity is no JSON number"),
    ("accuracy", b'{"human": [1e999], "judge": [1]}', "too large"),
    ("accuracy", b'{"human": [1], "human": [2], "judge": [1]}', "'human' stands there twice"),
    ("accuracy", b'{"human": [' + b"9" * 5000 + b'], "judge": [1]}', "too many digits"),
    ("accuracy", b"[" * 100_000, "nested too deeply"),
    ("accuracy", {}, "human is missing. judge is missing."),
    ("accuracy", {"human": [], "judge": []}, "human is empty."),
    ("accuracy", {"human": [1], "judge": [1, 2]}, "human has 1 values and judge has 2"),
    ("accuracy", {"human": [1], "judge": [3], "levels": [1, 2]}, "The label 3 is not one of"),
    ("accuracy", {"human": [1], "judge": [[1]]}, "judge[0]: a label is a string or a number."),
    ("accuracy", {"human": [10**30], "judge": [1]}, "human[0]: a number beyond"),
    ("accuracy", {"human": 1, "judge": [1]}, "human: input should be a valid list."),
    ("accuracy", {"human": [1], "judge": [1], "cluster": [1]}, "did you mean clusters?"),
    ("accuracy", {"human": [1], "judge": [1], "clusters": [1, 2]}, "clusters has 2 ids for 1"),
    ("accuracy", {"human": [1], "judge": [1], "clusters": [None]}, "clusters[0]: a cluster id"),
    ("accuracy", {"human": [1], "judge": [1], "seed": -1}, "seed: input should be greater"),
    ("accuracy", {"human": [1], "judge": [1], "draws": 0}, "draws: input should be greater"),
    ("accuracy", {"human": [1], "judge": [1], "method": "guess"}, "method: input should be"),
    ("macro_f1", {"human": [1], "judge": [1], "method": "wilson"}, "accuracy alone"),
    ("cohen_kappa", {"a": [1], "b": [1], "weights": "linear"}, "linear weights needs levels"),
    ("gwet_ac1", {"a": [1], "b": [1]}, "levels is missing."),
    ("gwet_ac1", {"a": [1], "b": [1, 2], "levels": [1, 2]}, "a has 1 values and b has 2"),
    ("brennan_prediger", {"a": [1], "b": [1], "levels": [1, 1]}, "names a level twice"),
    ("fleiss_kappa", {"ratings": []}, "ratings is empty."),
    ("fleiss_kappa", {"ratings": [[1, 2], [1]]}, "different length"),
    ("krippendorff_alpha", {"ratings": [[1], [1]]}, "level is missing."),
    ("krippendorff_alpha", {"ratings": [["a"], ["b"]], "level": "ratio"}, "that are numbers"),
    ("krippendorff_alpha", {"ratings": [["a"], ["b"]], "level": "ordinal"}, "needs levels"),
    ("matching_f1", {"human": [[]], "judge": [[], []]}, "1 and 2 items"),
    ("matching_f1", {"human": [[[1]]], "judge": [[]]}, "human[0][0]: list should have at least 2"),
    ("matching_f1", {"human": [[[1, 1.5]]], "judge": [[]]}, "an index is a whole number"),
    ("matching_f1", {"human": [[[1, True]]], "judge": [[]]}, "an index is a whole number"),
    ("matching_f1", {"human": [[]], "judge": [[]], "first_index": 2}, "first_index: input"),
    ("pairwise_f1", {"annotators": [[[]]]}, "annotators: list should have at least 2"),
    ("value_f1", {"n_model": 1, "n_reference": [1], "pairs": []}, "n_model: input should be"),
    ("value_f1", {"n_model": -1, "n_reference": 1, "pairs": []}, "n_model[0]: input should be"),
    ("value_f1", {"n_model": [1], "n_reference": [1], "pairs": []}, "1, 1 and 0 items"),
    ("cluster_interval", {"hits": [2], "judge": [1], "human": [3]}, "Case 1 has more hits"),
    ("cluster_interval", {"hits": [1], "judge": [1, 1], "human": [1]}, "1, 2 and 1 cases"),
    ("cluster_interval", {"hits": [-1], "judge": [1], "human": [1]}, "hits[0]: input should"),
    ("cluster_interval", {"hits": ["1"], "judge": [1], "human": [1]}, "hits[0]: input should"),
]


@pytest.mark.parametrize(("name", "data", "message"), REFUSED)
def test_bad_data_is_one_sentence_and_exit_one(command, name, data, message):
    code, out, err = command(data, name)
    assert (code, out) == (1, "")
    assert message in err
    assert err.startswith(f"{name}: ")
    assert err.count("\n") == 1


def test_bad_data_from_a_shell():
    process = run("accuracy", b"[1]")
    assert (process.returncode, process.stdout) == (1, b"")
    assert b"Traceback" not in process.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["acuracy"], "did you mean accuracy"),
        (["kappa"], "cohen_kappa"),
        (["zzz"], "see --list"),
        ([], "which statistic?"),
        (["accuracy", "extra"], "unrecognized arguments"),
    ],
)
def test_wrong_usage_is_exit_two(command, arguments, message):
    code, out, err = command({}, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_the_list_names_every_statistic_and_its_inputs(command):
    code, out, _ = command(b"", "--list")
    assert code == 0
    for name, entry in STATISTICS.items():
        assert f"{name}: {entry.summary}" in out
        for required in entry.required:
            assert f"    {required}: " in out
    listed = json.loads(command(b"", "--list", "--json")[1])
    assert [entry["name"] for entry in listed] == list(STATISTICS)
    by_name = {entry["name"]: entry for entry in listed}
    assert by_name["krippendorff_alpha"]["required"] == ["ratings", "level"]
    assert {"clusters", "seed", "draws", "method"} <= set(by_name["accuracy"]["optional"])
    assert all(text for entry in listed for text in entry["inputs"].values())


def test_the_package_never_imports_django():
    code = (
        "import sys; sys.modules['django'] = None\n"
        "import importlib, pkgutil, evaluation.agreement as package\n"
        "for module in pkgutil.iter_modules(package.__path__):\n"
        "    importlib.import_module('evaluation.agreement.' + module.name)\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=False
    )
    assert process.stderr == b""
    assert process.returncode == 0


@pytest.mark.parametrize("module", [m.name for m in pkgutil.iter_modules(agreement.__path__)])
def test_examples_in_docstrings(module):
    failed, _ = doctest.testmod(importlib.import_module(f"evaluation.agreement.{module}"))
    assert failed == 0


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 4)
    | st.sampled_from([2**53, -(2**60), 10**30, 0.5, -0.0, 1e300, "x", "", "nominal", "é"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)
LABEL = st.none() | st.integers(0, 3)
PLAUSIBLE = {
    "levels": st.just([0, 1, 2, 3]) | st.just([0, 1, 2]),
    "clusters": st.lists(st.integers(0, 6), min_size=6, max_size=6),
    "method": st.sampled_from(["jackknife_t", "percentile", "bca", "wilson"]),
    "draws": st.integers(1, 60),
    "ratings": st.lists(st.lists(LABEL, min_size=6, max_size=6), min_size=1, max_size=4),
    "weights": st.sampled_from(["none", "linear", "quadratic"]),
    "level": st.sampled_from(["nominal", "ordinal", "interval", "ratio"]),
    "credit": st.sampled_from(["two_sided", "one_to_one"]),
    "average": st.sampled_from(["micro", "macro", "macro_nonempty"]),
    "first_index": st.sampled_from([0, 1]),
    "hits": st.lists(st.integers(0, 1), min_size=6, max_size=6),
}
LABELS = st.lists(LABEL, min_size=6, max_size=6)
MATCHINGS = st.lists(
    st.none() | st.lists(st.lists(st.integers(-1, 3), min_size=2, max_size=2), max_size=3),
    min_size=6,
    max_size=6,
)
NUMBERS = st.lists(st.integers(0, 3), min_size=6, max_size=6)


def plausible(field):
    by_field = PLAUSIBLE.get(field, LABELS | MATCHINGS | NUMBERS)
    return by_field | (st.lists(MATCHINGS, max_size=3) if field == "annotators" else st.nothing())


@pytest.mark.parametrize("entry", STATISTICS.values(), ids=lambda entry: entry.name)
@settings(max_examples=40)
@given(st.data())
def test_no_data_whatever_ends_in_anything_but_a_result_or_a_sentence(entry, data):
    optional = data.draw(st.sets(st.sampled_from(entry.optional)))
    fields = {
        name: data.draw(plausible(name) if data.draw(st.integers(0, 9)) else ODD)
        for name in [*entry.required, *sorted(optional)]
    }
    try:
        result = entry.run(fields)
    except BadData:
        return
    plain = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert (plain["value"] is None) == bool(plain["undefined_reason"])
    assert (plain["low"] is None) == (plain["high"] is None)
    if plain["low"] is not None:
        assert plain["low"] <= plain["high"]
        assert plain["n_cases"] >= 5
