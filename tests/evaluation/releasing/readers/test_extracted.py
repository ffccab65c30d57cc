"""The cells of summary checklists, document checklists and agent runs, with every quirk."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.extraction import ItemState
from annotation.records.fields import Misfit
from annotation.records.report import FileReport
from evaluation.releasing.readers.extracted import (
    SOURCE_NAME_LENGTH,
    ExtractedItem,
    FileQuote,
    in_words,
    model_name,
    read_items,
)

KEYS = {"Trials": "trials", "Appeal": "appeals", "appeals": "appeals"}


def read(**cells: Any) -> tuple[tuple[ExtractedItem, ...], FileReport]:
    report = FileReport("a.json")
    return read_items("7", cells, KEYS.get, report), report


def cell(*values: Any, **others: Any) -> dict[str, Any]:
    return {"reasoning": "Because.", "extracted": list(values), **others}


def value(text: Any = "Held in May.", *evidence: Any, **others: Any) -> dict[str, Any]:
    return {"value": text, "evidence": list(evidence or ("in May",)), **others}


def test_values_absent_items_and_all_that_comes_with_them():
    items, report = read(Trials=cell(value(note=1)), Appeal=cell(other=[2]))
    trials, appeals = items
    assert (trials.item_key, trials.item_name, trials.state) == (
        "trials", "Trials", ItemState.VALUES,
    )  # fmt: skip
    assert trials.metadata == {"reasoning": "Because."}
    assert trials.values[0].text == "Held in May."
    assert trials.values[0].quotes == (FileQuote("in May"),)
    assert trials.values[0].metadata == {"note": 1}
    assert (appeals.state, appeals.values) == (ItemState.ABSENT, ())
    assert appeals.metadata == {"reasoning": "Because.", "other": [2]}
    assert report.found == {"items": 2, "values": 1, "evidence": 1}
    assert (report.repairs, report.problems) == ({}, [])


@pytest.mark.parametrize(
    ("values", "texts", "repairs"),
    [
        ([value(["a", "b"])], ["a; b"], {"values_list": 1}),
        ([value({"date": "May", "by": ["x", "y"]})], ["date: May; by: x; y"],
         {"values_object": 1}),
        ([value(7), value(True)], ["7", "true"], {"values_number": 2}),
        ([value("a"), value("a", "b")], ["a", "a"], {"items_same_value_twice": 1}),
        ([value(" a")], [" a"], {"values_outer_blanks": 1}),
        ([value("a\r\nb")], ["a\nb"], {"values_line_breaks": 1, "line_ends": 1}),
        ([value("\ud800a")], ["\ufffda"], {"replaced_characters": 1}),
        ([{"value": "a", "evidence": []}, {"value": "b"}, {"value": "c", "evidence": None}],
         ["a", "b", "c"], {"values_without_evidence": 3}),
        ([value("a", "x", "x")], ["a"], {"values_same_evidence_twice": 1}),
        ([value("a", " x", "y\n")], ["a"], {"evidence_outer_blanks": 2}),
        ([value("a", "x", "", " ", {}, {"text": None})], ["a"], {"evidence_blank": 4}),
        ([{"value": "a", "evidence": "x"}], ["a"], {"evidence_not_a_list": 1}),
        ([{"value": "a", "evidence": {"text": "x"}}], ["a"], {"evidence_not_a_list": 1}),
        ([value("a", {"text": "x", "location": 12})], ["a"], {"evidence_parts_not_text": 1}),
        ([value("a", {"text": "x", "source_document": "d" * 501})], ["a"],
         {"source_names_shortened": 1}),
    ],
)  # fmt: skip
def test_quirks_are_counted_and_kept(values, texts, repairs):
    (item,), report = read(Trials=cell(*values))
    assert [v.text for v in item.values] == texts
    assert report.repairs == repairs
    assert report.problems == []


def test_what_is_no_text_keeps_its_original():
    raw = {"date": "May", "by": ["x", None]}
    (item,), _ = read(Trials=cell(value(raw)))
    assert item.values[0].text == "date: May; by: x; null"
    assert item.values[0].metadata == {"raw": raw}


def test_evidence_with_its_document_and_place():
    part = {"text": "a\r\nb", "source_document": "Docket\0", "location": ["page 2", 3]}
    (item,), report = read(Trials=cell(value("v", part, {"source_document": "s" * 600})))
    named, long = item.values[0].quotes
    assert named == FileQuote("a\nb", "Docket\ufffd", "page 2; 3")
    assert (len(long.source_name), long.text) == (SOURCE_NAME_LENGTH, "")
    assert report.repairs == {"evidence_parts_not_text": 1, "source_names_shortened": 1}


def test_the_shape_that_is_documented_with_offsets_and_without_reasoning():
    documented = {"value": "v", "evidences": ["x", "y"], "evidences_indices": [[3, 4], [9, 10]]}
    items, report = read(Trials=[documented], Appeal=[])
    assert items[0].values[0].quotes == (
        FileQuote("x", offsets=(3, 4)),
        FileQuote("y", offsets=(9, 10)),
    )
    assert items[1].state is ItemState.ABSENT
    assert report.repairs == {"items_as_bare_lists": 2}


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (7, "must be an object, and is the number 7."),
        ({}, 'has no "extracted", which is needed.'),
        ({"extracted": None}, "extracted: must be a list, and is null."),
        (cell(value(), 7), "value 2: must be an object, and is the number 7."),
        (cell({"evidence": []}), 'value 1: has no "value", which is needed.'),
        (cell(value("")), "value 1: must say something, and is empty."),
        (cell(value(None)), "value 1: must be a text, and is null."),
        (cell(value([])), "value 1: must say something, and is empty."),
        (cell(value("a", 7)), "value 1, evidence 1: must be an object, and is the number 7."),
        ([{"value": "a", "evidences": "x"}], "value 1, evidences: must be a list"),
        ([{"value": "a", "evidences": ["x"], "evidences_indices": []}],
         "value 1: has 0 pairs of offsets and 1 texts of evidence."),
        ([{"value": "a", "evidences": ["x"], "evidences_indices": [[1]]}],
         "value 1, evidences_indices: must be a list of 2"),
        ([{"value": "a", "evidences": ["x"], "evidences_indices": [[-1, 2]]}],
         "value 1, evidences_indices: must be from 0 to"),
    ],
)  # fmt: skip
def test_a_bad_item_is_named_and_the_others_are_read(bad, problem):
    (item,), report = read(Trials=bad, Appeal=cell(value("a ")))
    assert item.item_key == "appeals"
    assert report.problems[0].place.startswith('case 7, "Trials"')
    assert problem in str(report.problems[0])
    assert len(report.problems) == 1
    assert report.repairs == {"values_outer_blanks": 1}


def test_unknown_and_doubled_items_are_named():
    items, report = read(Weather=cell(), Appeal=cell(), appeals=cell())
    assert [item.item_name for item in items] == ["Appeal"]
    assert [str(problem).split(". ")[0] for problem in report.problems] == [
        'case 7, "Weather": is no item of this study\'s checklist',
        'case 7, "appeals": is the same item as "Appeal"',
    ]


@pytest.mark.parametrize("cells", [None, [], "x", 3])
def test_a_case_that_is_no_object_is_a_problem(cells):
    report = FileReport("a.json")
    assert read_items("7", cells, KEYS.get, report) == ()
    assert str(report.problems[0]).startswith("case 7: must be an object")


def test_equal_items_have_equal_hashes_and_others_have_not():
    (one,), _ = read(Appeal=cell(value("a")))
    (same,), _ = read(appeals=cell(value("a")))
    others = [cell(value("b")), cell(value("a", "z")), cell(value("a"), reasoning="No."), cell()]
    assert one.sha256 == same.sha256
    assert len({one.sha256, *(read(Appeal=other)[0][0].sha256 for other in others)}) == 5


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=10,
)


@given(
    st.dictionaries(
        st.sampled_from(["Trials", "Appeal", "x"]),
        json_values
        | st.builds(lambda x: {"extracted": x}, json_values)
        | st.builds(lambda v, e: {"extracted": [{"value": v, "evidence": e}]}, json_values,
                    json_values),
    )
)  # fmt: skip
def test_any_cells_are_read_or_named(cells):
    """Every item ends up read or among the problems, and what is read can be stored."""
    report = FileReport("a.json")
    items = read_items("7", cells, KEYS.get, report)
    assert len(items) + len(report.problems) == len(cells)
    for item in items:
        assert (item.state is ItemState.VALUES) == bool(item.values)
        json.dumps(item.metadata)
        for read_value in item.values:
            assert read_value.text.strip()
            read_value.text.encode()
            assert all(len(q.source_name) <= SOURCE_NAME_LENGTH for q in read_value.quotes)


def test_a_model_is_named_without_its_account():
    assert model_name("unsloth/gpt-oss-20b-BF16", "x") == "gpt-oss-20b-BF16"
    assert model_name("gpt-4.1", "x") == "gpt-4.1"
    with pytest.raises(Misfit):
        model_name("unsloth/", "x")


def test_in_words():
    assert in_words({"a": [1, {"b": False}], "c": None}) == "a: 1; b: false; c: null"
