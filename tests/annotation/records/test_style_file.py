"""Style pairs: oriented by their sources, keyed by case and model, every oddity named."""

import copy
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.comparison import Side
from annotation.records.beginnings import is_comparison, is_style, is_thresh
from annotation.records.report import FileReport, UnreadableFile
from annotation.records.style_file import model_in, parse_styles, read_styles

MODEL = "out/m1_summarization/cases_True"
OTHER = "out/m2_summarization/cases_True"
HUMAN = "out/cases"


def entry(case="10", a="A wrote this.", b="B wrote that.", order=(HUMAN, MODEL)) -> Any:
    return case, {"summary_A": a, "summary_B": b}, list(order)


def document(*entries: Any) -> dict[str, Any]:
    keys, pairs, orders = zip(*entries, strict=True)
    return {"keys": list(keys), "summary_pairs": list(pairs), "orders": list(orders)}


def parse(data: object):
    report = FileReport("pairs.json")
    return parse_styles(data, report), report


def test_sides_follow_the_order_and_the_first_is_kept():
    records, report = parse(
        document(entry(), entry(case="CJ-FL-0009", a="m", b="r", order=(OTHER, HUMAN)))
    )
    first, second = records
    assert (first.content.reference_text, first.content.model_text) == (
        "A wrote this.",
        "B wrote that.",
    )
    assert (first.content.reference_source, first.content.model_source) == (HUMAN, MODEL)
    assert first.content.imported_first is Side.REFERENCE
    assert (second.content.model_text, second.content.reference_text) == ("m", "r")
    assert second.content.imported_first is Side.MODEL
    assert [(r.key, r.case_id, r.model, r.position) for r in records] == [
        ("10/m1", "10", "m1", 0),
        ("CJ-FL-0009/m2", "CJ-FL-0009", "m2", 1),
    ]
    assert report.found == {"pairs": 2, "reference_shown_first": 1}
    assert report.problems == []


@pytest.mark.parametrize(
    ("source", "model"),
    [
        (MODEL, "m1"),
        ("legal/x/gpt-4.1-2025-04-14_summarization/40_cases_True", "gpt-4.1-2025-04-14"),
        ("a_summarization/b_summarization/c", "b"),
        ("m_summarization.json", "m"),
        ("_summarization", "_summarization"),
    ],
)
def test_the_model_is_the_last_marked_part_of_the_path(source, model):
    assert model_in(source) == model


def test_the_same_case_with_another_model_is_another_pair():
    records, report = parse(document(entry(), entry(order=(HUMAN, OTHER)), entry(a="new")))
    assert [record.key for record in records] == ["10/m1", "10/m2", "10/m1#2"]
    assert report.problems == []


def test_the_same_pair_twice_is_refused_also_when_shown_the_other_way():
    records, report = parse(
        document(entry(a="x", b="y"), entry(a="y", b="x", order=(MODEL, HUMAN)))
    )
    assert len(records) == 1
    assert [str(problem) for problem in report.problems] == [
        "keys[1]: is the same pair as keys[0]. Take one out."
    ]


@pytest.mark.parametrize(("order", "word"), [((MODEL, OTHER), "both"), ((HUMAN, HUMAN), "neither")])
def test_unknown_orientation_is_refused_and_counted(order, word):
    records, report = parse(document(entry(), entry(case="11", order=order)))
    assert [record.case_id for record in records] == ["10"]
    assert report.found["orientation_unknown"] == 1
    assert str(report.problems[0]).startswith(f"orders[1]: {word} of the two sources name")


