import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.extraction import Value
from annotation.kinds.spans import Span
from annotation.records.report import FileReport, UnreadableFile
from annotation.text.normalise import NormalisedText, normalise_text
from evaluation.releasing.readers.discover import discover
from evaluation.releasing.readers.human import (
    FileSpan,
    HumanChecklistRecord,
    HumanChecklists,
    HumanValue,
    checked_values,
)
from evaluation.releasing.readers.summaries import HumanSummaries, SummaryRecord

TEXT = "Judge Woodcock ruled on May 5. The suit is ongoing."
ITEMS = {"Trials": "trials", "Appeal": "appeals", "appeals": "appeals"}


def value(text="The suit is ongoing.", *spans: tuple[int, int], source=TEXT) -> dict[str, Any]:
    spans = spans or ((31, 51),)
    return {
        "value": text,
        "evidences_indices": [list(span) for span in spans],
        "evidences": [source[start:end] for start, end in spans],
    }


def read(folder, data: object):
    path = folder / "human.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    report = FileReport("data/document_checklists/human.json")
    return list(HumanChecklists(ITEMS.get).read(path, report)), report


def cases(**items: Any) -> dict[str, Any]:
    return {"metadata": {"name": "x"}, "results": {"46310": items}}


def test_values_absent_items_and_missing_items(tmp_path):
    """An empty list says "absent"; an item that is not there says nothing."""
    records, report = read(tmp_path, cases(Trials=[value()], Appeal=[]))
    assert records == [
        HumanChecklistRecord(
            "46310",
            "trials",
            "Trials",
            (HumanValue("The suit is ongoing.", (FileSpan(31, 51, "The suit is ongoing."),)),),
        ),
        HumanChecklistRecord("46310", "appeals", "Appeal", ()),
    ]
    assert report.found == {"items": 2, "values": 1, "spans": 1}
    assert (report.repairs, report.problems) == ({}, [])


@pytest.mark.parametrize(
    ("values", "repairs"),
    [
        ([value("x", (31, 34), (0, 5))], {"values_spans_unsorted": 1}),
        ([value("x", (0, 14), (6, 20))], {"values_spans_overlapping": 1}),
        ([value("x", (0, 5), (0, 5))], {"values_spans_duplicate": 1}),
        ([value("x", (0, 5), (5, 6), (6, 14))], {"spans_outer_blanks": 1}),
        ([value("x", (0, 6), (14, 20))], {"spans_outer_blanks": 2}),
        ([value(" x")], {"values_outer_blanks": 1}),
        ([value("x\ny"), value("x\ny ")], {"values_line_breaks": 2, "values_outer_blanks": 1}),
        ([value("x"), value("x", (0, 5))], {"items_same_value_twice": 1}),
        ([{**value("x"), "evidences": [], "evidences_indices": []}],
         {"values_without_evidence": 1}),
    ],
)  # fmt: skip
def test_quirks_are_counted_and_kept(tmp_path, values, repairs):
    (record,), report = read(tmp_path, cases(Trials=values))
    assert report.repairs == repairs
    assert [v.text for v in record.values] == [v["value"] for v in values]
    assert [[[s.start, s.end] for s in v.spans] for v in record.values] == [
        v["evidences_indices"] for v in values
    ]
    checked = checked_values(record, normalise_text(TEXT), report)
    assert [v.text for v in checked] == [v["value"] for v in values]
    assert report.problems == []


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (7, "value 2: must be an object, and is the number 7."),
        ({**value(), "value": ""}, "value 2: must say something, and is empty."),
        ({**value(), "value": {}}, "value 2: must be a text, and is an empty object."),
        ({"value": "x"}, 'value 2: has no "evidences_indices", which is needed.'),
        ({**value(), "evidences": "x"}, "value 2, evidences: must be a list"),
        ({**value(), "evidences_indices": {}}, "value 2, evidences_indices: must be a list"),
        ({**value(), "evidences": []}, "value 2: has 1 pairs of offsets and 0 texts of evidence."),
        ({**value(), "evidences": [None]}, "value 2, span 1: must be a text, and is null."),
        ({**value(), "evidences_indices": [[31]]}, "value 2, span 1: must be a list of 2"),
        ({**value(), "evidences_indices": [["a", 51]]}, "value 2, span 1: must be a whole number"),
        ({**value(), "evidences_indices": [[-1, 19]]}, "value 2, span 1: must be from 0 to"),
        ({**value(), "evidences_indices": [[51, 31]]}, "value 2, span 1: the offsets 51-31 cannot"),
        ({**value(), "evidences_indices": [[31, 50]]}, "value 2, span 1: the offsets 31-50 cannot"),
        ({**value(), "evidences_indices": [[3, 3]], "evidences": [""]}, "value 2, span 1: the off"),
    ],
)
def test_a_bad_value_is_named_and_other_items_are_read(tmp_path, bad, problem):
    records, report = read(tmp_path, cases(Trials=[value(" a"), bad], Appeal=[value()]))
    assert [record.item_key for record in records] == ["appeals"]
    (found,) = report.problems
    assert str(found).startswith(f'case 46310, "Trials", {problem}')
    assert report.repairs == {}
    assert report.found["values"] == 1