def test_texts_are_normalised_and_what_is_odd_is_counted():
    data = document(entry(a="\ufeffone\r\ntwo ", b="same"), entry(case="11", a="same", b="same"))
    data["summary_pairs"][0]["note"] = "kept"
    records, report = parse(data)
    assert records[0].content.reference_text == "one\ntwo "
    assert records[0].metadata == {"note": "kept"}
    assert report.repairs == {
        "byte_order_mark": 1,
        "line_ends": 1,
        "summary_outer_blanks": 1,
        "same_text_on_both_sides": 1,
    }


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("keys", 1), 7, "keys[1]: must be a text, and is the number 7."),
        (("keys", 1), "c" * 121, "keys[1]: must have 120 characters or fewer"),
        (("summary_pairs", 1), [], "summary_pairs[1]: must be an object"),
        (("summary_pairs", 1), {"summary_A": "x"}, 'summary_pairs[1]: has no "summary_B"'),
        (("summary_pairs", 1, "summary_A"), "  ", "summary_pairs[1].summary_A: must say something"),
        (("summary_pairs", 1, "summary_A"), "\ufeff", "summary_pairs[1].summary_A: must say"),
        (("summary_pairs", 1, "summary_A"), None, "summary_pairs[1].summary_A: must be a text"),
        (("orders", 1), [HUMAN], "orders[1]: must be a list of 2"),
        (("orders", 1, 0), 3, "orders[1][0]: must be a text"),
        (("orders", 1, 1), "x" * 300 + "_summarization", "orders[1][1]: must have 200"),
    ],
)
def test_a_bad_entry_is_named_and_the_others_are_read(path, value, message):
    data = document(entry(), entry(case="11"), entry(case="12"))
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    records, report = parse(data)
    assert [record.case_id for record in records] == ["10", "12"]
    (problem,) = report.problems
    assert str(problem).startswith(message)


def test_tables_of_different_lengths_are_not_guessed_at():
    data = document(entry(), entry(case="11"))
    del data["orders"][0]
    records, report = parse(data)
    assert records == []
    assert "nothing says which belong together" in report.problems[0].message


@pytest.mark.parametrize(
    "data", [[], 7, None, {}, {"keys": [], "value_pairs": [], "orders": []}, {"keys": {}}]
)
def test_another_file_is_refused_as_a_whole(data):
    with pytest.raises(UnreadableFile, match="This is no file of style pairs"):
        parse(data)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.just(MODEL),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)
SOUND = document(entry(), entry(case="11", order=(OTHER, HUMAN)))
PLACES = [
    ("keys",), ("keys", 0), ("summary_pairs",), ("summary_pairs", 1),
    ("summary_pairs", 1, "summary_A"), ("orders",), ("orders", 0), ("orders", 0, 1),
]  # fmt: skip


@given(st.sampled_from(PLACES), anything)
def test_anything_anywhere_is_read_or_named(path, value):
    data = copy.deepcopy(SOUND)
    place: Any = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    report = FileReport("pairs.json")
    try:
        records = parse_styles(data, report)
    except UnreadableFile as error:
        assert error.reason  # noqa: PT017 - any other exception fails the test
    else:
        assert len(records) + len(report.problems) >= 1
        json.dumps(report.to_json(), allow_nan=False).encode()


def test_files_are_known_by_their_beginning():
    style = json.dumps(SOUND, indent=4).encode()
    comparison = b'{"keys": [{"case_id": "1"'
    thresh = b'[\n {"id": "1_p0", "metadata": {"case_id": "1", "paragraph_num": 0}'
    for head, known in ((style, is_style), (comparison, is_comparison), (thresh, is_thresh)):
        for start in (head, b"\xef\xbb\xbf" + head):
            said = [f for f in (is_style, is_comparison, is_thresh) if f(start)]
            assert said == [known]
    assert not any(f(b'[{"data": {}}]') for f in (is_style, is_comparison, is_thresh))


@pytest.mark.release
def test_the_public_example(release_dir):
    path = release_dir / "annotation_interface/writing_comparison/data/example.json"
    report = FileReport("example.json")
    records = read_styles(path, report)
    assert len(records) == 20
    assert report.problems == []
    assert report.repairs == {}
    assert report.found == {"pairs": 20, "reference_shown_first": 12}
    assert Counter(r.content.imported_first for r in records) == {Side.REFERENCE: 12, Side.MODEL: 8}
    assert len({record.case_id for record in records}) == 20
    assert {r.model for r in records} == {
        "gemini-2.5-pro",
        "gemini-2.5-flash",
        "gpt-4.1-2025-04-14",
    }
    longest = max(
        len(t.split()) for r in records for t in (r.content.model_text, r.content.reference_text)
    )
    assert longest == 1920
    assert is_style(path.read_bytes()[:300])