def test_bad_items_and_cases_are_named(tmp_path):
    records, report = read(
        tmp_path,
        {
            "results": {
                "1": {"Tryals": [], "Trials": []},
                "2": {"Appeal": [], "appeals": []},
                "3": [],
                " 4": {"Trials": []},
                "5": {"Trials": None},
            }
        },
    )
    assert [(record.case_id, record.item_name) for record in records] == [
        ("1", "Trials"),
        ("2", "Appeal"),
    ]
    assert [str(problem) for problem in report.problems] == [
        'case 1, "Tryals": is no item of this study\'s checklist. Correct the name, or add it to '
        "the template's aliases.",
        'case 2, "appeals": is the same item as "Appeal". Take one of the two out.',
        "case 3: must be an object, and is an empty list.",
        'case  4: must have no blanks at its ends, and is " 4".',
        'case 5, "Trials": must be a list, and is null.',
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "it must be an object"),
        ({}, 'it has no "results", which is needed'),
        ({"results": 1}, "results must be an object, and is the number 1"),
    ],
)
def test_another_file_is_refused(tmp_path, data, words):
    with pytest.raises(UnreadableFile, match=f"This is no file of human checklists: {words}"):
        read(tmp_path, data)


def test_no_checklists_is_a_problem(tmp_path):
    records, report = read(tmp_path, {"results": {}})
    assert records == []
    assert str(report.problems[0]) == "results: The file holds no checklists."


def test_checked_evidence_is_what_the_summary_says(tmp_path):
    (record,), report = read(tmp_path, cases(Trials=[value("a", (0, 14), (31, 51))]))
    assert checked_values(record, normalise_text(TEXT), report) == [
        Value(
            text="a",
            evidence=[
                Span(start=0, end=14, quote="Judge Woodcock"),
                Span(start=31, end=51, quote="The suit is ongoing."),
            ],
        )
    ]


def test_evidence_that_is_not_there_is_refused_with_its_place(tmp_path):
    values = [value("a"), value("b", (0, 5)), value("c", (0, 14))]
    (record,), report = read(tmp_path, cases(Trials=values))
    other = normalise_text("Judge Smith denied it, and then the suit was closed.")
    assert [v.text for v in checked_values(record, other, report)] == ["b"]
    assert [str(problem) for problem in report.problems] == [
        'case 46310, "Trials", value 1: the summary says " the suit was closed" at 31-51, and the '
        'evidence is "The suit is ongoing.". Import the summary that the checklist was made from.',
        'case 46310, "Trials", value 3: the summary says "Judge Smith de" at 0-14, and the '
        'evidence is "Judge Woodcock". Import the summary that the checklist was made from.',
    ]


@pytest.mark.parametrize("shorter", ["Judge", "Judge Woodcock ruled on May 5. The suit is on"])
def test_evidence_beyond_the_summary_is_refused(tmp_path, shorter):
    (record,), report = read(tmp_path, cases(Trials=[value()]))
    assert checked_values(record, normalise_text(shorter), report) == []
    (problem,) = report.problems
    assert problem.place == 'case 46310, "Trials", value 1'
    assert f"which ends at {len(shorter)}" in problem.message
    assert "Is it the evidence of another text?" in problem.message


def test_evidence_of_a_windows_file_is_moved(tmp_path):
    source = "\ufeffone\r\ntwo \U0001f600\r\nthree\x00"
    spans = [(0, 4), (0, 9), (6, 11), (13, 19)]
    (record,), report = read(tmp_path, cases(Trials=[value("a", *spans, source=source)]))
    reference = normalise_text(source)
    (checked,) = checked_values(record, reference, report)
    assert [span.quote for span in checked.evidence] == [
        "one",
        "one\ntwo",
        "two \U0001f600",
        "three\ufffd",
    ]
    assert all(span.matches(reference.text) for span in checked.evidence)
    assert report.problems == []


def test_evidence_of_nothing_but_a_byte_order_mark_is_refused(tmp_path):
    (record,), report = read(tmp_path, cases(Trials=[value("a", (0, 1), source="\ufeffone")]))
    assert checked_values(record, normalise_text("\ufeffone"), report) == []
    assert len(report.problems) == 1


sources = st.text(st.sampled_from("ab \r\n\x00\ufeff\U0001f600\u0301"), min_size=1, max_size=30)


@given(sources, st.data())
def test_what_is_checked_can_be_sliced(source, data):
    """Whatever the file's text was: a value is stored with quotes that are there, or not at all."""
    start = data.draw(st.integers(0, len(source) - 1))
    end = data.draw(st.integers(start + 1, len(source)))
    span = FileSpan(start, end, source[start:end])
    record = HumanChecklistRecord("1", "trials", "Trials", (HumanValue("a", (span,)),))
    report = FileReport("human.json")
    reference = normalise_text(source)
    values = checked_values(record, reference, report)
    assert len(values) + len(report.problems) == 1
    assert all(s.matches(reference.text) for v in values for s in v.evidence)
    in_line_end = any(source[max(i - 1, 0) : i + 1] == "\r\n" for i in (start, end))
    if not in_line_end and not source.startswith("\ufeff"):
        assert values


FILE = cases(Trials=[value("a", (0, 5), (31, 51)), value(" b")], Appeal=[])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = data.items() if isinstance(data, dict) else ()
    below = enumerate(data) if isinstance(data, list) else below
    return [path, *(p for key, child in below for p in places(child, (*path, key)))]


@given(st.sampled_from(places(FILE)[1:]), anything, st.integers(0, 40))
def test_anything_anywhere_is_read_or_named(tmp_path_factory, path, wrong, cut):
    data: Any = copy.deepcopy(FILE)
    inner = data
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = wrong
    file = tmp_path_factory.getbasetemp() / "human.json"
    raw = json.dumps(data).encode()
    file.write_bytes(raw if cut > 10 else raw[: len(raw) - cut])
    report = FileReport("human.json")
    try:
        records = list(HumanChecklists(ITEMS.get).read(file, report))
    except UnreadableFile as error:
        assert error.reason  # noqa: PT017 - any other exception fails the test
    else:
        for record in records:
            for checked in checked_values(record, normalise_text(TEXT), report):
                assert all(span.matches(TEXT) for span in checked.evidence)
        json.dumps(report.to_json(), allow_nan=False).encode()


@pytest.mark.release
def test_the_public_release(release_dir):
    references = {}
    for file in discover(release_dir, ["summaries"])[:2]:
        for record in HumanSummaries().read(file.path, FileReport(file.name)):
            if isinstance(record, SummaryRecord):
                references[record.case_id] = NormalisedText(
                    record.text, record.original_sha256, record.removed
                )
    (file,) = discover(release_dir, ["human"])
    report = FileReport(file.name)
    records = list(HumanChecklists(str.lower).read(file.path, report))
    checked = [
        value
        for record in records
        for value in checked_values(record, references[record.case_id], report)
    ]
    assert report.problems == []
    assert len({record.case_id for record in records}) == 20
    assert len(records) == 20 * 26
    assert sum(not record.values for record in records) == 180
    assert len(checked) == 1357
    assert sum(len(value.evidence) for value in checked) == 2002
    assert report.found == {"items": 520, "values": 1357, "spans": 2002}
    assert report.repairs == {
        "items_same_value_twice": 10,
        "spans_outer_blanks": 4,
        "values_line_breaks": 1,
        "values_outer_blanks": 9,
        "values_spans_duplicate": 1,
        "values_spans_overlapping": 1,
        "values_spans_unsorted": 2,
    }
